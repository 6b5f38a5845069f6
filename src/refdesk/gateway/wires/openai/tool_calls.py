"""Putting a streamed tool call together, whatever the vendor's cuts."""

from dataclasses import dataclass
from typing import Any

import orjson

from refdesk.gateway.calls import ToolCall
from refdesk.gateway.wires.completer import words


@dataclass(slots=True)
class _Partial:
    id: str
    name: str
    arguments: str


class ToolCallAssembler:
    """Joins fragments by index, by id, or as whole calls.

    A fragment with a new, different id starts a new call even under an index already in use: some vendors
    number every call 0. A fragment with neither index nor id continues the last call.
    """

    def __init__(self) -> None:
        self._calls: list[_Partial] = []
        self._by_index: dict[int, _Partial] = {}

    def feed(self, fragment: dict[str, Any]) -> None:
        function: dict[str, Any] = fragment.get("function") or {}
        call = self._find(fragment.get("index"), words(fragment.get("id") or ""))
        name = words(function.get("name") or "")
        if name != call.name:
            call.name += name
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call.arguments += arguments
        elif arguments is not None:
            call.arguments = orjson.dumps(arguments).decode()

    def feed_legacy(self, function_call: dict[str, Any]) -> None:
        """The single `function_call` of the first API, streamed the same way."""
        self.feed({"index": 0, "function": function_call})

    def finish(self) -> list[ToolCall]:
        """All calls that have a name, in order of their first fragment."""
        return [
            ToolCall(call.id or f"call_{number}", call.name, call.arguments or "{}")
            for number, call in enumerate(self._calls)
            if call.name
        ]

    @property
    def empty(self) -> bool:
        return not self._calls

    def _find(self, index: Any, call_id: str) -> _Partial:
        if isinstance(index, int) and (known := self._by_index.get(index)) is not None:
            if not call_id or not known.id or known.id == call_id:
                known.id = known.id or call_id
                return known
        elif index is None and not call_id and self._calls:
            return self._calls[-1]
        elif index is None and call_id:
            for call in self._calls:
                if call.id == call_id:
                    return call
        started = _Partial(call_id, "", "")
        self._calls.append(started)
        if isinstance(index, int):
            self._by_index[index] = started
        return started
