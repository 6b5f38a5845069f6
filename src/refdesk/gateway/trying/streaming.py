"""A chat model tried out as people will see it: word by word, with what the gateway did on the way.

Events: `delta` and `reasoning` {text}, `notice` {code, detail}, and at the end `answer` (the `TryAnswer`) or
`problem` (the problem document).
"""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

import orjson

from refdesk.gateway.calls import CompletionBuilder, CompletionEvent, Notice, ReasoningDelta, TextDelta
from refdesk.gateway.trying.schemas import TryRequest
from refdesk.gateway.trying.trials import Trial, answered
from refdesk.kit.errors import AppError
from refdesk.kit.problem import problem_body
from refdesk.kit.sse import frame


@dataclass(slots=True)
class StreamedTrial:
    """An answer that has begun: `head` has arrived, the rest is to come."""

    trial: Trial
    started: float
    head: Sequence[CompletionEvent]
    rest: AsyncGenerator[CompletionEvent]

    @classmethod
    async def begin(cls, trial: Trial, asked: TryRequest) -> "StreamedTrial":
        """Ask, and wait for what is no notice. Raises what `Trial.answer` raises."""
        started = time.perf_counter()
        completer = await trial.completer()
        events = cast("AsyncGenerator[CompletionEvent]", completer.stream(trial.request(asked)))
        head: list[CompletionEvent] = []
        try:
            async for event in events:
                head.append(event)
                if not isinstance(event, Notice):
                    break
        except BaseException:  # also a cancel: the model's socket must close now
            await events.aclose()
            raise
        return cls(trial, started, head, events)

    async def frames(self) -> AsyncGenerator[bytes]:
        """The events as they go to the page."""
        builder = CompletionBuilder()
        notices: list[Notice] = []
        try:
            async with aclosing(self.rest):
                async for event in self._all():
                    builder.add(event)
                    if isinstance(event, Notice):
                        notices.append(event)
                    told = _told(event)
                    if told is not None:
                        yield frame(told[0], orjson.dumps(told[1]))
        except AppError as error:
            body = problem_body(
                self.trial.request_id,
                status=error.status,
                code=error.code,
                title=error.text,
                hint=error.hint_text,
                details=error.details,
            )
            yield frame("problem", orjson.dumps(body))
            return
        answer = answered("LLM", builder.build(), notices)
        answer.latency_ms = round((time.perf_counter() - self.started) * 1000, 1)
        yield frame("answer", answer.model_dump_json().encode())

    async def _all(self) -> AsyncGenerator[CompletionEvent]:
        for event in self.head:
            yield event
        async for event in self.rest:
            yield event


def _told(event: CompletionEvent) -> tuple[str, dict[str, Any]] | None:
    match event:
        case TextDelta(text):
            return "delta", {"text": text}
        case ReasoningDelta(text):
            return "reasoning", {"text": text}
        case Notice(code, detail):
            return "notice", {"code": code, "detail": detail}
        case _:
            return None
