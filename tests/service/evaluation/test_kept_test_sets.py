"""Test sets over real documents: kept, changed, run; and what is said of documents that are gone."""

import pytest
from sqlalchemy import delete, select

from refdesk.accounts import Role, Scope
from refdesk.evaluation import (
    TestSetNameTaken,
    TestSetNotFound,
    TestSets,
    TestSetWithoutBases,
    run_test_set,
)
from refdesk.evaluation.expectations import Library as Named
from refdesk.evaluation.question_files import write_csv, write_jsonl
from refdesk.evaluation.schemas import NewTestSet, QuestionChange, QuestionInput
from refdesk.evaluation.tables import TestQuestion, TestRun
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge.tables import Document, KnowledgeBase
from refdesk.retrieval import SearchRequest
from refdesk.testing.library import Library, ShelvedBase, ShelvedDocument

TEXTS = (
    "报销差旅费需要在出差结束后三十天内提交发票。",
    "年假按照工龄计算，满一年不满十年的年假五天。",
)


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


async def shelved(library: Library) -> tuple[ShelvedBase, list[ShelvedDocument]]:
    base = await library.base()
    return base, [await library.add(base, [text]) for text in TEXTS]


def asked(document: ShelvedDocument) -> list[QuestionInput]:
    return [
        QuestionInput(question="差旅费报销需要什么发票", documents=[str(document.id)]),
        QuestionInput(question="年假按照工龄计算几天", documents=[f"DOCUMENT {document.id}"]),
        QuestionInput(question="量子计算机的工作原理", expects_nothing=True),
        QuestionInput(question="年假按照工龄", documents=["no such file"]),
    ]


async def keep(library: Library, base: ShelvedBase, questions: list[QuestionInput]) -> NewTestSet:
    return NewTestSet(name=f"set {new_id()}", knowledge_base_ids=[base.id], questions=questions)


async def test_a_set_is_run_from_python_and_judged(library: Library) -> None:
    base, documents = await shelved(library)
    async with library.database.transaction() as session:
        body = await keep(library, base, asked(documents[0]))
        made = await TestSets(session, library.scope).create(body)
    assert made.question_count == 4
    seen: list[str] = []
    result = await run_test_set(
        library.database,
        library.retriever,
        library.scope,
        made.id,
        SearchRequest("", (), mode="keywords"),
        on_result=lambda one: seen.append(one.outcome),
    )
    assert seen == ["hit", "elsewhere", "refused", "unjudged"]
    assert (result.totals.hit_at_5, result.totals.refused_when_not) == (0.5, 1.0)
    assert not result.is_complete
    strict = SearchRequest("", (), mode="keywords", similarity=0.99)
    result = await run_test_set(library.database, library.retriever, library.scope, made.id, strict)
    assert [one.outcome for one in result.results][:3] == ["missed", "missed", "refused"]


async def test_a_document_that_is_gone_is_counted_as_such(library: Library) -> None:
    base, documents = await shelved(library)
    async with library.database.transaction() as session:
        questions = [
            QuestionInput(question="差旅费", documents=[str(one.id) for one in documents]),
            QuestionInput(question="年假", documents=[str(documents[1].id)]),
        ]
        made = await TestSets(session, library.scope).create(await keep(library, base, questions))
        row = await session.get_one(Document, documents[1].id)
        row.deleted_at = now()
    async with library.database.transaction() as session:
        views = await TestSets(session, library.scope).all_questions(made.id)
    assert [(len(one.expected.documents), one.expected.unavailable) for one in views] == [(1, 1), (0, 1)]
    assert not any(one.expected.nothing for one in views)
    result = await run_test_set(library.database, library.retriever, library.scope, made.id)
    assert [one.outcome for one in result.results] == ["hit", "unjudged"]
    assert (result.totals.incomplete, result.totals.unjudged) == (1, 1)


async def test_a_change_keeps_what_the_caller_cannot_see(library: Library) -> None:
    base, documents = await shelved(library)
    async with library.database.transaction() as session:
        sets = TestSets(session, library.scope)
        ids = [str(one.id) for one in documents]
        made = await sets.create(await keep(library, base, [QuestionInput(question="q", documents=ids)]))
        (await session.get_one(Document, documents[1].id)).deleted_at = now()
        question_id = (await sets.all_questions(made.id))[0].id
        changed = await sets.change_question(question_id, QuestionChange(documents=[]))
        assert (changed.expected.documents, changed.expected.unavailable) == ([], 1)
        stored = await session.get_one(TestQuestion, question_id)
        assert stored.expected_document_ids == [documents[1].id]
        changed = await sets.change_question(
            question_id, QuestionChange(expects_nothing=True, forget_unavailable=True)
        )
        assert (changed.expected.nothing, changed.expected.unavailable) == (True, 0)


async def test_a_paragraph_may_be_expected(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, TEXTS)
    async with library.database.transaction() as session:
        question = QuestionInput(question=TEXTS[1], paragraph_ids=[document.paragraphs[1].id, new_id()])
        made = await TestSets(session, library.scope).create(await keep(library, base, [question]))
        (view,) = await TestSets(session, library.scope).all_questions(made.id)
    assert [one.id for one in view.expected.paragraphs] == [document.paragraphs[1].id]
    result = await run_test_set(library.database, library.retriever, library.scope, made.id)
    assert (result.results[0].outcome, result.results[0].rank) == ("hit", 1)


async def test_sets_belong_to_a_workspace_and_names_to_one_set(library: Library) -> None:
    base, documents = await shelved(library)
    async with library.database.transaction() as session:
        body = await keep(library, base, asked(documents[0]))
        made = await TestSets(session, library.scope).create(body)
    stranger = Scope.system(new_id())
    async with library.database.transaction() as session:
        with pytest.raises(TestSetNameTaken):
            await TestSets(session, library.scope).create(body)
        assert (await TestSets(session, stranger).page(limit=10, cursor=None, base_id=None)).total == 0
        assert (
            await TestSets(session, library.scope).page(limit=10, cursor=None, base_id=base.id)
        ).total == 1
        question_id = await session.scalar(
            select(TestQuestion.id).where(TestQuestion.test_set_id == made.id).limit(1)
        )
        assert question_id is not None
        for attempt in (
            TestSets(session, stranger).get(made.id),
            TestSets(session, stranger).delete(made.id),
            TestSets(session, stranger).change_question(question_id, QuestionChange(question="x")),
            TestSets(session, stranger).delete_question(question_id),
        ):
            with pytest.raises(TestSetNotFound):
                await attempt
    with pytest.raises(TestSetNotFound):
        await run_test_set(library.database, library.retriever, stranger, made.id)


async def test_a_set_whose_bases_are_gone_says_so(library: Library) -> None:
    base, documents = await shelved(library)
    async with library.database.transaction() as session:
        body = await keep(library, base, asked(documents[0]))
        made = await TestSets(session, library.scope).create(body)
        (await session.get_one(KnowledgeBase, base.id)).deleted_at = now()
    async with library.database.transaction() as session:
        shown = await TestSets(session, library.scope).get(made.id)
        assert (shown.knowledge_bases, shown.missing_bases) == ([], 1)
    with pytest.raises(TestSetWithoutBases):
        await run_test_set(library.database, library.retriever, library.scope, made.id)


async def test_pages_of_questions_are_whole_and_in_order(library: Library) -> None:
    base, _ = await shelved(library)
    questions = [QuestionInput(question=f"question {n}") for n in range(7)]
    async with library.database.transaction() as session:
        sets = TestSets(session, library.scope)
        made = await sets.create(await keep(library, base, questions[:4]))
        await sets.add(made.id, questions[4:])
        seen: list[str] = []
        cursor = None
        while True:
            page = await sets.questions(made.id, limit=3, cursor=cursor)
            seen += [one.question for one in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert (seen, page.total) == ([one.question for one in questions], 7)
        await sets.delete(made.id)
        left = await session.scalars(select(TestQuestion).where(TestQuestion.test_set_id == made.id))
        assert left.all() == []
        await session.execute(delete(TestRun))


async def test_a_hidden_document_is_a_number_and_no_part_of_the_judgement(library: Library) -> None:
    base, documents = await shelved(library)
    hidden = await library.add(base, ["差旅费报销需要什么发票"], acl_id=771)
    viewer = Scope(library.workspace_id, new_id(), Role.VIEWER, "session")
    async with library.database.transaction() as session:
        both = [str(hidden.id), str(documents[0].id)]
        questions = [
            QuestionInput(question="差旅费报销需要什么发票", documents=both),
            QuestionInput(question="差旅费报销", documents=[str(hidden.id)]),
        ]
        made = await TestSets(session, library.scope).create(await keep(library, base, questions))
    async with library.database.transaction() as session:
        sets = TestSets(session, viewer)
        first, second = await sets.all_questions(made.id)
        assert ([one.id for one in first.expected.documents], first.expected.unavailable) == (
            [documents[0].id],
            1,
        )
        assert (second.expected.documents, second.expected.unavailable) == ([], 1)
        exported = write_csv([first, second]) + write_jsonl([first, second])
        assert str(hidden.id).encode() not in exported
        # Naming it does not tell that it is there.
        given = QuestionInput(question="q", documents=[str(hidden.id), f"document {hidden.id}"])
        library_of_viewer = await Named.of_given(session, viewer, [base.id], [given])
        assert len(library_of_viewer.of_input(given).unknown) == 2
    result = await run_test_set(library.database, library.retriever, viewer, made.id)
    assert [one.outcome for one in result.results] == ["hit", "unjudged"]
    assert all(hit.document_id != hidden.id for one in result.results for hit in one.hits)
