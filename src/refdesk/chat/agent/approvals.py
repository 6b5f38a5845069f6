"""Calls that wait for a person: what is asked, and the round as it is kept until the reply comes."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from refdesk.chat.agent.calling import Planned
from refdesk.chat.agent.loop import Waiting
from refdesk.chat.agent.sources import SourceBook, sources_of
from refdesk.chat.agent.transcript import Called, Round, rounds_of
from refdesk.chat.language import Language
from refdesk.gateway import ToolCall
from refdesk.tools import Toolbox

AGENT = "agent"
"""Marks the state of a step that an agent waits at."""

_WORDS: dict[Language, str] = {
    "zh": "助手想要使用“{title}”，是否同意？",
    "en": "The assistant wants to use “{title}”. Do you agree?",
}


def form_of(waiting: Waiting, language: Language) -> dict[str, Any]:
    """What the person sees; its title is the tool's, as of every approval."""
    planned = waiting.planned[waiting.place]
    title = (planned.spec.title if planned.spec is not None else "") or planned.call.name
    return {
        "kind": "approval",
        "title": title,
        "text": _WORDS[language].format(title=title),
        "call": {"tool": planned.call.name, "title": title, "arguments": dict(planned.arguments)},
    }


def to_state(waiting: Waiting, rounds: list[Round], book: SourceBook) -> dict[str, Any]:
    """The state to keep; JSON."""
    return {
        "by": AGENT,
        "rounds": [one.to_json() for one in rounds],
        "text": waiting.text,
        "calls": [
            {
                "call": asdict(one.call),
                "arguments": dict(one.arguments),
                "refusal": one.refusal,
                "way": one.way,
                "done": asdict(done) if done is not None else None,
            }
            for one, done in zip(waiting.planned, waiting.done, strict=True)
        ],
        "sources": book.to_json(book.found),
    }


def from_state(state: Mapping[str, Any], toolbox: Toolbox, book: SourceBook) -> tuple[Waiting, list[Round]]:
    """The waiting round and those before it. A tool that is gone since gets a refusal."""
    for n, source in sorted(sources_of(state["sources"]).items()):
        book.put_back(n, source)
    planned: list[Planned] = []
    for one in state["calls"]:
        call = ToolCall(**one["call"])
        spec = toolbox.find(call.name)
        refusal = one["refusal"] if spec is not None else f"unknown tool: {call.name}"
        planned.append(Planned(call, spec, one["arguments"], refusal, one["way"]))
    done = [Called(**one["done"]) if one["done"] is not None else None for one in state["calls"]]
    return Waiting(state["text"], planned, done), list(rounds_of(state["rounds"]))
