"""Calling a tool of a tool server, on a connection that may have to be made anew."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from refdesk.tools.servers.caller_headers import (
    EXCHANGE,
    Exchange,
    Telling,
    as_headers,
    as_meta,
    facts_of,
)
from refdesk.tools.servers.connections import Connections
from refdesk.tools.servers.results import result_of
from refdesk.tools.servers.target import Target
from refdesk.tools.spec import ToolCaller, ToolResult


@dataclass(frozen=True, slots=True)
class ServerTool:
    """The executor of one tool. `repeatable`: a call whose fate is not known may be made again."""

    connections: Connections
    target: Target
    name: str
    repeatable: bool
    tells_caller: Telling

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        """Call the tool. A session the server has forgotten, or a connection that was gone before the call,
        costs one more attempt. Raises `ToolServerFailed`s."""
        facts = facts_of(caller, self.tells_caller)
        attempts = 2
        while True:
            attempts -= 1
            connection = await self.connections.get(self.target)
            exchange = Exchange(as_headers(facts))
            token = EXCHANGE.set(exchange)
            try:
                raw = await connection.call(self.name, dict(arguments), as_meta(facts))
            except Exception as error:
                failure = connection.failure(error)
                is_forgotten = exchange.status == 404
                if is_forgotten:
                    connection.drop()
                is_harmless = is_forgotten or not exchange.was_sent or self.repeatable
                if attempts and is_harmless and not connection.is_open:
                    continue
                raise failure from error
            finally:
                EXCHANGE.reset(token)
            return result_of(raw, {"server": self.target.name, "tool": self.name})
