"""The tool `query_…` of each external source that its owner lets be read with SQL.

Reading, its limits and its rights are `retrieval.external`'s; here is only what a model sees of it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.gateway import Gateway
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.retrieval import ExternalSource, ExternalSourceRepository, ExternalSources, allows_sql
from refdesk.tools.sources import Choice, Opened
from refdesk.tools.spec import Tool, ToolCaller, ToolResult, ToolSpec
from refdesk.tools.toolbox import ToolProblem

PREFIX = "database"
_NAME = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class QueryDatabase:
    """Its executor; the rights are those of the scope it is called with."""

    source: "DatabaseSource"
    source_id: UUID

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        rows = await self.source.of(caller.scope).query(self.source_id, str(arguments["sql"]))
        data = {"columns": list(rows.columns), "rows": rows.rows, "truncated": rows.truncated}
        return ToolResult(json.dumps(data, ensure_ascii=False), data)


class DatabaseSource:
    """Databases of the workspace as a kind of tools."""

    prefix = PREFIX

    def __init__(self, database: Database, gateway: Gateway, settings: Settings, cipher: Cipher) -> None:
        self._database = database
        self._gateway = gateway
        self._settings = settings
        self._cipher = cipher

    def of(self, scope: Scope) -> ExternalSources:
        return ExternalSources(self._database, scope, self._gateway, self._cipher, self._settings)

    async def open(self, scope: Scope, chosen: Sequence[str]) -> Opened:
        known = {f"{PREFIX}:{row.id}": row for row in await self._rows(scope)}
        tools = [
            Tool(_spec(known[entry]), QueryDatabase(self, known[entry].id))
            for entry in chosen
            if entry in known
        ]
        missing = [
            ToolProblem(entry, "tool-not-found", "There is no such database that may be read with SQL.")
            for entry in chosen
            if entry not in known
        ]
        return Opened(tools, missing)

    async def choices(self, scope: Scope) -> Sequence[Choice]:
        return [Choice(_spec(row)) for row in await self._rows(scope)]

    async def _rows(self, scope: Scope) -> list[ExternalSource]:
        async with self._database.transaction() as session:
            rows = await ExternalSourceRepository(session, scope).all()
        return [row for row in rows if allows_sql(row)]


def _spec(row: ExternalSource) -> ToolSpec:
    config = row.config
    columns = [config["id_column"], config.get("title_column"), *config["text_columns"]]
    columns += config.get("metadata_columns", [])
    named = ", ".join(dict.fromkeys(str(one) for one in columns if one))
    table = f"{config.get('schema_name', 'public')}.{config['table']}"
    plain = _NAME.sub("_", row.name).strip("_").lower() or row.id.hex[:8]
    return ToolSpec(
        id=f"{PREFIX}:{row.id}",
        name=f"query_{plain}"[:64],
        description=(
            f"Read-only SQL on the database “{row.name}” (PostgreSQL): one SELECT, at most 100 rows. Known"
            f" table: {table} ({named}); information_schema lists others. Always limit and name columns."
        ),
        parameters={
            "type": "object",
            "properties": {"sql": {"type": "string", "minLength": 1, "description": "one SELECT statement"}},
            "required": ["sql"],
            "additionalProperties": False,
        },
        origin="builtin",
        title=row.name,
        read_only=True,
        timeout_s=row.timeout_s + 5,
    )
