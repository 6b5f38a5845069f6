"""Keeping Python tools, and what all stored tools have in common."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.kit.crypto import Cipher
from refdesk.kit.ids import new_id
from refdesk.tools.arguments import problem_of_schema
from refdesk.tools.python.code import OWN_NAMES, CodeReading, read_code
from refdesk.tools.servers.secrets import open_values, seal_values
from refdesk.tools.stored.errors import ToolSchemaInvalid
from refdesk.tools.stored.repository import StoredToolRepository
from refdesk.tools.stored.schemas import (
    NewPythonTool,
    StoredToolChange,
    StoredToolVersionView,
    StoredToolView,
    given_secrets,
)
from refdesk.tools.stored.tables import StoredTool, StoredToolVersion
from refdesk.tools.stored.views import tool_view, version_view

_AUDITED = "stored_tool"
_PLAIN = (
    "name",
    "title",
    "description",
    "is_active",
    "ask_first",
    "read_only",
    "timeout_s",
    "max_result_chars",
)


@dataclass(frozen=True, slots=True)
class StoredTools:
    """The verbs on stored tools of the caller's workspace."""

    session: AsyncSession
    scope: Scope
    cipher: Cipher

    @property
    def _rows(self) -> StoredToolRepository:
        return StoredToolRepository(self.session, self.scope)

    async def all(self, kind: str | None = None) -> list[StoredToolView]:
        """By name."""
        return [tool_view(tool, self.cipher) for tool in await self._rows.all(kind)]

    async def get(self, tool_id: UUID) -> StoredToolView:
        """Raises `ToolNotFound`."""
        return tool_view(await self._rows.get(tool_id), self.cipher)

    async def create(self, draft: NewPythonTool) -> StoredToolView:
        """Raises `ToolCodeInvalid`, `ToolSchemaInvalid`, `StoredToolExists`."""
        reading = read_code(draft.code, draft.function)
        secrets = {name: value for name, value in given_secrets(draft.secrets).items() if value is not None}
        tool = StoredTool(
            id=new_id(),
            kind="python",
            parameters=checked_parameters(reading, draft.parameters, draft.defaults, secrets),
            config={"code": draft.code, "function": reading.function, "defaults": draft.defaults},
            created_by=self.scope.user_id,
            **draft.model_dump(include=set(_PLAIN)),
        )
        tool.description = tool.description or reading.description
        tool.secrets_sealed = seal_values(self.cipher, tool.id, secrets)
        await self._rows.add(tool)
        self._audit("create", tool)
        await self.session.refresh(tool)
        return tool_view(tool, self.cipher)

    async def change(self, tool_id: UUID, change: StoredToolChange) -> StoredToolView:
        """Apply the members that are present.

        Raises `ToolNotFound`, `ToolCodeInvalid`, `ToolSchemaInvalid`, `StoredToolExists`.
        """
        tool = await self._rows.get(tool_id, lock=True)
        if change.changes_code or change.secrets is not None:
            if tool.kind != "python":
                raise ToolSchemaInvalid("The operation of an HTTP tool cannot be changed here.")
            await self._change_code(tool, change)
        for name in change.model_fields_set & set(_PLAIN):
            if (value := getattr(change, name)) is not None:
                setattr(tool, name, value)
        await self._rows.changed(tool)
        self._audit("change", tool, changed=sorted(change.model_fields_set))
        return tool_view(tool, self.cipher)

    async def delete(self, tool_id: UUID) -> None:
        """Raises `ToolNotFound`."""
        tool = await self._rows.get(tool_id, lock=True)
        self._audit("delete", tool)
        await self._rows.delete(tool)

    async def versions(self, tool_id: UUID) -> list[StoredToolVersionView]:
        """What the tool was before, the latest first. Raises `ToolNotFound`."""
        await self._rows.get(tool_id)
        return [version_view(one) for one in await self._rows.versions(tool_id)]

    async def secrets_of(self, tool_id: UUID) -> dict[str, str]:
        """The secrets of a Python tool, to try changed code with. Raises `ToolNotFound`."""
        tool = await self._rows.get(tool_id)
        return open_values(self.cipher, tool.id, tool.secrets_sealed) if tool.kind == "python" else {}

    async def _change_code(self, tool: StoredTool, change: StoredToolChange) -> None:
        before = {"parameters": tool.parameters, "config": tool.config}
        code = change.code if change.code is not None else tool.code
        given = change.model_fields_set
        defaults = change.defaults if change.defaults is not None else tool.config["defaults"]
        function = (
            change.function if "function" in given else None if "code" in given else tool.config["function"]
        )
        reading = read_code(code, function)
        secrets = open_values(self.cipher, tool.id, tool.secrets_sealed)
        for name, value in given_secrets(change.secrets or {}).items():
            if value is None:
                secrets.pop(name, None)
            else:
                secrets[name] = value
        wanted = change.parameters if "parameters" in given else None if "code" in given else tool.parameters
        parameters = checked_parameters(reading, wanted, defaults, secrets)
        config = {"code": code, "function": reading.function, "defaults": defaults}
        if before != {"parameters": parameters, "config": config}:
            await self._rows.keep_version(
                StoredToolVersion(
                    id=new_id(),
                    tool_id=tool.id,
                    version=tool.version,
                    content=before,
                    changed_by=self.scope.user_id,
                )
            )
            tool.version += 1
        tool.parameters, tool.config = parameters, config
        tool.secrets_sealed = seal_values(self.cipher, tool.id, secrets)

    def _audit(self, verb: str, tool: StoredTool, **details: Any) -> None:
        told = {"name": tool.name, "kind": tool.kind, "version": tool.version, **details}
        audit(self.session, self.scope, f"stored-tool.{verb}", (_AUDITED, tool.id), **told)


def checked_parameters(
    reading: CodeReading,
    parameters: Mapping[str, Any] | None,
    defaults: Mapping[str, Any],
    secrets: Mapping[str, Any],
) -> dict[str, Any]:
    """The schema of the arguments: the given one, or the code's without what secrets and defaults give.

    Raises `ToolSchemaInvalid` where a model could set a secret, or code and schema do not fit.
    """
    ours = OWN_NAMES | set(secrets)
    if parameters is None:
        hidden = ours | set(defaults)
        known = {name: part for name, part in reading.parameters["properties"].items() if name not in hidden}
        required = [name for name in reading.parameters.get("required", ()) if name in known]
        made: dict[str, Any] = {"type": "object", "properties": known}
        return made | {"required": required} if required else made
    problem = problem_of_schema(parameters)
    if problem is not None:
        raise ToolSchemaInvalid(problem, reason=problem)
    names = set(parameters.get("properties", {}))
    if names & ours:
        raise ToolSchemaInvalid("A secret cannot be an argument as well.", names=sorted(names & ours))
    if not reading.takes_any and (unknown := names - set(reading.names)):
        raise ToolSchemaInvalid(
            f"The function {reading.function} does not take {', '.join(sorted(unknown))}.",
            names=sorted(unknown),
        )
    return dict(parameters)
