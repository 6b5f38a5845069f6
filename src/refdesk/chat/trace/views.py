"""From a run's record and its calls of models to the trace that is shown."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, cast
from uuid import UUID

from refdesk.chat.considered import CONSIDERED
from refdesk.chat.recorder import RECORD_ONLY
from refdesk.chat.schemas import UsageOut
from refdesk.chat.trace.schemas import PromptMessage, TraceCall, TraceCandidate, TraceCost, TraceSpan
from refdesk.gateway import RunCall, estimated_tokens

type Entry = dict[str, Any]


def spans_of(
    stages: Sequence[Entry], *, whole: bool, hidden: Collection[UUID], details: bool
) -> list[TraceSpan]:
    """The recorded stages as shown. `whole` adds prompts and candidates, those of `hidden` documents left
    out; without `details` only names, states, times and tokens are told."""
    shown: list[TraceSpan] = []
    end_ms = 0.0
    for stage in stages:
        # Runs from before beginnings were recorded: one stage follows the other.
        started_ms = stage.get("started_ms", end_ms)
        span = _span(stage, "stage", started_ms, whole=whole and details, hidden=hidden, details=details)
        end_ms = started_ms + (span.elapsed_ms or 0.0)
        shown.append(span)
    return shown


def documents_considered(stages: Sequence[Entry]) -> set[UUID]:
    """Every document of which a candidate is recorded."""
    return {
        UUID(candidate["document_id"])
        for entry in walk(stages)
        for candidate in entry["detail"].get(CONSIDERED, ())
    }


def walk(entries: Iterable[Entry]) -> Iterable[Entry]:
    """All entries with those inside them."""
    for entry in entries:
        yield entry
        yield from walk(entry.get("spans", ()))


def calls_in(spans: Sequence[TraceSpan], calls: Sequence[RunCall], begun: datetime) -> list[TraceCall]:
    """The calls with their place in time and the stage each was made in."""
    placed: list[TraceCall] = []
    for call in calls:
        ended_ms = (call.at - begun).total_seconds() * 1000
        started_ms = max(0.0, ended_ms - call.latency_ms)
        stage = _stage_at(spans, (started_ms + ended_ms) / 2)
        placed.append(TraceCall(**call.model_dump(), started_ms=round(started_ms, 2), stage=stage))
    return placed


def costs_of(calls: Iterable[RunCall]) -> list[TraceCost]:
    """What calls cost, a sum a currency."""
    sums: dict[str, float] = defaultdict(float)
    for call in calls:
        if call.cost is not None and call.currency:
            sums[call.currency] += float(call.cost)
    return [TraceCost(currency=currency, amount=amount) for currency, amount in sorted(sums.items())]


def _stage_at(spans: Sequence[TraceSpan], moment_ms: float) -> int | None:
    """The innermost stage that was under way at a moment: the last to begin of those that had not ended."""
    found = None
    for place, span in enumerate(spans):
        if span.state == "skipped" or span.started_ms > moment_ms:
            continue
        if span.elapsed_ms is None or moment_ms <= span.started_ms + span.elapsed_ms:
            found = place
    return found


def _span(
    entry: Entry,
    kind: Literal["stage", "channel", "tool", "step"],
    started_ms: float,
    *,
    whole: bool,
    hidden: Collection[UUID],
    details: bool,
) -> TraceSpan:
    detail: Entry = entry["detail"]
    inner = cast("list[Entry]", entry.get("spans", []))
    return TraceSpan(
        name=entry["name"],
        kind=kind,
        state=entry["state"],
        error=entry.get("error"),
        started_ms=started_ms,
        elapsed_ms=entry["elapsed_ms"],
        parent=entry.get("parent"),
        usage=UsageOut.model_validate(entry["usage"]) if "usage" in entry else None,
        detail={k: v for k, v in detail.items() if k not in RECORD_ONLY} if details else {},
        prompt=_prompt(detail["prompt"]) if whole and "prompt" in detail else None,
        candidates=_candidates(detail[CONSIDERED], hidden) if whole and CONSIDERED in detail else None,
        spans=[
            _span(one, _kind(one["name"]), one["started_ms"], whole=whole, hidden=hidden, details=details)
            for one in inner
        ],
    )


def _kind(name: str) -> Literal["channel", "tool", "step"]:
    if name.startswith("tool:"):
        return "tool"
    return "channel" if name.startswith(("channel:", "search:")) else "step"


def _prompt(messages: Sequence[Entry]) -> list[PromptMessage]:
    return [
        PromptMessage(role=one["role"], content=one["content"], tokens=estimated_tokens(one["content"]))
        for one in messages
    ]


def _candidates(records: Sequence[Entry], hidden: Collection[UUID]) -> list[TraceCandidate]:
    found = [TraceCandidate.model_validate(record) for record in records]
    return [candidate for candidate in found if candidate.document_id not in hidden]
