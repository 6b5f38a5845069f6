"""The tools of MCP servers, as one of the kinds a run may use."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings
from refdesk.tools.naming import namespaced
from refdesk.tools.servers.calling import ServerTool
from refdesk.tools.servers.connections import Connections
from refdesk.tools.servers.listing import Listing, OfferedTool
from refdesk.tools.servers.repository import ToolCredentialRepository, ToolServerRepository
from refdesk.tools.servers.target import Target
from refdesk.tools.servers.targets import TargetMaker
from refdesk.tools.sources import Choice, Opened
from refdesk.tools.spec import Tool, ToolSpec
from refdesk.tools.tables import ToolServer
from refdesk.tools.toolbox import ToolProblem

PREFIX = "mcp"


def setting_of(server: ToolServer, tool: OfferedTool) -> dict[str, Any]:
    """How the tool is to be treated: `{is_active, ask_first}`, or nothing."""
    return server.tool_settings.get(tool.name) or {}


def spec_of(server: ToolServer, tool: OfferedTool) -> ToolSpec:
    """A tool of a server as it is offered."""
    asks = setting_of(server, tool).get("ask_first")
    if asks is None:
        asks = server.asks == "always" or (server.asks == "changes" and not tool.read_only)
    return ToolSpec(
        id=f"{PREFIX}:{server.id}:{tool.name}",
        name=namespaced(server.name, tool.name),
        title=tool.title,
        description=tool.description or tool.title,
        parameters=tool.parameters,
        origin="mcp",
        read_only=tool.read_only,
        ask_first=bool(asks),
        timeout_s=server.timeout_s,
        max_result_chars=server.max_result_chars,
    )


def is_active(server: ToolServer, tool: OfferedTool) -> bool:
    """Whether the tool is switched on."""
    return server.is_active and setting_of(server, tool).get("is_active", True) is not False


def listing_of(server: ToolServer) -> Listing:
    """What the server offered when it was asked last."""
    return Listing.from_json(server.listing) if server.listing else Listing()


class ServerSource:
    """Opens tools of servers on the connections of this process."""

    prefix = PREFIX

    def __init__(
        self, database: Database, settings: Settings, cipher: Cipher, connections: Connections
    ) -> None:
        self._database = database
        self._connections = connections
        self.targets = TargetMaker(settings, cipher, database)

    async def open(self, scope: Scope, chosen: Sequence[str]) -> Opened:
        """`chosen` are `mcp:<server>` for all its tools and `mcp:<server>:<tool>`; a server is an id or, so
        that settings can move between workspaces, a name."""
        wanted: dict[str, set[str] | None] = {}
        for entry in chosen:
            _, _, rest = entry.partition(":")
            place, _, tool = rest.partition(":")
            known = wanted.get(place, set())
            wanted[place] = None if not tool or known is None else {*known, tool}
        ids = [found for place in wanted if (found := _as_id(place)) is not None]
        async with self._database.transaction() as session:
            servers = await ToolServerRepository(session, scope).chosen(ids, list(wanted))
            credentials = await ToolCredentialRepository(session, scope).of(
                [server.id for server in servers], scope.user_id
            )
        problems: list[ToolProblem] = []
        opening: list[tuple[ToolServer, Target, set[str] | None]] = []
        found = {str(server.id): server for server in servers} | {server.name: server for server in servers}
        for place, tools in wanted.items():
            server = found.get(place)
            if server is None:
                problems.append(ToolProblem(place, "tool-server-not-found", "There is no such tool server."))
            elif not server.is_active:
                problems.append(ToolProblem(server.name, "tool-inactive", "The tool server is switched off."))
            else:
                try:
                    opening.append((server, self.targets.of(server, credentials, scope), tools))
                except AppError as error:
                    problems.append(ToolProblem(server.name, error.code, error.text))
        opened = await asyncio.gather(*(self._open(scope, *each) for each in opening))
        return Opened(
            [tool for each in opened for tool in each.tools],
            [*problems, *(problem for each in opened for problem in each.problems)],
        )

    async def _open(
        self, scope: Scope, server: ToolServer, target: Target, wanted: set[str] | None
    ) -> Opened:
        try:
            listing = await self.listed(scope, server, target)
        except AppError as error:
            return Opened(problems=[ToolProblem(server.name, error.code, error.text)])
        config = server.config
        tools = [
            Tool(
                spec_of(server, tool),
                ServerTool(
                    self._connections,
                    target,
                    tool.name,
                    tool.repeatable,
                    config.get("tells_caller", "ids"),
                ),
            )
            for tool in listing.tools
            if is_active(server, tool) and (wanted is None or tool.name in wanted)
        ]
        missing = (wanted or set()) - {tool.name for tool in listing.tools}
        problems = [
            ToolProblem(f"{server.name}: {name}", "tool-not-found", "The server no longer offers this tool.")
            for name in sorted(missing)
        ]
        return Opened(tools, problems)

    async def listed(
        self, scope: Scope, server: ToolServer, target: Target, *, is_check: bool = False
    ) -> Listing:
        """What the server offers. How asking went is kept where it is news, and always of a check.

        Raises why it failed.
        """
        began = time.perf_counter()
        health = server.health or {}
        try:
            listing, is_new = await self._connections.listing(target)
        except AppError as error:
            if is_check or health.get("code") != error.code or health.get("message") != error.text:
                await self._note(scope, server, began, None, error)
            raise
        if is_new and (is_check or health.get("digest") != listing.digest()):
            await self._note(scope, server, began, listing, None)
        return listing

    async def _note(
        self, scope: Scope, server: ToolServer, began: float, listing: Listing | None, error: AppError | None
    ) -> None:
        health = {
            "state": "connected" if error is None else "failed",
            "code": error.code if error is not None else None,
            "message": error.text if error is not None else None,
            "hint": error.hint_text if error is not None else None,
            "at": now().isoformat(),
            "took_ms": round((time.perf_counter() - began) * 1000, 1),
            "tools": len(listing.tools) if listing is not None else 0,
            "digest": listing.digest() if listing is not None else None,
        }
        async with self._database.transaction() as session:
            await ToolServerRepository(session, scope).note(
                server.id, server.version, health, listing.as_json() if listing is not None else None
            )

    async def choices(self, scope: Scope) -> Sequence[Choice]:
        """The tools that servers offered when they were asked last."""
        async with self._database.transaction() as session:
            servers = await ToolServerRepository(session, scope).all()
        return [
            Choice(
                spec=spec_of(server, tool),
                is_active=is_active(server, tool),
                group_id=f"{PREFIX}:{server.id}",
                group_name=server.name,
                state="failed" if (server.health or {}).get("state") == "failed" else "ready",
                problem=(server.health or {}).get("message"),
            )
            for server in servers
            for tool in listing_of(server).tools
        ]


def _as_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
