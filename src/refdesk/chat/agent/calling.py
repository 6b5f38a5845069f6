"""The calls of one round: read, judged, run at once, each with a result whatever happens (A9, A10).

A call is made only of a tool that was offered and, where the tool asks first, only once a person agreed. The
same call again gets the first one's result with a note.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from refdesk.chat.agent.transcript import Called
from refdesk.chat.language import Language
from refdesk.chat.recorder import RunRecorder
from refdesk.gateway import ToolCall
from refdesk.tools import Toolbox, ToolCaller, ToolFault, ToolResult, ToolSpec
from refdesk.tools.arguments import check_arguments, read_arguments

SEARCH = "builtin:search_documents"
# What of a result is told in events and in one line once its round is old.
SHOWN_CHARS = 4_000
DIGEST_CHARS = 160
SUBJECT_CHARS = 120
# Tools of the working directory: what they give depends on what was done before, not on their arguments.
STATEFUL = "workdir:"

_AGAIN: dict[Language, str] = {
    "zh": "此调用与之前的一次完全相同，以下为那一次的结果；请换用不同的参数，或直接回答",
    "en": "The same call was made before; this is its result. Change the arguments or answer",
}
_REFUSED: dict[Language, str] = {
    "zh": "用户不同意执行此操作",
    "en": "the user did not agree to this call",
}
_TOO_MANY: dict[Language, str] = {
    "zh": "一轮中的调用过多，此调用未执行",
    "en": "too many calls in one round; this one was not made",
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A call as it was read: its arguments, or why it will not be made. `way` tells how they were read."""

    call: ToolCall
    spec: ToolSpec | None = None
    arguments: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    refusal: str | None = None
    way: str = ""

    @property
    def asks_first(self) -> bool:
        return self.refusal is None and self.spec is not None and self.spec.ask_first

    @property
    def key(self) -> str:
        arguments = json.dumps(self.arguments, sort_keys=True, ensure_ascii=False, default=str)
        return f"{self.call.name}\n{arguments}"


def error_text(message: str) -> str:
    """An error as a model reads it."""
    return json.dumps({"error": message}, ensure_ascii=False)


def plan(call: ToolCall, toolbox: Toolbox, offered: Iterable[ToolSpec]) -> Planned:
    """Read a call. What is not among the offered tools is unknown."""
    spec = next((one for one in offered if one.name == call.name), None)
    if spec is None:
        reason = "can no longer be used" if toolbox.find(call.name) is not None else None
        message = f"tool {call.name} {reason}" if reason else f"unknown tool: {call.name}"
        return Planned(call, refusal=message)
    read = read_arguments(
        call.arguments, spec.parameters, fallback_key="query" if spec.id == SEARCH else None
    )
    if not read.ok:
        return Planned(call, spec, refusal=f"the arguments could not be read: {read.reason}", way=read.way)
    checked = check_arguments(read.values, _unbounded(spec))
    if checked.missing or checked.faults:
        told = [f"missing: {name}" for name in checked.missing]
        told += [f"{fault.name}: {fault.message}" for fault in checked.faults]
        return Planned(call, spec, read.values, "; ".join(told), read.way)
    return Planned(call, spec, _within_bounds(checked.values, spec), way=read.way)


def _properties(spec: ToolSpec) -> Mapping[str, Mapping[str, Any]]:
    return cast("Mapping[str, Mapping[str, Any]]", spec.parameters.get("properties", {}))


def _unbounded(spec: ToolSpec) -> Mapping[str, Any]:
    """The schema of one of our own tools without the bounds of numbers, which `_within_bounds` keeps."""
    if spec.origin != "builtin":
        return spec.parameters
    free = {
        name: {key: one for key, one in part.items() if key not in ("minimum", "maximum")}
        for name, part in _properties(spec).items()
    }
    return {**spec.parameters, "properties": free}


def _within_bounds(values: Mapping[str, Any], spec: ToolSpec) -> Mapping[str, Any]:
    """Asking one of our own tools for ten results, where five are the most, means five."""
    if spec.origin != "builtin":
        return values
    kept = dict(values)
    for name, value in values.items():
        bounds = _properties(spec).get(name, {})
        if isinstance(value, int) and not isinstance(value, bool):
            kept[name] = min(max(value, bounds.get("minimum", value)), bounds.get("maximum", value))
    return kept


@dataclass(slots=True)
class CallDesk:
    """Makes the calls of one run. `results` are those so far, by call, for calls that are repeated."""

    toolbox: Toolbox
    caller: ToolCaller
    recorder: RunRecorder
    language: Language
    most: int = 8
    number: Callable[[ToolSpec, str], int | None] = lambda _spec, _text: None
    _results: dict[str, ToolResult] = field(default_factory=dict[str, ToolResult])

    async def make(self, planned: Sequence[Planned]) -> list[Called | None]:
        """The results in the order of the calls; None for one that waits for a person's agreement."""
        first: dict[str, int] = {}
        tasks: list[asyncio.Task[Called] | None] = []
        for at, one in enumerate(planned):
            before = first.setdefault(one.key, at)
            if one.asks_first:
                tasks.append(None)
            elif before != at and not _is_stateful(one):
                tasks.append(asyncio.create_task(self._after(tasks[before], one)))
            else:
                tasks.append(asyncio.create_task(self._one(one, at)))
        try:
            return [await task if task is not None else None for task in tasks]
        finally:
            for task in tasks:
                if task is not None:
                    task.cancel()

    async def agreed(self, planned: Planned, *, approve: bool) -> Called:
        """The call a person was asked about."""
        if approve:
            return await self._one(planned, 0)
        self._tell_call(planned)
        return self._finished(planned, _fault("refused", _REFUSED[self.language]))

    async def _after(self, task: "asyncio.Task[Called] | None", planned: Planned) -> Called:
        if task is not None:
            await asyncio.wait([task])
        return await self._one(planned, 0)

    async def _one(self, planned: Planned, at: int) -> Called:
        self._tell_call(planned)
        if at >= self.most:
            return self._finished(planned, _fault("too-many", _TOO_MANY[self.language]))
        if planned.refusal is not None:
            code = "unknown-tool" if planned.spec is None else "arguments-invalid"
            return self._finished(planned, _fault(code, planned.refusal))
        known = None if _is_stateful(planned) else self._results.get(planned.key)
        if known is not None:
            return self._finished(planned, known, again=True)
        result = await self.toolbox.call(planned.call.name, planned.arguments, self.caller)
        if result.ok:
            self._results[planned.key] = result
        return self._finished(planned, result)

    def _tell_call(self, planned: Planned) -> None:
        call = planned.call
        arguments = dict(planned.arguments)
        if planned.refusal is not None and not arguments:
            arguments = {"": call.arguments[:SHOWN_CHARS]}  # as it was written, since it could not be read
        self.recorder.tool_call(
            {"id": call.id, "tool": call.name, "title": _title(planned), "arguments": arguments}
        )

    def _finished(self, planned: Planned, result: ToolResult, *, again: bool = False) -> Called:
        call, fault = planned.call, result.fault
        content = error_text(fault.message) if fault is not None else result.text
        if result.ok and planned.spec is not None:
            content = _numbered(content, self.number(planned.spec, content))
        if again:
            content = _noted(content, _AGAIN[self.language])
        self.recorder.tool_result(
            {
                "id": call.id,
                "tool": call.name,
                "title": _title(planned),
                "ok": result.ok,
                "repeated": again,
                "text": content[:SHOWN_CHARS],
                "fault": {"code": fault.code, "message": fault.message} if fault is not None else None,
                "elapsed_ms": 0.0 if again else result.elapsed_ms,
            }
        )
        subject = str(result.details.get("subject") or _one_line(call.arguments, SUBJECT_CHARS))
        digest = str(result.details.get("digest") or _one_line(content, DIGEST_CHARS))
        sent = _sendable(planned)
        return Called(call.id, call.name, sent, content, subject, digest, call.state, result.ok)


def _fault(code: str, message: str) -> ToolResult:
    return ToolResult("", fault=ToolFault(code, message))


def _title(planned: Planned) -> str:
    return (planned.spec.title if planned.spec is not None else "") or planned.call.name


def _is_stateful(planned: Planned) -> bool:
    return planned.spec is not None and planned.spec.id.startswith(STATEFUL)


def _sendable(planned: Planned) -> str:
    """The arguments as they are sent back: as written where that is JSON, else what was read of them, since
    some vendors take objects only."""
    if planned.way in ("strict", "") and _is_object(planned.call.arguments):
        return planned.call.arguments
    return json.dumps(dict(planned.arguments), ensure_ascii=False, default=str)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _numbered(content: str, n: int | None) -> str:
    """A result with the number it is cited by, where passages of a search have theirs."""
    if n is None:
        return content
    if not _is_object(content):
        return f"n = {n}\n{content}"
    result = json.loads(content)
    return json.dumps({"n": n, "result": result} if "n" in result else {"n": n} | result, ensure_ascii=False)


def unnumbered(result: str) -> str:
    """A numbered result without its number, which is no figure that an answer may rest on."""
    return re.sub(r'"n": \d+(?:, )?|^n = \d+\n', "", result, count=1)


def _noted(content: str, note: str) -> str:
    if _is_object(content):
        return json.dumps({"note": note} | json.loads(content), ensure_ascii=False)
    return f"{note}\n{content}"


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
