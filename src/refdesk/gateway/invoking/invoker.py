"""One call in the order of X9: look up, check the input, call (with health, backup and limits, by the typed
calls), check the output, tell what it took.

The record of usage is the governed call's; here is the line in the log that has the caller's own ids.
"""

import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

import structlog

from refdesk.accounts import Scope
from refdesk.gateway.calls import (
    CompletionBuilder,
    CompletionEvent,
    Notice,
    ReasoningDelta,
    TextDelta,
    ToolCallReady,
    UsageReport,
)
from refdesk.gateway.clients import Gateway
from refdesk.gateway.errors import UnknownModel
from refdesk.gateway.invoking.calling import ModelCall
from refdesk.gateway.invoking.conversation import call_json
from refdesk.gateway.invoking.errors import ModelInputInvalid
from refdesk.gateway.invoking.exchange import Exchange, Exchanges
from refdesk.gateway.invoking.results import Result, of_completion, warnings_of
from refdesk.gateway.invoking.schemas import AnswerMetadata, InvokeAnswer, InvokeRequest
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError, Forbidden

log = structlog.get_logger(__name__)

_EXCHANGES = Exchanges()


async def find_model(gateway: Gateway, scope: Scope, wanted: str) -> RoutedModel:
    """The model by its name or id. Raises `UnknownModel`."""
    snapshot = gateway.routing.snapshot
    await snapshot.ready()
    try:
        return snapshot.get(scope, UUID(wanted))
    except ValueError:
        pass
    for model in snapshot.all():
        if model.row.name == wanted and model.row.workspace_id == scope.workspace_id:
            return model
    raise UnknownModel(f"There is no model {wanted} in this workspace.", model_id=wanted)


def require_models(scope: Scope) -> None:
    """Raise `Forbidden` for a key that is bound to one thing: it cannot use the workspace's models."""
    if scope.resource is not None:
        raise Forbidden("A key bound to one thing cannot use the workspace's models.")


@dataclass(slots=True)
class Invocation:
    """One call that was looked up and whose input is good."""

    asked: InvokeRequest
    call: ModelCall
    exchange: Exchange
    started: float = field(default_factory=time.perf_counter)

    @property
    def model(self) -> RoutedModel:
        return self.call.model

    async def answer(self) -> InvokeAnswer:
        """The whole answer. Raises `ModelError`s."""
        try:
            return self.answered(await self.call.result(self.asked.input))
        except AppError as error:
            self.log_end(error.code, None)
            raise

    async def stream(self) -> "StreamedAnswer":
        """The answer as it is made, begun: what a failure before its first part is raised here."""
        completer = await self.call.completer()
        request = self.call.completion_request(self.asked.input)
        events = cast("AsyncGenerator[CompletionEvent]", completer.stream(request))
        head: list[CompletionEvent] = []
        try:
            async for event in events:
                head.append(event)
                # A place in a queue is told at once; other notices belong into the header.
                if not isinstance(event, Notice) or event.code == "queued":
                    break
        except AppError as error:
            self.log_end(error.code, None)
            raise
        return StreamedAnswer(self, head, events)

    def answered(self, result: Result) -> InvokeAnswer:
        output, left_out = self.exchange.checked_output(result.output)
        answered_by = self.model.row
        if result.answered_by is not None:
            backup = self.call.gateway.routing.snapshot.find(UUID(result.answered_by))
            answered_by = backup.row if backup is not None else answered_by
        usage = result.usage
        metadata = AnswerMetadata(
            request_id=self.call.request_id,
            user_id=self.asked.metadata.user_id,
            trace_id=self.asked.metadata.trace_id,
            model_id=answered_by.name,
            version=answered_by.version,
            latency_ms=self._elapsed_ms,
            input_tokens=usage.input_tokens if usage is not None else None,
            output_tokens=usage.output_tokens if usage is not None else None,
            warnings=warnings_of(result.notices, left_out),
        )
        self.log_end(None, usage)
        return InvokeAnswer(
            model_id=self.model.row.name, output=output, content=result.content, metadata=metadata
        )

    @property
    def _elapsed_ms(self) -> float:
        return round((time.perf_counter() - self.started) * 1000, 1)

    def log_end(self, error_code: str | None, usage: UsageReport | None) -> None:
        log.info(
            "model.invoked",
            error_code=error_code,
            ms=self._elapsed_ms,
            input_tokens=usage.input_tokens if usage is not None else None,
            output_tokens=usage.output_tokens if usage is not None else None,
            user_id=self.asked.metadata.user_id,
            trace_id=self.asked.metadata.trace_id,
        )


@dataclass(slots=True)
class StreamedAnswer:
    """An answer that has begun: `head` has arrived, the rest is to come."""

    invocation: Invocation
    head: list[CompletionEvent]
    rest: AsyncGenerator[CompletionEvent]

    @property
    def warnings(self) -> list[str]:
        """What is known before the first part."""
        return warnings_of([event for event in self.head if isinstance(event, Notice)], ())

    async def events(self) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
        """Name and data of each event; the last is `result` or `error`."""
        builder = CompletionBuilder()
        notices: list[Notice] = []
        invocation = self.invocation
        try:
            async with aclosing(self.rest):
                async for event in self._all():
                    builder.add(event)
                    if isinstance(event, Notice):
                        notices.append(event)
                    told = _told(event)
                    if told is not None:
                        yield told
            completion = builder.build()
            result = of_completion(completion, invocation.model.row.name)
            whole = Result(result.output, result.content, result.usage, notices)
            yield "result", invocation.answered(whole).model_dump(mode="json")
        except AppError as error:
            invocation.log_end(error.code, None)
            yield (
                "error",
                {
                    "code": error.code,
                    "status": error.status,
                    "title": error.text,
                    "hint": error.hint_text,
                    "details": error.details,
                    "request_id": invocation.call.request_id,
                },
            )

    async def _all(self) -> AsyncIterator[CompletionEvent]:
        for event in self.head:
            yield event
        async for event in self.rest:
            yield event


async def begin(
    gateway: Gateway, database: Database, scope: Scope, asked: InvokeRequest, request_id: str
) -> Invocation:
    """Look the model up and check the input. Raises `UnknownModel`, `ModelInputInvalid`; the log's lines from
    here on name the model."""
    model = await find_model(gateway, scope, asked.model_id)
    structlog.contextvars.bind_contextvars(model_id=str(model.id))
    exchange = _EXCHANGES.of(model)
    exchange.check_input(asked.input)
    if asked.stream and model.row.kind != "LLM":
        raise ModelInputInvalid(f"stream: models of the kind {model.row.kind} answer at once.", faults=[])
    call = ModelCall(gateway, database, scope, model, asked.metadata.request_id or request_id)
    return Invocation(asked, call, exchange)


def _told(event: CompletionEvent) -> tuple[str, dict[str, Any]] | None:
    match event:
        case TextDelta(text):
            return "delta", {"text": text}
        case ReasoningDelta(text):
            return "reasoning", {"text": text}
        case ToolCallReady(call):
            return "tool_call", call_json(call)
        case Notice(code, detail):
            name = "queue" if code == "queued" else "warning"
            return name, {"code": code, "warnings": warnings_of([event], ()), "detail": detail}
        case _:
            return None
