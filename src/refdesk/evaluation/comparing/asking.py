"""One run of the job of a comparison: each question of each variant as a whole run, one after another.

The variants of a question follow each other, so that whatever slows the machine or the model slows all of
them. Every answer is written as it comes: a job that was killed goes on behind the last one.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Role, Scope, scope_of_asker
from refdesk.chat import RunManager, RunService, forget_unlisted
from refdesk.evaluation.cases import Expected
from refdesk.evaluation.comparing.judging import Judged, judge_answer
from refdesk.evaluation.comparing.repository import UNDER_WAY, ComparisonRepository
from refdesk.evaluation.comparing.schemas import Variant
from refdesk.evaluation.comparing.tables import Comparison, ComparisonAnswer
from refdesk.evaluation.comparing.variants import profile_of, submission_of
from refdesk.evaluation.errors import ComparisonFailing
from refdesk.evaluation.service import TestSets
from refdesk.gateway import calls_of_run
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id

log = structlog.get_logger(__name__)

FAILURES_IN_A_ROW = 10
"""After so many, whatever the variant, the comparison ends: something is down, not the questions wrong."""
LOOK_EVERY_S = 1.0
RECORDED_AFTER_S = 1.5
"""Calls of models are in their record within a second."""

type Place = tuple[int, int]


class _Stopped(Exception):
    """Somebody cancelled or deleted it, or another job took over."""


@dataclass(slots=True)
class _Work:
    """What one job has to do. `unsettled` are runs whose costs are not known yet, with when they ended."""

    scope: Scope
    base_ids: tuple[UUID, ...]
    variants: list[Variant]
    changed: list[dict[str, Any]]
    expected: dict[UUID, Expected]
    todo: list[tuple[Place, str, UUID | None]]
    unsettled: dict[Place, tuple[UUID, float]] = field(default_factory=dict[Place, tuple[UUID, float]])


class ComparisonRun:
    """One run of the job `compare-test-set`."""

    def __init__(self, database: Database, runs: RunManager, workspace_id: UUID, comparison_id: UUID) -> None:
        self._database = database
        self._runs = runs
        self._system = Scope.system(workspace_id)
        self._id = comparison_id
        self._attempt = new_id()

    async def run(self) -> None:
        """Ask what has no outcome yet. What goes wrong is kept with the comparison."""
        if not await self._claim():
            return
        try:
            work = await self._prepare()
            await self._ask_all(work)
            if work.unsettled:
                await asyncio.sleep(RECORDED_AFTER_S)
                await self._settle(work, time.monotonic())
            await self._end("finished", None)
        except _Stopped:
            log.info("comparison.stopped", comparison_id=str(self._id))
        except (OperationalError, InterfaceError):
            raise  # the database is out of reach: the queue tries again
        except AppError as error:
            await self._end("failed", {"code": error.code, "reason": error.text, "hint": error.hint_text})
        except Exception:
            log.exception("comparison.crashed", comparison_id=str(self._id))
            reason = "Something went wrong inside Refdesk."
            await self._end(
                "failed", {"code": "internal", "reason": reason, "hint": "The worker's log has it."}
            )

    async def _claim(self) -> bool:
        async with self._database.transaction() as session:
            found = await ComparisonRepository(session, self._system).find(self._id, lock=True)
            if found is None or found.state not in UNDER_WAY:
                return False
            found.attempt, found.state, found.error = self._attempt, "running", None
            return True

    async def _owned(self, session: AsyncSession) -> Comparison:
        """The comparison, locked. Raises `_Stopped` if it is not ours to write."""
        found = await ComparisonRepository(session, self._system).find(self._id, lock=True)
        if found is None or found.attempt != self._attempt:
            raise _Stopped
        return found

    async def _prepare(self) -> _Work:
        """Raises `Forbidden` and `NotFound` where whoever asked may do so no more."""
        async with self._database.transaction() as session:
            found = await self._owned(session)
            scope = await scope_of_asker(session, self._system.workspace_id, found.asker)
            scope.require(Role.EDITOR, "write")
            answers = await ComparisonRepository(session, self._system).answers([self._id])
            await self._forget_unfinished(session, answers)
            cases, _ = await TestSets(session, scope).cases(found.test_set_id)
            variants = [Variant.model_validate(one) for one in found.variants]
            base_ids = tuple(found.knowledge_base_ids)
            changed = [
                (await profile_of(session, scope, self._runs.profiles, variant, base_ids))[1]
                for variant in variants
            ]
            return _Work(
                scope=scope,
                base_ids=base_ids,
                variants=variants,
                changed=changed,
                expected={case.question_id: case.expected for case in cases if case.question_id},
                todo=[
                    ((one.place, one.variant), one.question, one.question_id)
                    for one in answers
                    if one.outcome is None
                ],
                unsettled={
                    (one.place, one.variant): (one.run_id, 0.0)
                    for one in answers
                    if one.outcome is not None and one.run_id is not None and "costs" not in one.figures
                },
            )

    async def _forget_unfinished(self, session: AsyncSession, answers: list[ComparisonAnswer]) -> None:
        """Runs that an earlier job did not see the end of: they are asked anew."""
        left = [one for one in answers if one.outcome is None and one.run_id is not None]
        await forget_unlisted(session, self._system, [one.run_id for one in left if one.run_id])
        for one in left:
            one.run_id = None

    async def _ask_all(self, work: _Work) -> None:
        failures = 0
        for place, question, question_id in work.todo:
            expected = work.expected.get(question_id, Expected()) if question_id else Expected()
            try:
                judged = await self._ask(work, place, question, expected)
                failure = None if judged.outcome != "failed" else judged.error
            except AppError as error:
                judged, failure = Judged("failed", error=error.code), error
            await self._keep(work, place, judged)
            await self._settle(work, time.monotonic() - RECORDED_AFTER_S)
            failures = failures + 1 if failure is not None else 0
            if failures >= FAILURES_IN_A_ROW:
                raise failure if isinstance(failure, AppError) else ComparisonFailing(last=failure)

    async def _ask(self, work: _Work, place: Place, question: str, expected: Expected) -> Judged:
        """Raises what a submission can raise."""
        variant = place[1]
        async with self._database.transaction() as session:
            await self._owned(session)
        run = await self._runs.submit(
            work.scope,
            submission_of(work.variants[variant], work.changed[variant], question, work.base_ids),
        )
        await self._to_its_end(work.scope, place, run.id)
        work.unsettled[place] = run.id, time.monotonic()
        async with self._database.transaction() as session:
            return judge_answer(expected, await RunService(session, work.scope).get(run.id))

    async def _to_its_end(self, scope: Scope, place: Place, run_id: UUID) -> None:
        """Follow a run; whatever ends this before it ends the run as well."""
        following = asyncio.create_task(self._follow(scope, run_id), name=f"comparison follows {run_id}")
        try:
            async with self._database.transaction() as session:
                await self._owned(session)
                row = await ComparisonRepository(session, self._system).answer(self._id, *place)
                if row is not None:
                    row.run_id = run_id
            while not following.done():
                await asyncio.wait([following], timeout=LOOK_EVERY_S)
                async with self._database.transaction() as session:
                    await self._owned(session)
            await following
        except BaseException:
            following.cancel()
            await asyncio.shield(self._abandon(scope, run_id))
            raise

    async def _follow(self, scope: Scope, run_id: UUID) -> None:
        async for _ in self._runs.follow(scope, run_id):
            pass

    async def _abandon(self, scope: Scope, run_id: UUID) -> None:
        with suppress(AppError):  # deleted with its comparison
            await self._runs.cancel(scope, run_id)
        async with self._database.transaction() as session:
            await forget_unlisted(session, self._system, [run_id])

    async def _keep(self, work: _Work, place: Place, judged: Judged) -> None:
        async with self._database.transaction() as session:
            await self._owned(session)
            row = await ComparisonRepository(session, self._system).answer(self._id, *place)
            if row is not None:
                row.outcome, row.figures = judged.outcome, judged.to_json()

    async def _settle(self, work: _Work, ended_by: float) -> None:
        """Add the costs of answers whose runs ended by then: their calls are recorded by now."""
        due = {place: run_id for place, (run_id, ended) in work.unsettled.items() if ended <= ended_by}
        if not due:
            return
        async with self._database.transaction() as session:
            await self._owned(session)
            repository = ComparisonRepository(session, self._system)
            runs = await RunService(session, work.scope).many(list(due.values()))
            for place, run_id in due.items():
                del work.unsettled[place]
                row, run = await repository.answer(self._id, *place), runs.get(run_id)
                if row is None or run is None:
                    continue
                calls = await calls_of_run(session, self._system, run_id, run.created_at, run.finished_at)
                costs: dict[str, float] = {}
                for call in calls:
                    if call.cost is not None and call.currency:
                        costs[call.currency] = costs.get(call.currency, 0.0) + float(call.cost)
                row.figures = {**row.figures, "costs": costs}

    async def _end(self, state: str, error: dict[str, Any] | None) -> None:
        with suppress(_Stopped):
            async with self._database.transaction() as session:
                found = await self._owned(session)
                found.state, found.attempt, found.error = state, None, error
                found.finished_at = now()
