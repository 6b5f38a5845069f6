"""The typed calls as callers hold them: each asks through the flow whatever model is to be asked.

Owns what differs between kinds: what begins an answer, what it demands, how a request is made to fit a
backup. Clients of single models come from `client_of`, which keeps them.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.gateway.caching import CacheSlot, ResponseCache
from refdesk.gateway.calibration import Calibration
from refdesk.gateway.calls import (
    Completer,
    Completion,
    CompletionBuilder,
    CompletionEvent,
    CompletionRequest,
    Embedder,
    Finished,
    Notice,
    OnEmbedded,
    ReasoningDelta,
    Reranker,
    TextDelta,
    ToolCallReady,
    UsageReport,
    Vectors,
)
from refdesk.gateway.errors import ModelContextExceeded
from refdesk.gateway.gates import Gates
from refdesk.gateway.limits import Estimate, estimate
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.routing.capabilities import Demand
from refdesk.gateway.routing.flow import Asked, Call, Flow
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.gateway.routing.truncation import fit
from refdesk.gateway.tokens import estimated_tokens, estimated_usage
from refdesk.gateway.wires import RemoteEmbedder
from refdesk.gateway.wires.reranking import RemoteReranker

type ClientOf = Callable[[RoutedModel], Any]


@dataclass(frozen=True, slots=True)
class GovernedCompleter:
    """A chat model with its limits, its breaker and its fallback policy."""

    flow: Flow
    client_of: ClientOf
    responses: ResponseCache
    scope: Scope
    purpose: Purpose
    model: RoutedModel

    @property
    def model_id(self) -> UUID:
        return self.model.id

    @property
    def model_name(self) -> str:
        return self.model.row.model_name

    @property
    def context_tokens(self) -> int:
        return self.model.abilities.context_tokens

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[CompletionEvent]:
        """Events of the answer, and notices of what was done to get it. A model that cannot stream answers in
        one part."""

        def ask(model: RoutedModel, request_id: str, is_backup: bool) -> Asked[CompletionEvent]:
            fitted, notice = _fitted(request, model, request_id, is_backup)
            client = cast(Completer, self.client_of(model))
            if model.abilities.streaming:
                return Asked(cast("AsyncGenerator[CompletionEvent]", client.stream(fitted)), notice)
            return Asked(_in_one_part(client, fitted), notice)

        slot = await self.responses.slot(self.scope, self.purpose, self.model, request)
        call = Call(
            self.scope,
            self.purpose,
            self.model,
            ask,
            _Estimating(request),
            _begins,
            _usage_of_event,
            Demand.of(request),
            None if slot is None else lambda: _recalled_events(self.responses, slot),
            self.purpose.may_restart,
        )
        builder = CompletionBuilder() if slot is not None else None
        async with aclosing(self.flow.run(call)) as events:
            async for event in events:
                if builder is not None:
                    builder.add(event)
                yield event
        if slot is not None and builder is not None:
            self.responses.put(slot, builder.build())

    async def complete(self, request: CompletionRequest) -> Completion:
        """The whole answer; `notices` tell what was done to get it."""

        def ask(model: RoutedModel, request_id: str, is_backup: bool) -> Asked[Completion]:
            fitted, notice = _fitted(request, model, request_id, is_backup)
            return Asked(_one(cast(Completer, self.client_of(model)).complete, fitted), notice)

        slot = await self.responses.slot(self.scope, self.purpose, self.model, request)
        call = Call(
            self.scope,
            self.purpose,
            self.model,
            ask,
            _Estimating(request),
            _always,
            _usage_of_completion,
            Demand.of(request),
            None if slot is None else lambda: _recalled(self.responses, slot),
        )
        completion, notices = await self.flow.once(call)
        if slot is not None:
            self.responses.put(slot, completion)
        return replace(completion, notices=notices) if notices else completion


@dataclass(frozen=True, slots=True)
class GovernedEmbedder:
    """An embedding model; its backups are the same model elsewhere, for vectors of two cannot be mixed."""

    flow: Flow
    client_of: ClientOf
    scope: Scope
    purpose: Purpose
    model: RoutedModel
    client: Embedder
    on_usage: OnEmbedded | None = None

    @property
    def model_id(self) -> UUID:
        return self.model.id

    @property
    def dimensions(self) -> int:
        return self.client.dimensions

    @property
    def calibration(self) -> Calibration:
        return self.client.calibration

    @property
    def gates(self) -> Gates:
        return self.client.gates

    @property
    def max_batch(self) -> int:
        return self.client.max_batch

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._embed("embed_queries", texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embed("embed_passages", texts)

    async def _embed(self, verb: str, texts: Sequence[str]) -> Vectors:
        def ask(model: RoutedModel, request_id: str, _is_backup: bool) -> Asked[Vectors]:
            client = _sending(self.client_of(model), request_id, spent)
            if isinstance(client, RemoteEmbedder) and self.model.row.fallback_policy_id is not None:
                client = replace(client, attempts=1)  # what happens then is the policy's to say
            embed: Callable[[Sequence[str]], Awaitable[Vectors]] = getattr(client, verb)
            return Asked(_one(embed, texts))

        def usage(result: object) -> UsageReport:
            # Several vendors tell no tokens of vectors, and charge for them.
            return spent.all(result) or estimated_usage(texts)

        spent = _Spent()
        vectors, _ = await self.flow.once(
            Call(
                self.scope,
                self.purpose,
                self.model,
                ask,
                lambda: Estimate(sum(map(estimated_tokens, texts)), 0),
                _always,
                usage,
            )
        )
        if self.on_usage is not None:
            self.on_usage(usage(vectors), len(texts))
        return vectors


@dataclass(frozen=True, slots=True)
class GovernedReranker:
    """A reranker. Scores of a backup are on its own scale; the gate stays that of the model that was
    asked."""

    flow: Flow
    client_of: ClientOf
    scope: Scope
    purpose: Purpose
    model: RoutedModel
    client: Reranker

    @property
    def model_id(self) -> UUID:
        return self.model.id

    @property
    def model_name(self) -> str:
        return self.client.model_name

    @property
    def least_score(self) -> float | None:
        return self.client.least_score

    async def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        def ask(model: RoutedModel, request_id: str, _is_backup: bool) -> Asked[list[float]]:
            reranker = cast(Reranker, _sending(self.client_of(model), request_id, spent))

            async def scores(_texts: Sequence[str]) -> list[float]:
                return await reranker.rerank(query, _texts, timeout_s=timeout_s)

            return Asked(_one(scores, texts))

        def estimating() -> Estimate:
            tokens = sum(map(estimated_tokens, texts)) + len(texts) * estimated_tokens(query)
            return Estimate(tokens, 0, units=documents)

        spent, documents = _Spent(), Decimal(len(texts))
        call = Call(
            *(self.scope, self.purpose, self.model, ask, estimating, _always, spent.all),
            units_of=lambda _scores: documents,
        )
        scores, _ = await self.flow.once(call)
        return scores


class _Spent:
    """The tokens of a call that is several requests, added up as they are told."""

    __slots__ = ("_read",)

    def __init__(self) -> None:
        self._read: int | None = None

    def add(self, usage: UsageReport) -> None:
        self._read = (self._read or 0) + usage.input_tokens

    def all(self, _result: object) -> UsageReport | None:
        """What was told up to the result; None where nothing was."""
        return None if self._read is None else UsageReport(self._read, 0)


def _sending(client: Any, request_id: str, spent: _Spent) -> Any:
    """The client, sending this id with its requests and telling what they cost; the embedded model, which may
    stand in for the same one elsewhere, does neither."""
    if not isinstance(client, RemoteEmbedder | RemoteReranker):
        return client
    return replace(client, request_id=request_id, on_usage=spent.add)


class _Estimating:
    """The estimate of a request, made once and only if somebody asks."""

    __slots__ = ("_made", "_request")

    def __init__(self, request: CompletionRequest) -> None:
        self._request = request
        self._made: Estimate | None = None

    def __call__(self) -> Estimate:
        if self._made is None:
            self._made = estimate(self._request)
        return self._made


def _fitted(
    request: CompletionRequest, model: RoutedModel, request_id: str, is_backup: bool
) -> tuple[CompletionRequest, Notice | None]:
    """The request as this model gets it: under its id, and cut where a backup takes less."""
    notice: Notice | None = None
    if is_backup:
        context = model.abilities.context_tokens
        fitted = fit(request, context)
        if fitted is None:
            raise ModelContextExceeded(
                f"The request cannot be cut to the {context} tokens of {model.row.name}.",
                model=model.row.name,
            )
        request = fitted.request
        if fitted.truncated_to is not None:
            notice = Notice("context-truncated", {"tokens": fitted.truncated_to, "model": model.row.name})
    if request.request_id != request_id:
        request = replace(request, request_id=request_id)
    return request, notice


async def _recalled(responses: ResponseCache, slot: CacheSlot) -> Sequence[Completion] | None:
    kept = await responses.get(slot)
    return None if kept is None else (kept,)


async def _recalled_events(responses: ResponseCache, slot: CacheSlot) -> Sequence[CompletionEvent] | None:
    kept = await responses.get(slot)
    return None if kept is None else _events_of(kept)


async def _in_one_part(client: Completer, request: CompletionRequest) -> AsyncGenerator[CompletionEvent]:
    for event in _events_of(await client.complete(request)):
        yield event


def _events_of(completion: Completion) -> list[CompletionEvent]:
    """A whole answer as the events of a stream."""
    events: list[CompletionEvent] = []
    if completion.reasoning:
        events.append(ReasoningDelta(completion.reasoning))
    if completion.text:
        events.append(TextDelta(completion.text))
    events.extend(map(ToolCallReady, completion.tool_calls))
    if completion.usage is not None:
        events.append(completion.usage)
    events.append(Finished(completion.finish_reason))
    return events


async def _one[A, T](call: Callable[[A], Awaitable[T]], argument: A) -> AsyncGenerator[T]:
    yield await call(argument)


def _begins(event: CompletionEvent) -> bool:
    return isinstance(event, TextDelta | ReasoningDelta | ToolCallReady)


def _always(_result: object) -> bool:
    return True


def _usage_of_event(event: CompletionEvent) -> UsageReport | None:
    return event if isinstance(event, UsageReport) else None


def _usage_of_completion(completion: Completion) -> UsageReport | None:
    return completion.usage
