"""Stored tools as tools of a run: rows read once, secrets opened for that run."""

from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import UUID

import httpx

from refdesk.accounts import Scope
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.http import guarded_client
from refdesk.kit.settings import Settings
from refdesk.tools.openapi.executor import HttpTool
from refdesk.tools.openapi.operations import Operation
from refdesk.tools.openapi.requests import Auth
from refdesk.tools.python.code import read_code
from refdesk.tools.python.executor import PythonTool
from refdesk.tools.sandbox import Sandbox
from refdesk.tools.servers.caller_headers import Telling
from refdesk.tools.servers.secrets import open_values
from refdesk.tools.sources import Choice, Opened
from refdesk.tools.spec import Executor, Tool, ToolSpec
from refdesk.tools.stored.repository import StoredToolRepository, ToolInterfaceRepository
from refdesk.tools.stored.tables import StoredTool, ToolInterface
from refdesk.tools.toolbox import ToolProblem

PREFIX = "tool"
GROUP = f"{PREFIX}:interface:"
# The sandbox and the client have the tool's own limit; the toolbox's is for when they do not hold it.
_GRACE_S = 3.0


class StoredSource:
    """One a process. Holds the client of HTTP tools and the sandbox of Python tools."""

    prefix = PREFIX

    def __init__(self, database: Database, settings: Settings, cipher: Cipher, sandbox: Sandbox) -> None:
        self._database = database
        self._settings = settings
        self._cipher = cipher
        self.sandbox = sandbox
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Close the connections of HTTP tools."""
        if self._client is not None:
            await self._client.aclose()

    async def open(self, scope: Scope, chosen: Sequence[str]) -> Opened:
        """The tools of ids `tool:<id>` and of interfaces `tool:interface:<id>`."""
        ids = {
            entry: _as_id(entry.removeprefix(f"{PREFIX}:")) for entry in chosen if not entry.startswith(GROUP)
        }
        groups = {entry: _as_id(entry.removeprefix(GROUP)) for entry in chosen if entry.startswith(GROUP)}
        async with self._database.transaction() as session:
            rows = await StoredToolRepository(session, scope).chosen(
                [one for one in ids.values() if one], [one for one in groups.values() if one]
            )
        tools: list[Tool] = []
        problems: list[ToolProblem] = []
        found: set[UUID | None] = set()
        for row, interface in rows:
            found |= {row.id, row.interface_id}
            is_wanted = row.id in ids.values()
            if not row.is_active or (interface is not None and not interface.is_active):
                if is_wanted:
                    problems.append(ToolProblem(row.name, "tool-inactive", "The tool is switched off."))
                continue
            try:
                tools.append(Tool(spec_of(row), self.executor_of(row, interface)))
            except AppError as error:
                problems.append(ToolProblem(row.name, error.code, error.text))
        for entry, one in {**ids, **groups}.items():
            if one is None or one not in found:
                problems.append(ToolProblem(entry, "tool-not-found", "There is no such tool."))
        return Opened(tools, problems)

    def executor_of(self, row: StoredTool, interface: ToolInterface | None) -> Executor:
        """What does the work of a tool. Raises `SealBroken`, `ToolCodeInvalid`."""
        if interface is not None:
            secrets = _texts(open_values(self._cipher, interface.id, interface.secrets_sealed))
            auth = Auth(interface.auth.get("kind", "none"), interface.auth.get("name", ""), secrets)
            return HttpTool(
                self._http(),
                Operation.from_json(row.config),
                interface.base_url,
                auth,
                cast("Telling", interface.tells_caller),
                row.timeout_s,
                row.max_result_chars,
                self._settings.tool_max_message_bytes,
            )
        return PythonTool(
            self.sandbox,
            row.code,
            read_code(row.code, row.config.get("function")),
            row.config.get("defaults", {}),
            _texts(open_values(self._cipher, row.id, row.secrets_sealed)),
            row.timeout_s,
            row.max_result_chars,
        )

    async def choices(self, scope: Scope) -> Sequence[Choice]:
        """All stored tools of the workspace."""
        async with self._database.transaction() as session:
            rows = await StoredToolRepository(session, scope).all()
            interfaces = {one.id: one for one in await ToolInterfaceRepository(session, scope).all()}
        return [_choice(row, interfaces.get(row.interface_id) if row.interface_id else None) for row in rows]

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = guarded_client(allow_private=self._settings.allow_private_endpoints)
        return self._client


def spec_of(row: StoredTool) -> ToolSpec:
    """A stored tool as it is offered."""
    return ToolSpec(
        id=f"{PREFIX}:{row.id}",
        name=row.name,
        description=row.description or row.title or row.name,
        parameters=row.parameters,
        origin="python" if row.kind == "python" else "http",
        title=row.title,
        read_only=row.read_only,
        ask_first=row.ask_first,
        timeout_s=row.timeout_s + _GRACE_S,
        max_result_chars=row.max_result_chars,
    )


def _choice(row: StoredTool, interface: ToolInterface | None) -> Choice:
    is_active = row.is_active and (interface is None or interface.is_active)
    if interface is None:
        return Choice(spec_of(row), is_active)
    return Choice(spec_of(row), is_active, f"{GROUP}{interface.id}", interface.name)


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def _as_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
