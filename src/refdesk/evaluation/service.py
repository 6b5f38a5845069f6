"""Test sets: kept, changed, and made ready to be run."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Role, Scope, audit
from refdesk.evaluation.cases import Case, Expected, Totals
from refdesk.evaluation.errors import TestSetFull, TestSetNameTaken, TestSetNotFound, TestSetWithoutBases
from refdesk.evaluation.expectations import Library
from refdesk.evaluation.repository import TestSetRepository
from refdesk.evaluation.schemas import (
    AddedQuestions,
    NamedBase,
    NewTestSet,
    QuestionChange,
    QuestionInput,
    TestQuestionView,
    TestRunView,
    TestSetChange,
    TestSetView,
    TotalsView,
    unknown_of,
)
from refdesk.evaluation.tables import TestQuestion, TestRun, TestSet
from refdesk.kit.errors import CursorInvalid
from refdesk.kit.ids import new_id
from refdesk.kit.web import Page
from refdesk.knowledge import KnowledgeBase, KnowledgeBaseRepository

MAX_IN_SET = 20_000
RUNS_KEPT = 50


class TestSets:
    """The test sets of the scope's workspace, within the session's transaction."""

    __test__ = False  # pytest takes the name for a class of tests

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = TestSetRepository(session, scope)
        self.bases = KnowledgeBaseRepository(session, scope)

    async def page(self, *, limit: int, cursor: str | None, base_id: UUID | None) -> Page[TestSetView]:
        """Sets by name; the cursor is the last name seen."""
        found, total = await self.repository.page(limit=limit + 1, after=cursor, base_id=base_id)
        shown = found[:limit]
        following = shown[-1].name if len(found) > limit else None
        return Page(items=await self._views(shown), next_cursor=following, total=total)

    async def get(self, set_id: UUID) -> TestSetView:
        return (await self._views([await self._get(set_id)]))[0]

    async def create(self, body: NewTestSet) -> TestSetView:
        """A set over these bases. Raises `TestSetNameTaken`, `NotFound` for a base that is not there."""
        await self.bases.get_many(body.knowledge_base_ids)
        await self._require_free(body.name)
        made = TestSet(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            name=body.name,
            knowledge_base_ids=list(dict.fromkeys(body.knowledge_base_ids)),
            created_by=self.scope.user_id,
        )
        self.session.add(made)
        await self.session.flush()
        await self._add(made, body.questions)
        audit(self.session, self.scope, "test-set.create", ("test_set", made.id), name=made.name)
        return await self.get(made.id)

    async def change(self, set_id: UUID, body: TestSetChange) -> TestSetView:
        """Rename a set, or give it other bases."""
        found = await self._get(set_id, lock=True)
        if body.name is not None and body.name != found.name:
            await self._require_free(body.name)
            found.name = body.name
        if body.knowledge_base_ids is not None:
            await self.bases.get_many(body.knowledge_base_ids)
            found.knowledge_base_ids = list(dict.fromkeys(body.knowledge_base_ids))
        await self.session.flush()
        return await self.get(set_id)

    async def delete(self, set_id: UUID) -> None:
        """Remove a set with its questions and runs."""
        found = await self._get(set_id, lock=True)
        audit(self.session, self.scope, "test-set.delete", ("test_set", found.id), name=found.name)
        await self.session.delete(found)

    async def questions(self, set_id: UUID, *, limit: int, cursor: str | None) -> Page[TestQuestionView]:
        """Questions in their order; the cursor is the last position seen."""
        await self._get(set_id)
        if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise CursorInvalid
        after = None if cursor is None else int(cursor)
        found = await self.repository.questions(set_id, limit=limit + 1, after=after)
        shown = found[:limit]
        total = (await self.repository.question_counts([set_id])).get(set_id, 0)
        following = str(shown[-1].position) if len(found) > limit else None
        return Page(items=await self._question_views(shown), next_cursor=following, total=total)

    async def all_questions(self, set_id: UUID) -> list[TestQuestionView]:
        await self._get(set_id)
        return await self._question_views(await self.repository.questions(set_id))

    async def add(self, set_id: UUID, questions: Sequence[QuestionInput]) -> AddedQuestions:
        """Add questions at the end. Raises `TestSetFull`."""
        return await self._add(await self._get(set_id, lock=True), questions)

    async def change_question(self, question_id: UUID, body: QuestionChange) -> TestQuestionView:
        """Word a question otherwise, or expect something else of it.

        What the caller cannot see of the expectation stays, unless `forget_unavailable` says otherwise:
        nobody takes away what they do not know of.
        """
        question = await self._question(question_id)
        test_set = await self._get(question.test_set_id, lock=True)
        if body.question is not None:
            question.question = body.question
        old = await Library.of_stored(self.session, self.scope, [question])
        given = QuestionInput(
            question=question.question,
            documents=body.documents or [],
            paragraph_ids=body.paragraph_ids or [],
        )
        new = await Library.of_given(self.session, self.scope, test_set.knowledge_base_ids, [given])
        wanted = new.of_input(given)

        def replaced(stored: list[UUID], seen: set[UUID], change: frozenset[UUID] | None) -> list[UUID]:
            hidden = [] if body.forget_unavailable else [key for key in stored if key not in seen]
            return [*hidden, *(sorted(change) if change is not None else [k for k in stored if k in seen])]

        question.expected_document_ids = replaced(
            question.expected_document_ids,
            set(old.documents),
            wanted.document_ids if body.documents is not None else None,
        )
        question.expected_paragraph_ids = replaced(
            question.expected_paragraph_ids,
            set(old.paragraphs),
            wanted.paragraph_ids if body.paragraph_ids is not None else None,
        )
        if body.expects_nothing is not None:
            question.expects_nothing = body.expects_nothing
        if question.expected_document_ids or question.expected_paragraph_ids:
            question.expects_nothing = False
        await self.session.flush()
        (view,) = await self._question_views([question])
        view.expected.unknown = list(wanted.unknown)
        return view

    async def delete_question(self, question_id: UUID) -> None:
        await self.session.delete(await self._question(question_id))

    async def cases(self, set_id: UUID) -> tuple[list[Case], Library]:
        """The questions of a set, ready to be run, and the documents they speak of."""
        await self._get(set_id)
        questions = await self.repository.questions(set_id)
        library = await Library.of_stored(self.session, self.scope, questions)
        return [Case(one.question, library.of_question(one), one.id) for one in questions], library

    async def bases_of(self, set_id: UUID) -> list[UUID]:
        """The bases of a set that are there. Raises `TestSetWithoutBases`."""
        found = await self._existing((await self._get(set_id)).knowledge_base_ids)
        if not found:
            raise TestSetWithoutBases
        return list(found)

    async def keep_run(self, set_id: UUID, settings: dict[str, Any], totals: Totals) -> None:
        """Keep the figures of a run, if the caller may change the set: its history is that of those people,
        who as a rule see the same documents."""
        if self.scope.role < Role.EDITOR or "write" not in self.scope.permissions:
            return
        if await self.repository.find(set_id) is None:
            return
        run = TestRun(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            test_set_id=set_id,
            settings=settings,
            totals=TotalsView.of(totals).model_dump(),
            created_by=self.scope.user_id,
        )
        self.session.add(run)
        await self.session.flush()
        await self.repository.forget_runs(set_id, keep=RUNS_KEPT)

    async def runs(self, set_id: UUID) -> list[TestRunView]:
        """The runs that were kept, the newest first."""
        await self._get(set_id)
        return [_run_view(run) for run in await self.repository.runs(set_id, limit=RUNS_KEPT)]

    async def _add(self, test_set: TestSet, questions: Sequence[QuestionInput]) -> AddedQuestions:
        position = await self.repository.last_position(test_set.id)
        held = (await self.repository.question_counts([test_set.id])).get(test_set.id, 0)
        if held + len(questions) > MAX_IN_SET:
            raise TestSetFull(questions=held + len(questions), limit=MAX_IN_SET)
        library = await Library.of_given(self.session, self.scope, test_set.knowledge_base_ids, questions)
        expected: list[Expected] = [library.of_input(one) for one in questions]
        self.session.add_all(
            TestQuestion(
                id=new_id(),
                workspace_id=self.scope.workspace_id,
                test_set_id=test_set.id,
                position=position + number,
                question=one.question,
                expected_document_ids=sorted(wanted.document_ids),
                expected_paragraph_ids=sorted(wanted.paragraph_ids),
                expects_nothing=wanted.is_unanswerable,
            )
            for number, (one, wanted) in enumerate(zip(questions, expected, strict=True), 1)
        )
        await self.session.flush()
        unknown = unknown_of(questions, [wanted.unknown for wanted in expected])
        return AddedQuestions(added=len(questions), unknown=unknown)

    async def _get(self, set_id: UUID, *, lock: bool = False) -> TestSet:
        found = await self.repository.find(set_id, lock=lock)
        if found is None:
            raise TestSetNotFound
        return found

    async def _question(self, question_id: UUID) -> TestQuestion:
        found = await self.repository.question(question_id)
        if found is None:
            raise TestSetNotFound("There is no such question of a test set.")
        return found

    async def _require_free(self, name: str) -> None:
        if await self.repository.named(name) is not None:
            raise TestSetNameTaken(name=name)

    async def _existing(self, base_ids: Sequence[UUID]) -> dict[UUID, KnowledgeBase]:
        found = {key: await self.bases.find(key) for key in dict.fromkeys(base_ids)}
        return {key: base for key, base in found.items() if base is not None}

    async def _views(self, sets: Sequence[TestSet]) -> list[TestSetView]:
        ids = [one.id for one in sets]
        counts = await self.repository.question_counts(ids)
        runs = await self.repository.last_runs(ids)
        bases = await self._existing([key for one in sets for key in one.knowledge_base_ids])
        return [
            TestSetView(
                id=one.id,
                name=one.name,
                knowledge_bases=[
                    NamedBase(id=key, name=bases[key].name) for key in one.knowledge_base_ids if key in bases
                ],
                missing_bases=sum(key not in bases for key in one.knowledge_base_ids),
                question_count=counts.get(one.id, 0),
                last_run=_run_view(runs[one.id]) if one.id in runs else None,
                created_at=one.created_at,
                updated_at=one.updated_at,
            )
            for one in sets
        ]

    async def _question_views(self, questions: Sequence[TestQuestion]) -> list[TestQuestionView]:
        library = await Library.of_stored(self.session, self.scope, questions)
        return [
            TestQuestionView(
                id=one.id,
                position=one.position,
                question=one.question,
                expected=library.view(library.of_question(one)),
            )
            for one in questions
        ]


def _run_view(run: TestRun) -> TestRunView:
    totals = TotalsView.model_validate(run.totals)
    return TestRunView(id=run.id, created_at=run.created_at, settings=run.settings, totals=totals)
