"""Tool calls through our layer, on cases in the format of the Berkeley Function Calling Leaderboard.

    python -m benchmarks.tool_choice path/to/bfcl.jsonl [--json]

No model runs here. The recorded outputs are made of the ground truth by mangling it in ways that models and
vendors do (named in the table), so what is measured is reading, coercing and checking of arguments, and that
nothing is called where nothing should be: a plain answer, or a call of a tool that was not offered.
"""

import argparse
import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.agent import plan
from refdesk.chat.agent.calling import CallDesk
from refdesk.chat.agent.loop import AgentLoop
from refdesk.chat.agent.sources import SourceBook
from refdesk.chat.agent.writing import AnswerWriter
from refdesk.chat.journal import RunJournal
from refdesk.chat.recorder import RunRecorder
from refdesk.gateway import (
    Completion,
    CompletionEvent,
    CompletionRequest,
    Finished,
    TextDelta,
    ToolCall,
    ToolCallReady,
)
from refdesk.kit.ids import new_id
from refdesk.tools import Tool, Toolbox, ToolCaller, ToolResult, ToolSpec

_TYPES = {"dict": "object", "float": "number", "tuple": "array"}


def as_schema(part: Any) -> Any:
    """A schema of the leaderboard as JSON Schema."""
    if isinstance(part, list):
        return [as_schema(one) for one in part]
    if not isinstance(part, dict):
        return part
    made = {key: as_schema(value) for key, value in part.items() if key != "default"}
    kind = part.get("type")
    if kind == "any":
        made.pop("type")
    elif isinstance(kind, str):
        made["type"] = _TYPES.get(kind, kind)
    return made


def specs_of(functions: list[dict[str, Any]]) -> list[ToolSpec]:
    return [
        ToolSpec(
            f"tool:{one['name']}",
            one["name"],
            one.get("description", ""),
            as_schema(one["parameters"]),
            "http",
        )
        for one in functions
    ]


def said(truth: Mapping[str, list[Any]]) -> dict[str, Any]:
    """The arguments that a good model writes: the first allowed value of each, optional ones left out."""
    chosen: dict[str, Any] = {}
    for name, allowed in truth.items():
        values = [value for value in allowed if value != ""]
        if values and "" not in allowed:
            chosen[name] = _plain(values[0])
    return chosen


def _plain(value: Any) -> Any:
    """Nested truths are lists of allowed values too."""
    if isinstance(value, dict):
        return {
            key: _plain(next((one for one in allowed if one != ""), ""))
            if isinstance(allowed, list)
            else allowed
            for key, allowed in value.items()
            if not (isinstance(allowed, list) and "" in allowed)
        }
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value


def _strict(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)


MANNERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "strict JSON": _strict,
    "trailing comma": lambda v: _strict(v)[:-1] + ",}",
    "closing brace missing": lambda v: _strict(v)[:-1],
    "single quotes": lambda v: repr(v),
    "names without quotes": lambda v: re.sub(r'"(\w+)": ', r"\1: ", _strict(v)),
    "in a code fence": lambda v: f"```json\n{json.dumps(v, ensure_ascii=False, indent=2)}\n```",
    "words before it": lambda v: f"Sure, here are the arguments:\n{_strict(v)}",
    "raw line break in a text": lambda v: re.sub(r"(?<=\w) (?=\w)", "\n", _strict(v), count=1),
    "JSON within a string": lambda v: json.dumps(_strict(v)),
    "numbers as strings": lambda v: _strict({k: _as_text(x) for k, x in v.items()}),
}


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def agrees(values: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(name in values and _same(values[name], one) for name, one in wanted.items()) and not (
        values.keys() - wanted.keys()
    )


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        return abs(found - wanted) < 1e-9
    return found == wanted or str(found).split() == str(wanted).split()


class Recorded:
    """Says one thing that was recorded, then a last word."""

    model_id = UUID(int=1)
    model_name = "recorded"
    context_tokens = 100_000

    def __init__(self, call: ToolCall | None) -> None:
        self._call = call

    async def stream(self, request: CompletionRequest) -> AsyncIterator[CompletionEvent]:
        call, self._call = self._call, None
        yield ToolCallReady(call) if call is not None else TextDelta("None of the tools can do this.")
        yield Finished("tool_calls" if call is not None else "stop")

    async def complete(self, request: CompletionRequest) -> Completion:
        raise NotImplementedError


class Counting:
    def __init__(self) -> None:
        self.calls = 0

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        self.calls += 1
        return ToolResult("{}")


async def calls_made(specs: list[ToolSpec], call: ToolCall | None) -> tuple[int, str]:
    """How many tools were really called, and the answer."""
    counting, recorder, book = Counting(), RunRecorder(RunJournal(new_id())), SourceBook()
    box = Toolbox([Tool(spec, counting) for spec in specs])
    loop = AgentLoop(
        completer=Recorded(call),
        desk=CallDesk(box, ToolCaller(Scope.system(UUID(int=1))), recorder, "en"),
        recorder=recorder,
        writer=AnswerWriter(recorder, book, "en"),
        language="en",
        system="Rules.",
        question="?",
    )
    await loop.run()
    return counting.calls, recorder.answer


async def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("cases", type=Path)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    right: dict[str, int] = defaultdict(int)
    made: dict[str, int] = defaultdict(int)
    total = irrelevant = kept = 0
    spent = 0.0
    for line in given.cases.read_text().splitlines():
        case = json.loads(line)
        if case.get("expect_no_call"):
            specs = specs_of(case["functions"])
            for call in (None, ToolCall("a", "answer_the_question", '{"question": "?"}')):
                irrelevant += 1
                count, answer = await calls_made(specs, call)
                kept += count == 0 and bool(answer)
        elif case["ground_truth"] and isinstance(case["ground_truth"][0], dict):
            specs = specs_of(case["functions"])
            box = Toolbox()
            for wanted in case["ground_truth"]:
                ((name, truth),) = wanted.items()
                values = said(truth)
                total += 1
                for manner, mangle in MANNERS.items():
                    raw = mangle(values)
                    began = time.perf_counter()
                    planned = plan(ToolCall("a", name, raw), box, specs)
                    spent += time.perf_counter() - began
                    made[manner] += planned.refusal is None
                    right[manner] += planned.refusal is None and agrees(planned.arguments, values)
    result = {
        "calls": total,
        "right": {manner: round(right[manner] / total, 4) for manner in MANNERS},
        "called_with_other_values": {manner: made[manner] - right[manner] for manner in MANNERS},
        "irrelevant": irrelevant,
        "nothing_called": kept,
        "us_per_call": round(spent / total / len(MANNERS) * 1e6),
    }
    print(json.dumps(result, indent=None if given.json else 2, ensure_ascii=False))


if __name__ == "__main__":
    asyncio.run(main())
