"""The runs of this process: submitted, worked on, followed, cancelled, saved.

A run is a row and a task that outlives the connection that asked. The process holds a lease on it, renews it
every 10 s, and ends as `interrupted` (text kept) whatever it finds whose lease ran out. A listener that
leaves changes nothing; a cancel from any process, a shutdown or a lost lease ends the task, which closes the
model's socket.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

import orjson
import structlog
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError

from refdesk.accounts import Scope
from refdesk.chat import leases
from refdesk.chat.context import RunContext, Services, ToolSource
from refdesk.chat.conversation_events import ConversationEvents
from refdesk.chat.errors import DatabaseUnavailable, RunTimedOut
from refdesk.chat.events import RunEvent, encode
from refdesk.chat.following import follow_logged
from refdesk.chat.journal import RunJournal
from refdesk.chat.log_writer import LogWriter
from refdesk.chat.pipeline import answer_question
from refdesk.chat.previewing import Preview, preview
from refdesk.chat.profile import ApplicationProfiles, RunProfile, RunSubmission
from refdesk.chat.prompts import Situation
from refdesk.chat.recorder import RunRecorder
from refdesk.chat.repository import RunRepository
from refdesk.chat.schemas import RunOut
from refdesk.chat.service import RunService
from refdesk.chat.signals import RunSignals
from refdesk.chat.slots import RunSlots
from refdesk.chat.submission import Desk, PlannedRun, plan
from refdesk.chat.tables import Run
from refdesk.chat.verification import unchecked
from refdesk.chat.views import run_view
from refdesk.gateway import Gateway
from refdesk.kit import sse
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings
from refdesk.knowledge import ParagraphRepository
from refdesk.retrieval import Retriever

log = structlog.get_logger(__name__)

RENEW_EVERY_S = leases.LEASE_S / 3
FORGET_EVERY_S = 300.0
SAVE_ATTEMPTS = 6
STOP_PATIENCE_S = 10.0

Ending = Literal["cancelled", "interrupted", "lost"]


@dataclass(slots=True, eq=False)
class ActiveRun:
    """A run of this process. `ending` says why its task was cancelled, once it was."""

    planned: PlannedRun
    submission: RunSubmission
    recorder: RunRecorder
    starts_now: bool
    task: asyncio.Task[None] | None = None
    ending: Ending | None = None
    concluding: bool = False

    @property
    def id(self) -> UUID:
        return self.planned.run.id

    @property
    def journal(self) -> RunJournal:
        return self.recorder.journal

    def is_of(self, scope: Scope) -> bool:
        mine = self.planned.scope
        return (mine.workspace_id, mine.user_id, mine.api_key_id) == (
            scope.workspace_id,
            scope.user_id,
            scope.api_key_id,
        )

    def end(self, why: Ending) -> None:
        """Ask the task to end; the first reason counts."""
        if self.ending is None and not self.concluding and self.task is not None:
            self.ending = why
            self.task.cancel()


class RunManager:
    """Process-wide. `start` and `stop` belong to the application's lifespan."""

    def __init__(
        self,
        database: Database,
        gateway: Gateway,
        retriever: Retriever,
        settings: Settings,
        profiles: ApplicationProfiles,
        tools: ToolSource | None = None,
    ) -> None:
        self.owner = f"{socket.gethostname()[:30]}:{os.getpid()}:{secrets.token_hex(6)}"
        self._database = database
        self._settings = settings
        self._services = Services(database, gateway, retriever, tools)
        self._desk = Desk(self.owner, settings.max_question_chars, profiles)
        self._slots = RunSlots(settings.run_concurrency, settings.run_queue_length)
        self._active: dict[UUID, ActiveRun] = {}
        self._writer = LogWriter(database, self.owner, self._lost)
        self._signals = RunSignals(database.url, self._cancel_requested)
        self.conversations = ConversationEvents(database, self._signals)
        self._background: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin writing logs, renewing leases, listening and sweeping."""
        self._background = [
            asyncio.create_task(self._writer.run(), name="runs.log"),
            asyncio.create_task(self._signals.run(), name="runs.signals"),
            asyncio.create_task(_every(RENEW_EVERY_S, self._renew), name="runs.renew"),
            asyncio.create_task(_every(RENEW_EVERY_S, self._sweep), name="runs.sweep"),
            asyncio.create_task(_every(FORGET_EVERY_S, self._forget), name="runs.forget"),
        ]

    async def stop(self) -> None:
        """End all runs as `interrupted` with their text kept, then the background tasks."""
        for active in list(self._active.values()):
            active.end("interrupted")
        tasks = [active.task for active in self._active.values() if active.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_PATIENCE_S)
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    @property
    def services(self) -> Services:
        """What runs of this process work with."""
        return self._services

    @property
    def profiles(self) -> ApplicationProfiles:
        """Where the profiles of applications come from."""
        return self._desk.profiles

    @property
    def active_runs(self) -> int:
        """Runs this process works on, including what it does after a run's last event."""
        return len(self._active)

    async def submit(self, scope: Scope, submission: RunSubmission) -> RunOut:
        """Store the run and begin it; its `run.started` event exists when this returns.

        Raises `DatabaseUnavailable` where it cannot be stored now.
        """
        starts_now = self._slots.reserve()
        try:
            async with self._database.transaction() as session:
                planned = await plan(session, scope, submission, self._desk, starts_now=starts_now)
        except BaseException as error:  # also a client that left meanwhile
            self._slots.give_back(reserved=starts_now)
            if isinstance(error, OperationalError | InterfaceError):
                raise DatabaseUnavailable() from error
            raise
        age_s = (now() - planned.run.created_at).total_seconds()
        recorder = RunRecorder(RunJournal(planned.run.id), age_s)
        active = ActiveRun(planned, submission, recorder, starts_now)
        self._active[active.id] = active
        self._writer.add(active.journal)
        active.journal.emit(
            "run.started",
            {
                "run_id": str(active.id),
                "conversation_id": str(planned.run.conversation_id),
                "question": planned.run.question,
            },
        )
        for code, message in planned.warnings:
            active.recorder.warning(code, message)
        # Eager: the task is past its first line when this returns, so a cancel always finds its `except`.
        active.task = asyncio.Task(
            self._work(active),
            loop=asyncio.get_running_loop(),
            name=f"run {active.id}",
            eager_start=True,
        )
        return run_view(planned.run)

    async def follow(self, scope: Scope, run_id: UUID, after_seq: int = 0) -> AsyncIterator[RunEvent]:
        """The run's events after `after_seq` until `run.finished`. Raises `RunNotFound`."""
        async with aclosing(await self._batches(scope, run_id, after_seq)) as batches:
            async for batch in batches:
                for event in batch:
                    yield event

    async def frames(
        self,
        scope: Scope,
        run_id: UUID,
        after_seq: int = 0,
        *,
        admitted: Callable[[], Awaitable[bool]] | None = None,
    ) -> AsyncIterator[bytes]:
        """The same as server-sent events with heartbeats; raises `RunNotFound` before the stream begins.

        `admitted` is asked every 15 s whether the listener still may listen; the stream ends if not.
        """
        batches = await self._batches(scope, run_id, after_seq)
        return _framed(batches, admitted)

    async def cancel(self, scope: Scope, run_id: UUID) -> RunOut:
        """End the run wherever it lives; its text is kept. A run that is over stays as it is."""
        async with self._database.transaction() as session:
            run = await RunRepository(session, scope).get(run_id)
            if run.state in leases.ACTIVE and run_id not in self._active:
                await leases.request_cancel(session, run_id)
        active = self._active.get(run_id)
        if active is not None and active.task is not None:
            active.end("cancelled")
            await asyncio.wait([active.task], timeout=STOP_PATIENCE_S)
        async with self._database.transaction() as session:
            return await RunService(session, scope).get(run_id)

    async def preview(
        self,
        scope: Scope,
        profile: RunProfile,
        question: str,
        situation: Situation | None = None,
        tool_text: str = "",
    ) -> Preview:
        """The messages a model would get for a question; nothing is asked and nothing stored."""
        return await preview(
            self._services, scope, profile, question, situation=situation, tool_text=tool_text
        )

    async def _batches(self, scope: Scope, run_id: UUID, after: int) -> AsyncGenerator[list[RunEvent]]:
        active = self._active.get(run_id)
        if active is None or not active.is_of(scope):
            active = None
            async with self._database.transaction() as session:
                await RunRepository(session, scope).get(run_id)
        return self._all_batches(active, scope, run_id, after)

    async def _all_batches(
        self, active: ActiveRun | None, scope: Scope, run_id: UUID, after: int
    ) -> AsyncGenerator[list[RunEvent]]:
        if active is not None:
            async with aclosing(active.journal.follow(after, patience_s=sse.HEARTBEAT_INTERVAL_S)) as local:
                async for batch in local:
                    yield batch
                    if batch:
                        after = batch[-1].seq
                        if batch[-1].name == "run.finished":
                            return
        logged = follow_logged(self._database, self._signals, scope, run_id, after)
        async with aclosing(logged) as batches:
            async for batch in batches:
                yield batch

    async def _work(self, active: ActiveRun) -> None:
        recorder = active.recorder
        state = "failed"
        # The task has a context of its own, so this ends with it.
        asked = structlog.contextvars.get_contextvars().get("request_id") or active.id.hex
        structlog.contextvars.bind_contextvars(request_id=asked, run_id=str(active.id))
        try:
            slot = self._slots.slot(active.journal, reserved=active.starts_now)
            async with slot, asyncio.timeout(None) as deadline:
                if not active.starts_now:
                    async with self._database.transaction() as session:
                        if not await leases.start(session, self.owner, active.id):
                            return self._give_up(active)
                deadline.reschedule(asyncio.get_running_loop().time() + self._settings.run_timeout_s)
                context = await RunContext.open(self._services, active.planned, active.submission, recorder)
                structlog.contextvars.bind_contextvars(model_id=recorder.model_id)
                await answer_question(context)
            state = "finished"
        except asyncio.CancelledError:
            state = active.ending or "interrupted"
        except TimeoutError:
            recorder.fail(RunTimedOut.code, RunTimedOut.message, RunTimedOut.hint)
        except AppError as error:
            recorder.fail(error.code, error.text, error.hint_text, error.details.get("retry_after_s"))
        except (OperationalError, InterfaceError) as error:
            log.warning("runs.database-lost", run_id=str(active.id), error=type(error).__name__)
            lost = DatabaseUnavailable()
            recorder.fail(lost.code, lost.text, lost.hint_text)
        except Exception:
            log.exception("runs.crashed", run_id=str(active.id))
            recorder.fail("internal", "Something went wrong on the server.", "Its log has the details.")
        active.concluding = True
        if state == "lost":
            return self._give_up(active)
        await self._conclude(active, state)
        return None

    async def _conclude(self, active: ActiveRun, state: str) -> None:
        record = _record(active, state)
        row: Run | None = None
        for attempt in range(SAVE_ATTEMPTS):
            try:
                async with self._database.transaction() as session:
                    row = await leases.finish(session, self.owner, active.id, record)
                break
            except (SQLAlchemyError, OSError) as error:
                log.warning("runs.not-saved", run_id=str(active.id), error=type(error).__name__)
                await asyncio.sleep(2**attempt / 4)
        if row is None:
            return self._give_up(active)
        shown = run_view(row).model_dump(mode="json")
        active.journal.emit("run.finished", {"state": state, "run": shown})
        active.journal.close()
        try:
            await self._writer.flush(active.id)
        except (SQLAlchemyError, OSError) as error:
            log.warning("runs.log-not-written", error=type(error).__name__)
        await self._count_hits(active)
        return self._give_up(active)

    async def _count_hits(self, active: ActiveRun) -> None:
        hits = [UUID(hit["paragraph_id"]) for hit in active.recorder.retrieval.get("hits", ())]
        try:
            async with self._database.transaction() as session:
                await ParagraphRepository(session, active.planned.scope).count_hits(hits)
        except (SQLAlchemyError, OSError) as error:  # a statistic: not worth a run
            log.warning("runs.hits-not-counted", error=type(error).__name__)

    def _give_up(self, active: ActiveRun) -> None:
        """Forget the run here; its listeners go on from the log."""
        active.journal.close()
        self._writer.remove(active.id)
        self._active.pop(active.id, None)

    def _lost(self, run_id: UUID) -> None:
        active = self._active.get(run_id)
        # One that has just ended is no longer renewed either, and not lost.
        if active is not None and not active.concluding and active.ending is None:
            log.warning("runs.lost", run_id=str(run_id))
            active.end("lost")

    def _cancel_requested(self, run_id: UUID) -> None:
        if active := self._active.get(run_id):
            active.end("cancelled")

    async def _renew(self) -> None:
        before = [run_id for run_id, active in self._active.items() if not active.concluding]
        if not before:
            return
        async with self._database.transaction() as session:
            held = await leases.renew(session, self.owner)
        for run_id in before:
            if held.get(run_id) is True:
                self._cancel_requested(run_id)
            elif run_id not in held:
                self._lost(run_id)

    async def _sweep(self) -> None:
        async with self._database.transaction() as session:
            swept = await leases.sweep(session, unchecked)
        if swept:
            log.info("runs.swept", runs=len(swept))

    async def _forget(self) -> None:
        async with self._database.transaction() as session:
            await leases.forget_events(session)
        days = self._settings.key_conversation_days
        if days:
            async with self._database.transaction() as session:
                await leases.forget_key_conversations(session, days)


def _record(active: ActiveRun, state: str) -> dict[str, Any]:
    recorder = active.recorder
    # An answer that was cut short was not compared with anything, and must not look as if it had been.
    if state != "finished" and not recorder.sentences:
        recorder.sentences = unchecked(recorder.answer)
    documents = {
        "profile": active.planned.profile.to_json() | {"model_id": recorder.model_id},
        "retrieval": recorder.retrieval,
        "citations": recorder.citations,
        "sentences": recorder.sentences,
        "stages": recorder.stages,
        "warnings": recorder.warnings,
        "usage": recorder.usage,
        "error": recorder.error,
        "form": recorder.form_asked if state == "finished" else None,
    }
    cleaned: dict[str, Any] = orjson.loads(encode(documents))
    return cleaned | {
        "state": state,
        "answer": recorder.answer,
        "standalone_question": recorder.standalone_question,
    }


async def _framed(
    batches: AsyncGenerator[list[RunEvent]], admitted: Callable[[], Awaitable[bool]] | None
) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    asked_at = loop.time()
    async with aclosing(batches):
        async for batch in batches:
            # Without events a heartbeat comes this often, and with them the clock decides.
            if admitted is not None and (not batch or loop.time() - asked_at >= sse.HEARTBEAT_INTERVAL_S):
                asked_at = loop.time()
                if not await admitted():
                    return
            yield b"".join([event.frame() for event in batch]) if batch else sse.HEARTBEAT


async def _every(interval_s: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await work()
        except (SQLAlchemyError, OSError) as error:
            log.warning("runs.upkeep-failed", work=work.__name__, error=type(error).__name__)
        await asyncio.sleep(interval_s)
