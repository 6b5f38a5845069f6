"""Permits of models that take so many calls at once, and the fair queue before them.

A permit is a row whose process renews its lease; a process that was killed loses its permits when the lease
ends. Who waits is woken by a notification, never by looking again and again: the heartbeat that renews the
leases is the only clock, and it finds what a lost notification or a dead process left behind.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

import psycopg
import structlog

from refdesk.accounts import Scope
from refdesk.gateway.background import background
from refdesk.gateway.calls import Notice
from refdesk.gateway.limits.errors import LimitsUnavailable, ModelQueueTimeout
from refdesk.gateway.listening import Listener
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.statements import Statements
from refdesk.kit.ids import new_id

log = structlog.get_logger(__name__)

PERMITS_CHANNEL = "refdesk_permits"
LEASE_S = 15.0
HEARTBEAT_S = 4.0
# People first; work that nobody waits for only takes what they leave.
_URGENCY = {"index": 2, "evaluate": 2, "other": 1}

type OnNotice = Callable[[Notice], None]


class QueuedModel(Protocol):
    """What the queue needs to know of a model; `concurrency` None has no queue."""

    @property
    def id(self) -> UUID: ...

    @property
    def concurrency(self) -> int | None: ...


@dataclass(slots=True, eq=False)
class _Ticket:
    id: UUID
    model_id: UUID
    granted: asyncio.Event = field(default_factory=asyncio.Event)
    on_notice: OnNotice | None = None
    place: int = 0


class Permits:
    """Hands out permits. One of it a process."""

    def __init__(self, statements: Statements, listener: Listener, *, timeout_s: float) -> None:
        self._statements = statements
        self._listener = listener
        self._timeout_s = timeout_s
        self._tickets: dict[UUID, _Ticket] = {}
        self._moved: set[UUID] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._heart: asyncio.Task[None] | None = None
        self._placing: asyncio.Task[None] | None = None
        listener.on(PERMITS_CHANNEL, self._told)

    @asynccontextmanager
    async def permit(
        self, scope: Scope, purpose: Purpose, model: QueuedModel, on_notice: OnNotice | None = None
    ) -> AsyncGenerator[None]:
        """Hold one of the model's permits for the time of the block.

        While there is none, `on_notice` gets `Notice("queued", {"place": n})` whenever the place changes.
        Raises `ModelQueueTimeout` or `LimitsUnavailable`. However the block is left, the ticket is gone.
        """
        if model.concurrency is None:
            yield
            return
        ticket = _Ticket(new_id(), model.id, on_notice=on_notice)
        self._tickets[ticket.id] = ticket
        self._listener.start()
        self._keep_alive()
        try:
            await self._enter(ticket, scope, purpose)
            yield
        finally:
            del self._tickets[ticket.id]
            self._later(self._leave([ticket.id]))

    async def close(self) -> None:
        """Give back what is on its way back; open permits are the caller's to close before."""
        for task in (self._heart, self._placing):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)

    async def _enter(self, ticket: _Ticket, scope: Scope, purpose: Purpose) -> None:
        party = str(purpose.application_id or "") + "/" + str(scope.user_id or scope.api_key_id or "")
        rows = await self._fetch(
            "SELECT enter_model_queue(%s, %s, %s, %s, %s, %s)",
            ticket.id,
            scope.workspace_id,
            ticket.model_id,
            party,
            _URGENCY.get(purpose.path, 0),
            LEASE_S,
        )
        if rows[0][0]:
            return
        self._place_soon(ticket.model_id)
        try:
            async with asyncio.timeout(self._timeout_s):
                await ticket.granted.wait()
        except TimeoutError:
            if not ticket.granted.is_set():
                raise ModelQueueTimeout(place=ticket.place, waited_s=self._timeout_s) from None

    async def _leave(self, tickets: list[UUID]) -> None:
        try:
            await self._fetch("SELECT leave_model_queue(%s)", tickets)
        except LimitsUnavailable:
            log.warning("permits.not-returned", tickets=len(tickets))  # their lease ends

    def _told(self, payload: str) -> None:
        """`model ticket` for a grant, `model` when places moved, "" when anything may have happened."""
        model, _, ticket = payload.partition(" ")
        granted = self._tickets.get(UUID(ticket)) if ticket else None
        if granted is not None:
            granted.granted.set()
        for model_id in self._awaited():
            if not model or model_id == UUID(model):
                self._place_soon(model_id)

    def _awaited(self) -> set[UUID]:
        """The models that calls of this process wait for."""
        return {one.model_id for one in self._tickets.values() if not one.granted.is_set()}

    def _place_soon(self, model_id: UUID) -> None:
        self._moved.add(model_id)
        if self._placing is None or self._placing.done():
            self._placing = background(self._tell_places(), "permits-places")

    async def _tell_places(self) -> None:
        while self._moved:
            model_id = self._moved.pop()
            try:
                await self._look(model_id)
            except LimitsUnavailable:
                return  # the heartbeat looks again

    async def _look(self, model_id: UUID) -> None:
        """The state of this process's tickets of one model: grants that went unheard, and places."""
        rows = await self._fetch("SELECT ticket, place FROM places_in_model_queue(%s)", model_id)
        for ticket_id, place in rows:
            ticket = self._tickets.get(ticket_id)
            if ticket is None or ticket.granted.is_set():
                continue
            if place == 0:
                ticket.granted.set()
            elif place != ticket.place:
                ticket.place = place
                if ticket.on_notice is not None:
                    ticket.on_notice(Notice("queued", {"place": place}))

    def _keep_alive(self) -> None:
        if self._heart is None or self._heart.done():
            self._heart = background(self._beat(), "permits-heart")

    async def _beat(self) -> None:
        while self._tickets:
            await asyncio.sleep(HEARTBEAT_S)
            own = list(self._tickets)
            models = self._awaited()
            try:
                await self._fetch("SELECT renew_model_permits(%s, %s)", own, LEASE_S)
                for model_id in models:
                    await self._fetch("SELECT grant_model_permits(%s)", model_id)
                    await self._look(model_id)
            except LimitsUnavailable:
                log.warning("permits.heartbeat-failed", tickets=len(own))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        """In the background, so that neither a cancelled nor a finished call waits for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fetch(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        try:
            return await self._statements.fetch(statement, parameters)
        except psycopg.Error as error:
            raise LimitsUnavailable(reason=type(error).__name__) from error
