"""A process's hold on its runs: the log it writes, leases it renews, runs it ends, strays it sweeps.

These statements work for the process and not for a caller, so they take no `Scope`; what a caller may see is
decided in `repository`. Each write names the owner, so a process that lost a run (its lease ran out while it
was stopped) writes nothing more to it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

from sqlalchemy import bindparam, delete, select, text, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import Boolean, Integer, Text, Uuid

from refdesk.chat.events import RunEvent
from refdesk.chat.tables import Conversation, Run, RunEvents
from refdesk.kit.clock import now

RUN_CHANNEL = "refdesk_runs"
CANCEL_CHANNEL = "refdesk_run_cancels"
CONVERSATION_CHANNEL = "refdesk_conversations"
LEASE_S = 30.0
KEEP_EVENTS_S = 3_600.0
ACTIVE = ("queued", "running")

_WRITE = text(
    f"""
    WITH batch AS (
        SELECT * FROM unnest(:runs, :firsts, :lasts, :events, :turns)
            AS b(run_id, first_seq, last_seq, events, turns)
    ), held AS (
        SELECT b.*, r.workspace_id, r.conversation_id,
            coalesce((SELECT max(e.last_seq) FROM run_events e WHERE e.run_id = b.run_id), 0) AS stored
        FROM batch b JOIN runs r ON r.id = b.run_id AND r.lease_owner = :owner
    ), written AS (
        INSERT INTO run_events (run_id, last_seq, first_seq, workspace_id, events)
        SELECT h.run_id, h.last_seq, greatest(h.first_seq, h.stored + 1), h.workspace_id,
            CASE WHEN h.stored < h.first_seq THEN h.events::jsonb ELSE (
                SELECT jsonb_agg(i.item ORDER BY i.place)
                FROM jsonb_array_elements(h.events::jsonb) WITH ORDINALITY AS i(item, place)
                WHERE (i.item->>0)::int > h.stored
            ) END
        FROM held h WHERE h.last_seq > h.stored
        ON CONFLICT DO NOTHING
    )
    SELECT run_id, pg_notify('{RUN_CHANNEL}', run_id::text),
        CASE WHEN turns THEN pg_notify('{CONVERSATION_CHANNEL}', conversation_id::text) END
    FROM held
    """
).bindparams(
    bindparam("runs", type_=ARRAY(Uuid)),
    bindparam("firsts", type_=ARRAY(Integer)),
    bindparam("lasts", type_=ARRAY(Integer)),
    bindparam("events", type_=ARRAY(Text)),
    bindparam("turns", type_=ARRAY(Boolean)),
)


def _packed(events: Sequence[RunEvent]) -> str:
    items = (b'[%d,"%b",%b]' % (event.seq, event.name.encode(), event.data) for event in events)
    return (b"[" + b",".join(items) + b"]").decode()


async def write_events(
    session: AsyncSession, owner: str, batches: Mapping[UUID, Sequence[RunEvent]]
) -> set[UUID]:
    """Append a batch to the log of each run and notify; the runs that still belong to `owner`. No further
    statement tells conversations of their runs.

    What the log already holds is passed over: a commit whose acknowledgement was lost is written again.
    """
    values: dict[str, Any] = {
        "owner": owner,
        "runs": list(batches),
        "firsts": [events[0].seq for events in batches.values()],
        "lasts": [events[-1].seq for events in batches.values()],
        "events": [_packed(events) for events in batches.values()],
        # Whoever looks at the conversation is told of a run's beginning and of its end.
        "turns": [events[0].seq == 1 or events[-1].name == "run.finished" for events in batches.values()],
    }
    return {row.run_id for row in await session.execute(_WRITE, values)}


async def renew(session: AsyncSession, owner: str) -> dict[UUID, bool]:
    """Prolong all leases of `owner`; for each run whether its end was asked for."""
    rows = await session.execute(
        update(Run)
        .where(Run.lease_owner == owner, Run.state.in_(ACTIVE))
        .values(lease_expires_at=now() + timedelta(seconds=LEASE_S))
        .returning(Run.id, Run.cancel_requested)
    )
    return {row.id: row.cancel_requested for row in rows}


async def start(session: AsyncSession, owner: str, run_id: UUID) -> bool:
    """A queued run begins; False if it is no longer the owner's."""
    result = await session.execute(
        update(Run)
        .where(Run.id == run_id, Run.lease_owner == owner)
        .values(state="running", started_at=now())
        .returning(Run.id)
    )
    return result.first() is not None


async def finish(session: AsyncSession, owner: str, run_id: UUID, record: dict[str, Any]) -> Run | None:
    """Write the record and give the lease back; None if the run is no longer the owner's."""
    result = await session.execute(
        update(Run)
        .where(Run.id == run_id, Run.lease_owner == owner)
        .values(**record, finished_at=now(), lease_expires_at=None)
        .returning(Run)
    )
    return result.scalar_one_or_none()


async def request_cancel(session: AsyncSession, run_id: UUID) -> None:
    """Ask whoever holds the run to end it."""
    await session.execute(update(Run).where(Run.id == run_id).values(cancel_requested=True))
    await session.execute(text(f"SELECT pg_notify('{CANCEL_CHANNEL}', :id)"), {"id": str(run_id)})


async def sweep(session: AsyncSession, sentences_of: Callable[[str], list[dict[str, Any]]]) -> list[UUID]:
    """End runs whose lease ran out as `interrupted`, with what their log holds of answer and stages.

    `sentences_of` makes the record's sentences of the text.
    """
    strays = (
        await session.scalars(
            select(Run)
            .where(Run.state.in_(ACTIVE), Run.lease_expires_at < now())
            .order_by(Run.created_at)
            .limit(100)
            .with_for_update(skip_locked=True)
        )
    ).all()
    for run in strays:
        logged = await _logged(session, run.id)
        run.answer, run.citations, run.sentences = (
            logged.answer,
            logged.citations,
            sentences_of(logged.answer),
        )
        run.stages, run.warnings, run.usage = logged.stages, logged.warnings, logged.usage
        run.retrieval = logged.retrieval
        run.state, run.finished_at = "interrupted", now()
        run.lease_owner = run.lease_expires_at = None
        await session.execute(text(f"SELECT pg_notify('{RUN_CHANNEL}', :id)"), {"id": str(run.id)})
        await tell_conversation(session, run.conversation_id)
    return [run.id for run in strays]


async def tell_conversation(session: AsyncSession, conversation_id: UUID) -> None:
    """Tell whoever looks at a conversation that it has changed, once the transaction is committed."""
    await session.execute(
        text(f"SELECT pg_notify('{CONVERSATION_CHANNEL}', :id)"), {"id": str(conversation_id)}
    )


async def forget_events(session: AsyncSession) -> None:
    """Drop the logs of runs that ended an hour ago; their rows hold what is worth keeping."""
    cutoff = now() - timedelta(seconds=KEEP_EVENTS_S)
    await session.execute(
        delete(RunEvents).where(
            RunEvents.created_at < cutoff, Run.id == RunEvents.run_id, Run.finished_at < cutoff
        )
    )


async def forget_key_conversations(session: AsyncSession, days: int) -> int:
    """Remove the oldest conversations of API keys that nobody asked in for `days`; returns how many.

    Programs begin one with every call and never come back to it, where people keep theirs until they delete
    them. At most 500 a call, so that no transaction grows long.
    """
    old = (
        select(Conversation.id)
        .where(Conversation.api_key_id.is_not(None), Conversation.updated_at < now() - timedelta(days=days))
        .order_by(Conversation.updated_at)
        .limit(500)
        .with_for_update(skip_locked=True)
    )
    removed = await session.scalars(
        delete(Conversation).where(Conversation.id.in_(old)).returning(Conversation.id)
    )
    return len(removed.all())


@dataclass(slots=True)
class _Logged:
    """What the log of a run tells of its record."""

    answer: str = ""
    citations: list[Any] = field(default_factory=list[Any])
    stages: list[Any] = field(default_factory=list[Any])
    warnings: list[Any] = field(default_factory=list[Any])
    usage: dict[str, Any] = field(default_factory=dict[str, Any])
    retrieval: dict[str, Any] = field(default_factory=dict[str, Any])

    def take(self, name: str, data: Any) -> None:
        match name:
            case "delta":
                self.answer += data["text"]
            case "citation":
                self.citations.append(data)
            case "snapshot":  # the answer began anew
                self.answer, self.citations = data["answer"], list(data["citations"])
            case "stage":
                begun = (at for at, one in enumerate(self.stages) if one["name"] == data["name"])
                place = next((at for at in begun if self.stages[at]["state"] == "started"), None)
                if place is None:
                    self.stages.append(data)
                else:
                    self.stages[place] = data
            case "warning":
                self.warnings.append(data)
            case "usage":
                self.usage = data
            case "sources":
                self.retrieval = data
            case _:
                pass


async def _logged(session: AsyncSession, run_id: UUID) -> _Logged:
    rows = await session.scalars(
        select(RunEvents.events).where(RunEvents.run_id == run_id).order_by(RunEvents.last_seq)
    )
    logged = _Logged()
    for events in rows:
        for _, name, data in cast("list[tuple[int, str, Any]]", events):
            logged.take(name, data)
    return logged
