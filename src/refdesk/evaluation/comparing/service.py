"""Comparisons: begun, shown, stopped, deleted."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, asker_of, audit
from refdesk.chat import RunManager, RunOut, RunService, TraceService, forget_unlisted
from refdesk.evaluation.comparing.judging import figures_of
from refdesk.evaluation.comparing.repository import UNDER_WAY, ComparisonRepository
from refdesk.evaluation.comparing.schemas import (
    MOST_QUESTIONS,
    AnswerCitation,
    ComparedAnswer,
    ComparedQuestion,
    ComparedVariant,
    ComparisonFigures,
    ComparisonView,
    NewComparison,
    Variant,
)
from refdesk.evaluation.comparing.tables import Comparison, ComparisonAnswer
from refdesk.evaluation.comparing.variants import profile_of
from refdesk.evaluation.errors import (
    ComparisonAnswersPrivate,
    ComparisonEmpty,
    ComparisonModelMissing,
    ComparisonNotFound,
    ComparisonTooLarge,
    ComparisonUnderWay,
)
from refdesk.evaluation.expectations import Library
from refdesk.evaluation.repository import TestSetRepository
from refdesk.evaluation.service import TestSets
from refdesk.evaluation.tables import TestQuestion
from refdesk.jobs import enqueue
from refdesk.kit.clock import now
from refdesk.kit.errors import CursorInvalid
from refdesk.kit.ids import new_id
from refdesk.kit.web import Page
from refdesk.retrieval import check_strategy_name

COMPARE = "compare-test-set"


class Comparisons:
    """The comparisons of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope
        self._repository = ComparisonRepository(session, scope)
        self._sets = TestSets(session, scope)

    async def create(self, runs: RunManager, set_id: UUID, body: NewComparison) -> ComparisonView:
        """Begin one. Raises `TestSetNotFound`, `TestSetWithoutBases`, what a variant can have wrong, and the
        errors of this room."""
        base_ids = tuple(await self._sets.bases_of(set_id))
        await self._check(runs, body.variants, base_ids)
        sets = TestSetRepository(self._session, self._scope)
        await sets.find(set_id, lock=True)
        if await self._repository.is_under_way(set_id):
            raise ComparisonUnderWay
        questions = _chosen(await sets.questions(set_id), body.questions)
        made = Comparison(
            id=new_id(),
            workspace_id=self._scope.workspace_id,
            test_set_id=set_id,
            knowledge_base_ids=list(base_ids),
            variants=[variant.model_dump(mode="json", exclude_none=True) for variant in body.variants],
            asker=asker_of(self._scope),
            state="queued",
            question_count=len(questions),
            created_by=self._scope.user_id,
            created_at=now(),
        )
        self._session.add(made)
        await self._session.flush()
        self._session.add_all(
            ComparisonAnswer(
                comparison_id=made.id,
                workspace_id=self._scope.workspace_id,
                place=place,
                variant=variant,
                question_id=question.id,
                question=question.question,
                figures={},
            )
            for place, question in enumerate(questions, 1)
            for variant in range(len(body.variants))
        )
        await enqueue(
            self._session,
            COMPARE,
            lock=f"comparison:{made.id}",
            workspace_id=str(self._scope.workspace_id),
            comparison_id=str(made.id),
        )
        audit(self._session, self._scope, "comparison.create", ("comparison", made.id))
        await self._session.flush()
        return (await self._views([made]))[0]

    async def of_set(self, set_id: UUID) -> list[ComparisonView]:
        """Those of a test set with their figures, the newest first. Raises `TestSetNotFound`."""
        await self._sets.get(set_id)
        return await self._views(await self._repository.of_set(set_id))

    async def get(self, comparison_id: UUID) -> ComparisonView:
        """Raises `ComparisonNotFound`."""
        return (await self._views([await self._get(comparison_id)]))[0]

    async def cancel(self, comparison_id: UUID) -> ComparisonView:
        """Ask nothing more; what is there stays. One that is over stays as it is."""
        found = await self._get(comparison_id, lock=True)
        if found.state in UNDER_WAY:
            found.state, found.attempt, found.finished_at = "cancelled", None, now()
            await self._session.flush()
        return (await self._views([found]))[0]

    async def delete(self, comparison_id: UUID) -> None:
        """Remove it with its answers; a job that is at it ends."""
        found = await self._get(comparison_id, lock=True)
        await self._forget_runs([found])
        audit(self._session, self._scope, "comparison.delete", ("comparison", found.id))
        await self._session.delete(found)

    async def forget_runs_of_set(self, set_id: UUID) -> None:
        """Remove the runs of a test set's comparisons, which nothing else shows; to be called before the set
        goes, and the comparisons with it."""
        await self._forget_runs(await self._repository.of_set(set_id))

    async def _forget_runs(self, comparisons: Sequence[Comparison]) -> None:
        answers = await self._repository.answers([one.id for one in comparisons])
        await forget_unlisted(self._session, self._scope, [one.run_id for one in answers if one.run_id])

    async def questions(
        self, comparison_id: UUID, *, limit: int, cursor: str | None, differing: bool
    ) -> Page[ComparedQuestion]:
        """Questions with their answers beside each other, as far as the caller may still see what they rest
        on. Raises `ComparisonAnswersPrivate`; the cursor is the last place seen."""
        found = await self._get(comparison_id)
        if not self._is_mine(found):
            raise ComparisonAnswersPrivate
        if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise CursorInvalid
        places, total = await self._repository.places(
            found.id, limit=limit + 1, after=int(cursor or 0), differing=differing
        )
        shown = places[:limit]
        answers = await self._repository.answers([found.id], places=shown)
        runs = await RunService(self._session, self._scope).many(
            [one.run_id for one in answers if one.run_id]
        )
        known = await TestSetRepository(self._session, self._scope).questions(found.test_set_id)
        wanted = {one.question_id for one in answers}
        stored = {one.id: one for one in known if one.id in wanted}
        library = await Library.of_stored(self._session, self._scope, stored.values())
        return Page(
            items=[
                _compared(place, [one for one in answers if one.place == place], stored, library, runs)
                for place in shown
            ],
            next_cursor=str(shown[-1]) if len(places) > limit else None,
            total=total,
        )

    async def _check(self, runs: RunManager, variants: Sequence[Variant], base_ids: tuple[UUID, ...]) -> None:
        for variant in variants:
            if variant.strategy is not None:
                check_strategy_name(variant.strategy)
            await TraceService(self._session, self._scope).check(variant)
            profile, _ = await profile_of(self._session, self._scope, runs.profiles, variant, base_ids)
            if profile.answering == "agent" and not await runs.services.writes(self._scope, profile):
                raise ComparisonModelMissing(variant=variant.name)

    async def _get(self, comparison_id: UUID, *, lock: bool = False) -> Comparison:
        found = await self._repository.find(comparison_id, lock=lock)
        if found is None:
            raise ComparisonNotFound
        return found

    def _is_mine(self, comparison: Comparison) -> bool:
        return comparison.asker == asker_of(self._scope)

    async def _views(self, comparisons: Sequence[Comparison]) -> list[ComparisonView]:
        answers = await self._repository.answers([one.id for one in comparisons])
        return [
            self._view(one, [answer for answer in answers if answer.comparison_id == one.id])
            for one in comparisons
        ]

    def _view(self, comparison: Comparison, answers: Sequence[ComparisonAnswer]) -> ComparisonView:
        done = [(one.variant, one.outcome, one.figures) for one in answers if one.outcome is not None]
        variants = [
            ComparedVariant(
                settings=Variant.model_validate(settings),
                figures=ComparisonFigures.model_validate(
                    figures_of([(outcome, figures) for variant, outcome, figures in done if variant == n])
                ),
            )
            for n, settings in enumerate(comparison.variants)
        ]
        return ComparisonView(
            id=comparison.id,
            test_set_id=comparison.test_set_id,
            state=comparison.state,  # pyright: ignore[reportArgumentType]
            questions=comparison.question_count,
            done=len(done),
            total=len(answers),
            variants=variants,
            error=comparison.error,
            is_yours=self._is_mine(comparison),
            created_at=comparison.created_at,
            finished_at=comparison.finished_at,
        )


def _chosen(questions: Sequence[TestQuestion], wanted: int | None) -> list[TestQuestion]:
    """All of them, or so many evenly spread. Raises `ComparisonEmpty`, `ComparisonTooLarge`."""
    if not questions:
        raise ComparisonEmpty
    if wanted is None and len(questions) > MOST_QUESTIONS:
        raise ComparisonTooLarge(questions=len(questions), limit=MOST_QUESTIONS)
    count = min(wanted or len(questions), len(questions))
    return [questions[n * len(questions) // count] for n in range(count)]


def _compared(
    place: int,
    answers: Sequence[ComparisonAnswer],
    stored: dict[UUID, TestQuestion],
    library: Library,
    runs: dict[UUID, RunOut],
) -> ComparedQuestion:
    question = stored.get(answers[0].question_id) if answers[0].question_id is not None else None
    expected = library.of_question(question) if question is not None else None
    wanted: set[UUID] = set()
    if expected is not None:
        wanted = {*expected.document_ids, *expected.paragraph_ids}
    return ComparedQuestion(
        place=place,
        question=answers[0].question,
        expected=library.view(expected) if expected is not None else None,
        answers=[_answer(one, runs.get(one.run_id) if one.run_id else None, wanted) for one in answers],
    )


def _answer(row: ComparisonAnswer, run: RunOut | None, wanted: set[UUID]) -> ComparedAnswer:
    figures = row.figures
    return ComparedAnswer(
        variant=row.variant,
        outcome=row.outcome,  # pyright: ignore[reportArgumentType]
        run_id=run.id if run is not None else None,
        conversation_id=run.conversation_id if run is not None else None,
        answer=run.answer if run is not None else "",
        citations=[
            AnswerCitation(
                n=one.n,
                document_id=one.document_id,
                paragraph_id=one.paragraph_id,
                document=one.document,
                section=one.section,
                is_expected=one.paragraph_id in wanted or one.document_id in wanted,
            )
            for one in (run.citations if run is not None else ())
        ],
        recall=figures.get("recall"),
        sentences=figures.get("sentences", 0),
        unsupported=figures.get("unsupported", 0),
        elapsed_ms=figures.get("elapsed_ms", 0.0),
        input_tokens=figures.get("input_tokens", 0),
        output_tokens=figures.get("output_tokens", 0),
        costs=figures.get("costs", {}),
        error=figures.get("error"),
    )
