"""All tools there are, whatever their kind, put together for a run."""

import asyncio
import contextlib
from collections.abc import Sequence
from uuid import UUID

import structlog

from refdesk.accounts import Scope
from refdesk.gateway import Listener
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.tools.naming import told_apart
from refdesk.tools.registry import ToolRegistry, local_tools
from refdesk.tools.sandbox import Sandbox, SandboxLimits
from refdesk.tools.servers.connections import Connections
from refdesk.tools.servers.signing_in import SignIns
from refdesk.tools.servers.source import ServerSource
from refdesk.tools.sources import Choice, Opened, ToolSource
from refdesk.tools.spec import Tool
from refdesk.tools.stored.source import StoredSource
from refdesk.tools.toolbox import Toolbox, ToolProblem

log = structlog.get_logger(__name__)

CHANNEL = "refdesk_tools"
_TIDY_S = 60.0


class ToolService:
    """One a process. `registry` holds what comes with code, `servers` the tools of MCP servers, `stored`
    those of Python code and HTTP interfaces; other kinds join with `add_source`. `sandbox` runs programs."""

    def __init__(self, database: Database, settings: Settings, cipher: Cipher) -> None:
        self.registry = ToolRegistry()
        self.connections = Connections()
        self.servers = ServerSource(database, settings, cipher, self.connections)
        self.sandbox = Sandbox(
            concurrency=settings.sandbox_concurrency,
            limits=SandboxLimits(memory_bytes=settings.sandbox_memory_bytes),
        )
        self.stored = StoredSource(database, settings, cipher, self.sandbox)
        self.sign_ins = SignIns(database, cipher, self.servers.targets)
        self._sources: dict[str, ToolSource] = {
            self.servers.prefix: self.servers,
            self.stored.prefix: self.stored,
        }
        self._listener = Listener(database.url)
        self._listener.on(CHANNEL, self._changed)
        self._tidying: asyncio.Task[None] | None = None

    def add_source(self, source: ToolSource) -> None:
        """Offer the tools of another kind."""
        self._sources[source.prefix] = source

    async def start(self) -> None:
        """Find the tools of installed packages, and listen for changes that other processes make."""
        for tool in local_tools():
            self.registry.register(tool)
        log.info("tools.found", local=self.registry.size())
        self._listener.start()
        self._tidying = asyncio.create_task(self._tidy(), name="tools-tidy")

    async def close(self) -> None:
        """Close all connections."""
        if self._tidying is not None:
            self._tidying.cancel()
            await asyncio.wait([self._tidying])
        await self.sign_ins.close()
        await self._listener.close()
        await self.connections.close()
        await self.stored.close()

    async def toolbox(self, scope: Scope, chosen: Sequence[str]) -> Toolbox:
        """The chosen tools, ready to be called: ids of tools, `mcp:<server id>` for all tools of a server, or
        plain names (`order_query`) where a tool of the workspace has that one.

        Never raises for a tool or a server that is missing or fails: that is a problem of the toolbox.
        """
        entries = list(dict.fromkeys(chosen))
        if not entries:
            return Toolbox()
        tools: list[Tool] = []
        problems: list[ToolProblem] = []
        ids, unknown = await self._as_ids(scope, entries)
        problems += unknown
        by_source: dict[str, list[str]] = {}
        for entry in ids:
            registered = self.registry.find(entry)
            prefix = entry.partition(":")[0]
            if registered is not None:
                tools.append(registered)
            elif prefix in self._sources:
                by_source.setdefault(prefix, []).append(entry)
            else:
                problems.append(ToolProblem(entry, "tool-not-found", "There is no such tool."))
        opened: list[Opened] = await asyncio.gather(
            *(self._sources[prefix].open(scope, its) for prefix, its in by_source.items())
        )
        for each in opened:
            tools += each.tools
            problems += each.problems
        return Toolbox(told_apart(tools), problems)

    async def choices(self, scope: Scope) -> list[Choice]:
        """Everything that can be chosen in the workspace, without asking anybody else's server."""
        found = [Choice(tool.spec) for tool in self.registry.list()]
        for source in self._sources.values():
            found += await source.choices(scope)
        return found

    async def _as_ids(self, scope: Scope, entries: Sequence[str]) -> tuple[list[str], list[ToolProblem]]:
        """Entries with plain names replaced by the ids of the tools that have them."""
        if all(":" in entry or self.registry.contains(entry) for entry in entries):
            return list(entries), []
        by_name: dict[str, str] = {}
        for choice in await self.choices(scope):
            if choice.is_active:
                plain = choice.spec.id.rpartition(":")[2]
                for name in (choice.spec.name, plain):
                    by_name.setdefault(name, choice.spec.id)
        ids: list[str] = []
        problems: list[ToolProblem] = []
        for entry in entries:
            if ":" in entry or self.registry.contains(entry):
                ids.append(entry)
            elif entry in by_name:
                ids.append(by_name[entry])
            else:
                problems.append(ToolProblem(entry, "tool-not-found", "There is no such tool."))
        return list(dict.fromkeys(ids)), problems

    def _changed(self, server_id: str) -> None:
        if not server_id:  # anything may have happened while nobody listened
            self.connections.forget_all()
            return
        with contextlib.suppress(ValueError):
            self.connections.forget(UUID(server_id))

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(_TIDY_S)
            self.connections.close_idle()
