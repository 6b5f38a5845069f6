"""Breakers of all models in this process, kept in step with every other process through one table.

A breaker that is closed and stays so costs a call one look-up and no task. What happens to a breaker holds
here at once and is written in the background, folded into the stored row under its lock with the same
functions, so that failures seen by several processes are counted together and one of them alone gets the
lease. The row's change is told to all (`snapshot`).
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID, uuid4

import structlog
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.gateway.background import background
from refdesk.gateway.routing.breaker import Breaker, BreakerSettings, Event
from refdesk.gateway.routing.tables import ModelHealth, ModelOutcomes
from refdesk.kit.database import Database

log = structlog.get_logger(__name__)

CLOSED = Breaker()
WRITE_AGAIN_S = 1.0
FIGURES_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave to ask a model once. `owner` is set where the call holds the half-open lease."""

    model_id: UUID
    settings: BreakerSettings
    owner: str | None = None


@dataclass(slots=True)
class _Kept:
    """One model: the stored state, and the events that are not in it yet."""

    stored: Breaker = CLOSED
    pending: list[tuple[Event, BreakerSettings, str | None, float]] = field(
        default_factory=list[tuple[Event, BreakerSettings, str | None, float]]
    )
    now: Breaker = CLOSED
    failure: dict[str, Any] | None = None
    leasing: bool = False

    def fold(self) -> None:
        state = self.stored
        for event, settings, owner, at in self.pending:
            state = state.after(event, at, settings, owner)
        self.now = state


class Health:
    """`admit` before a call and `report` after it. Writing begins with the first thing to write."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: dict[UUID, _Kept] = {}
        self._calls: dict[tuple[UUID, datetime], list[int]] = {}
        self._dirty: deque[UUID] = deque()
        self._wake = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None
        self.probes: dict[UUID, dict[str, Any]] = {}

    def start(self) -> None:
        if self._writing is None:
            self._writing = background(self._write_all(), "model-health")

    async def close(self) -> None:
        """Write what waits, and stop."""
        if self._writing is None:
            return
        self._writing.cancel()
        await asyncio.gather(self._writing, return_exceptions=True)
        self._writing = None
        try:
            async with asyncio.timeout(5.0):
                await self._flush()
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            log.warning("routing.health-not-written", error=type(error).__name__)

    def state(self, model_id: UUID) -> Breaker:
        """What is known here now."""
        kept = self._kept.get(model_id)
        return kept.now if kept is not None else CLOSED

    def last_failure(self, model_id: UUID) -> dict[str, Any] | None:
        kept = self._kept.get(model_id)
        return kept.failure if kept is not None else None

    async def admit(self, model_id: UUID, settings: BreakerSettings) -> Ticket | None:
        """Leave for one call, None if the model is not to be asked now. Asks the database only for a
        lease."""
        kept = self._kept.get(model_id)
        if kept is None or kept.now.state == "closed":
            return Ticket(model_id, settings)
        if kept.leasing or kept.now.allows(time.time()) != "lease":
            return None
        kept.leasing = True  # one caller of this process asks for it; the others go elsewhere meanwhile
        try:
            owner = uuid4().hex
            return Ticket(model_id, settings, owner) if await self._lease(model_id, owner) else None
        finally:
            kept.leasing = False

    def report(
        self,
        ticket: Ticket,
        outcome: Literal["success", "failure", "neutral", "left"],
        *,
        failure: dict[str, Any] | None = None,
        counts: bool = True,
    ) -> None:
        """How a call ended. `neutral`: the caller's own fault, which shows all the same that the server
        answers; `left`: nobody waited for the end. `counts`: it is part of the SLA figure."""
        event: Event | None
        if ticket.owner is not None:
            event = {"failure": "probe-failure", "left": "release"}.get(outcome, "probe-success")  # pyright: ignore[reportAssignmentType]
        else:
            event = {"failure": "failure", "success": "success"}.get(outcome)  # pyright: ignore[reportAssignmentType]
        if counts and outcome != "left":
            self._count(ticket.model_id, failed=failure is not None)
        if event is None or (event == "success" and ticket.model_id not in self._kept):
            return
        self._happen(ticket.model_id, event, ticket.settings, ticket.owner, failure)

    def probed(self, model_id: UUID, good: bool, settings: BreakerSettings, failure: dict[str, Any]) -> None:
        """What an active probe found."""
        if good and model_id not in self._kept:
            return
        self._happen(model_id, "healthy" if good else "failure", settings, None, None if good else failure)

    def told(self, rows: Iterable[ModelHealth]) -> None:
        """Take over stored rows; an older one than is known changes nothing."""
        for row in rows:
            if row.last_probe is not None:
                self.probes[row.model_id] = row.last_probe
            if row.version == 0 and row.model_id not in self._kept:
                continue
            kept = self._kept.setdefault(row.model_id, _Kept())
            if row.version >= kept.stored.version:
                kept.stored = _breaker_of(row)
                kept.failure = row.last_failure
                kept.fold()

    def _happen(
        self,
        model_id: UUID,
        event: Event,
        settings: BreakerSettings,
        owner: str | None,
        failure: dict[str, Any] | None,
    ) -> None:
        kept = self._kept.setdefault(model_id, _Kept())
        at = time.time()
        after = kept.now.after(event, at, settings, owner)
        if failure is not None:
            kept.failure = failure
        if after is kept.now:
            return
        if after.state != kept.now.state:
            log.warning(
                "routing.breaker",
                model_id=str(model_id),
                was=kept.now.state,
                state=after.state,
                because=event,
                request_id=(failure or {}).get("request_id"),
            )
        self.start()
        kept.now = after
        kept.pending.append((event, settings, owner, at))
        self._dirty.append(model_id)
        self._wake.set()

    def _count(self, model_id: UUID, *, failed: bool) -> None:
        self.start()
        hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        counts = self._calls.setdefault((model_id, hour), [0, 0])
        counts[0] += 1
        counts[1] += failed

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        figures_at = loop.time()
        while True:
            try:
                async with asyncio.timeout(FIGURES_EVERY_S):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            try:
                await self._write_states()
                if loop.time() - figures_at >= FIGURES_EVERY_S:
                    figures_at = loop.time()
                    await self._write_figures()
            except (SQLAlchemyError, OSError) as error:
                log.warning("routing.health-not-written", error=type(error).__name__)
                await asyncio.sleep(WRITE_AGAIN_S)
                self._wake.set()

    async def _flush(self) -> None:
        await self._write_states()
        await self._write_figures()

    async def _write_states(self) -> None:
        while self._dirty:
            model_id = self._dirty[0]
            kept = self._kept.get(model_id)
            events = list(kept.pending) if kept is not None else []
            if kept is not None and events:
                row = await self._fold_into_row(model_id, events, kept.failure)
                del kept.pending[: len(events)]
                if row is None:
                    self._kept.pop(model_id, None)  # the model is gone
                else:
                    self.told([row])
            self._dirty.popleft()

    async def _fold_into_row(
        self,
        model_id: UUID,
        events: list[tuple[Event, BreakerSettings, str | None, float]],
        failure: dict[str, Any] | None,
    ) -> ModelHealth | None:
        try:
            async with self._database.transaction() as session:
                row = await _locked(session, model_id)
                state = _breaker_of(row)
                for event, settings, owner, at in events:
                    state = state.after(event, at, settings, owner)
                if state.version != row.version or failure != row.last_failure:
                    _store(row, state)
                    row.last_failure = failure
        except IntegrityError:
            return None
        return row

    async def _lease(self, model_id: UUID, owner: str) -> bool:
        try:
            async with self._database.transaction() as session:
                row = await _locked(session, model_id)
                leased = _breaker_of(row).leased(owner, time.time())
                if leased is not None:
                    _store(row, leased)
        except (SQLAlchemyError, OSError) as error:
            log.warning("routing.lease-not-asked", error=type(error).__name__)
            return False
        self.told([row])
        return leased is not None

    async def _write_figures(self) -> None:
        taken, self._calls = self._calls, {}
        if not taken:
            return
        try:
            async with self._database.transaction() as session:
                for (model_id, hour), (calls, failures) in sorted(taken.items()):
                    await _add_figures(session, model_id, hour, calls, failures)
        except (SQLAlchemyError, OSError):
            for key, (calls, failures) in taken.items():
                counts = self._calls.setdefault(key, [0, 0])
                counts[0] += calls
                counts[1] += failures
            raise


async def _locked(session: AsyncSession, model_id: UUID) -> ModelHealth:
    await session.execute(insert(ModelHealth).values(model_id=model_id).on_conflict_do_nothing())
    query = select(ModelHealth).where(ModelHealth.model_id == model_id).with_for_update()
    return (await session.scalars(query)).one()


async def _add_figures(
    session: AsyncSession, model_id: UUID, hour: datetime, calls: int, failures: int
) -> None:
    statement = insert(ModelOutcomes).values(model_id=model_id, hour=hour, calls=calls, failures=failures)
    try:
        async with session.begin_nested():
            await session.execute(
                statement.on_conflict_do_update(
                    index_elements=[ModelOutcomes.model_id, ModelOutcomes.hour],
                    set_={
                        "calls": ModelOutcomes.calls + statement.excluded.calls,
                        "failures": ModelOutcomes.failures + statement.excluded.failures,
                    },
                )
            )
    except IntegrityError:
        pass  # the model was removed meanwhile


def _breaker_of(row: ModelHealth) -> Breaker:
    return Breaker(
        state=row.state,  # pyright: ignore[reportArgumentType] — written from a Breaker only
        failures=row.failures,
        retry_at=row.retry_at.timestamp() if row.retry_at else 0.0,
        owner=row.lease_owner,
        lease_until=row.lease_expires_at.timestamp() if row.lease_expires_at else 0.0,
        version=row.version,
    )


def _store(row: ModelHealth, state: Breaker) -> None:
    if row.state != state.state:
        row.changed_at = datetime.now(UTC)
    row.state, row.failures, row.version = state.state, state.failures, state.version
    row.retry_at = datetime.fromtimestamp(state.retry_at, UTC) if state.retry_at else None
    row.lease_owner = state.owner
    row.lease_expires_at = datetime.fromtimestamp(state.lease_until, UTC) if state.lease_until else None
