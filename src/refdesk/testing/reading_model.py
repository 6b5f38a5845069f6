"""A model that can read and nothing else: it answers what its messages tell, and searches for the rest.

Deterministic, so that two ways of writing the same conversation can be compared by what it does with them.
A question names subjects as `《name》`. What it knows of one it finds in results of tools, in records of
earlier rounds, or in its own earlier answers; else it calls `search_documents` with the name.

    model = ReadingModel()
    …                                  # run an agent's loop over it
    model.prompt_tokens, model.searches
"""

import json
import re
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from refdesk.chat.agent.compaction import tokens_of
from refdesk.gateway import (
    Completion,
    CompletionEvent,
    CompletionRequest,
    Finished,
    Message,
    TextDelta,
    ToolCall,
    ToolCallReady,
    UsageReport,
)

__all__ = ["ReadingModel"]

_SUBJECT = re.compile(r"《([^》]+)》")


class ReadingModel:
    """Counts what it is told: `prompt_tokens` of all its requests, `searches` in order."""

    model_id = UUID(int=1)
    model_name = "reading"
    context_tokens = 200_000

    def __init__(self) -> None:
        self.prompt_tokens = 0
        self.requests = 0
        self.searches: list[str] = []

    async def stream(self, request: CompletionRequest) -> AsyncIterator[CompletionEvent]:
        used = tokens_of(request.messages)
        self.prompt_tokens += used
        self.requests += 1
        asked = next(message for message in reversed(request.messages) if message.role == "user")
        subjects = _SUBJECT.findall(asked.text.split("\n\n（工具记录")[0])
        known = {subject: _told(subject, request.messages) for subject in subjects}
        missing = [subject for subject, fact in known.items() if fact is None]
        if missing and request.tools:
            self.searches += missing
            for n, subject in enumerate(missing):
                arguments = json.dumps({"query": subject}, ensure_ascii=False)
                yield ToolCallReady(ToolCall(f"call_{self.requests}_{n}", "search_documents", arguments))
            yield UsageReport(used, 20)
            yield Finished("tool_calls")
            return
        yield TextDelta("".join(fact or f"{subject}：未找到。" for subject, fact in known.items()))
        yield UsageReport(used, 20)
        yield Finished("stop")

    async def complete(self, request: CompletionRequest) -> Completion:
        raise NotImplementedError("agents stream")


def _told(subject: str, messages: Sequence[Message]) -> str | None:
    """What the messages say of a subject: its fact, with the number it is cited by."""
    for message in messages:
        if message.role == "tool":
            for result in json.loads(message.text).get("results", ()):
                fact = re.match(rf"{re.escape(subject)}的[^。]*。", result["snippet"])
                if fact:
                    return f"{fact[0][:-1]} [{result['n']}]。"
        elif message.role == "assistant":
            said = re.search(rf"{re.escape(subject)}的[^。\[]*\[\d+\]。", message.text)
            if said:
                return said[0]
        elif message.role == "user":
            noted = re.search(rf"\[(\d+)\] ({re.escape(subject)}的[^。]*)。", message.text)
            if noted:
                return f"{noted[2]} [{noted[1]}]。"
    return None
