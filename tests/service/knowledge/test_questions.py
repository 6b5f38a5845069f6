"""Questions that paragraphs answer: attached, indexed with them, renamed, taken off."""

from uuid import UUID

import pytest

from refdesk.kit.errors import NotFound
from refdesk.knowledge import Documents, KnowledgeBases, Paragraphs
from refdesk.knowledge.errors import BlankQuestion, ParagraphChanged, QuestionTaken, QuestionTooLong
from refdesk.knowledge.jobs import index_paragraphs, remove_base_job, remove_document_job
from refdesk.knowledge.questions import Questions
from refdesk.knowledge.schemas import (
    AttachedQuestions,
    DocumentView,
    NewQuestion,
    ParagraphView,
    QuestionView,
)
from refdesk.testing.desk import Desk, markdown

QUESTION = 2


async def ready(desk: Desk, paragraphs: int = 3) -> DocumentView:
    base = await desk.base()
    return await desk.process(await desk.file(base.id, markdown(paragraphs)))


async def listed(desk: Desk, document_id: UUID) -> list[ParagraphView]:
    async with desk.database.transaction() as session:
        page = await Paragraphs(session, desk.scope).page(
            document_id, limit=500, cursor=None, around=None, q=None
        )
        return list(page.items)


async def attach(desk: Desk, paragraph_id: UUID, *contents: str) -> ParagraphView:
    async with desk.database.transaction() as session:
        body = AttachedQuestions(contents=list(contents))
        return await Questions(session, desk.scope).attach(paragraph_id, body)


async def create(desk: Desk, base_id: UUID, content: str, *paragraph_ids: UUID) -> QuestionView:
    async with desk.database.transaction() as session:
        body = NewQuestion(content=content, paragraph_ids=list(paragraph_ids))
        return await Questions(session, desk.scope).create(base_id, body)


async def index(desk: Desk, document_id: UUID) -> None:
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document_id))


async def question_entries(desk: Desk, paragraph_id: UUID) -> int:
    rows = await desk.rows(
        "SELECT count(*) FROM index_entries WHERE paragraph_id = :id AND kind = :kind",
        id=paragraph_id,
        kind=QUESTION,
    )
    return int(rows[0][0])


async def test_an_attached_question_is_indexed_with_its_paragraph_and_nothing_else_is(desk: Desk) -> None:
    document = await ready(desk)
    one, two, _ = await listed(desk, document.id)
    desk.embedder.calls.clear()
    view = await attach(desk, one.id, "When is the  lamp lit?", "谁点灯？", "When is the lamp lit?")
    assert {question.content for question in view.questions} == {"When is the lamp lit?", "谁点灯？"}
    assert (view.revision, view.is_indexed) == (one.revision + 1, False)
    await index(desk, document.id)
    assert await question_entries(desk, one.id) == 2
    assert await question_entries(desk, two.id) == 0
    embedded = [text for call in desk.embedder.calls for text in call]
    assert len(embedded) == 3, "the paragraph and its two questions"
    again = await attach(desk, one.id, "谁点灯？")
    assert again.revision == view.revision, "it was attached already"


async def test_one_question_of_two_paragraphs_is_one_question(desk: Desk) -> None:
    document = await ready(desk)
    one, two, _ = await listed(desk, document.id)
    made = await create(desk, document.knowledge_base_id, "Who lights the lamp?", one.id, two.id)
    same = await create(desk, document.knowledge_base_id, " Who lights  the lamp? ", two.id)
    assert (made.id, made.paragraph_count) == (same.id, same.paragraph_count)
    assert made.paragraph_count == 2
    async with desk.database.transaction() as session:
        questions = Questions(session, desk.scope)
        page = await questions.page(document.knowledge_base_id, limit=10, cursor=None, q="LIGHTS")
        assert [(q.id, q.paragraph_count) for q in page.items] == [(made.id, 2)]
        asked = await questions.asked(made.id, limit=1, cursor=None)
        rest = await questions.asked(made.id, limit=1, cursor=asked.next_cursor)
    assert {item.paragraph.id for item in (*asked.items, *rest.items)} == {one.id, two.id}
    assert (asked.total, rest.next_cursor, asked.items[0].document_name) == (2, None, "a.md")


async def test_a_question_worded_otherwise_is_indexed_anew_for_all_its_paragraphs(desk: Desk) -> None:
    document = await ready(desk)
    one, two, three = await listed(desk, document.id)
    made = await create(desk, document.knowledge_base_id, "Old words?", one.id, two.id)
    other = await create(desk, document.knowledge_base_id, "Other words?", three.id)
    await index(desk, document.id)
    desk.embedder.calls.clear()
    async with desk.database.transaction() as session:
        questions = Questions(session, desk.scope)
        with pytest.raises(QuestionTaken) as refusal:
            await questions.update(made.id, "Other words?")
        assert refusal.value.details["question_id"] == str(other.id)
        renamed = await questions.update(made.id, "New words?")
    assert renamed.content == "New words?"
    await index(desk, document.id)
    embedded = [text for call in desk.embedder.calls for text in call]
    assert sum("New words?" in text for text in embedded) == 2
    assert all(paragraph.is_indexed for paragraph in await listed(desk, document.id))


async def test_a_question_taken_off_or_deleted_is_not_found_any_more(desk: Desk) -> None:
    document = await ready(desk)
    one, two, _ = await listed(desk, document.id)
    made = await create(desk, document.knowledge_base_id, "Both?", one.id, two.id)
    await index(desk, document.id)
    async with desk.database.transaction() as session:
        await Questions(session, desk.scope).detach(one.id, made.id)
    async with desk.database.transaction() as session:
        with pytest.raises(NotFound):
            await Questions(session, desk.scope).detach(one.id, made.id)
    await index(desk, document.id)
    assert (await question_entries(desk, one.id), await question_entries(desk, two.id)) == (0, 1)
    async with desk.database.transaction() as session:
        await Questions(session, desk.scope).delete(made.id)
    await index(desk, document.id)
    assert await question_entries(desk, two.id) == 0
    assert await desk.count("questions") == 0


async def test_a_question_taken_off_its_last_paragraph_goes(desk: Desk) -> None:
    document = await ready(desk)
    one, *_ = await listed(desk, document.id)
    view = await attach(desk, one.id, "Alone?")
    question_id = view.questions[0].id
    assert question_id is not None
    async with desk.database.transaction() as session:
        await Questions(session, desk.scope).detach(one.id, question_id)
    assert await desk.count("questions") == 0


async def test_bad_questions_are_refused(desk: Desk) -> None:
    document = await ready(desk)
    one, *_ = await listed(desk, document.id)
    with pytest.raises(BlankQuestion):
        await create(desk, document.knowledge_base_id, " \u200b".replace("\u200b", " "))
    with pytest.raises(QuestionTooLong):
        await attach(desk, one.id, "x" * 501)
    body = AttachedQuestions(contents=["Which?"], revision=one.revision + 1)
    async with desk.database.transaction() as session:
        with pytest.raises(ParagraphChanged):
            await Questions(session, desk.scope).attach(one.id, body)


async def test_questions_stay_within_their_base(desk: Desk) -> None:
    document, other = await ready(desk), await ready(desk)
    foreign, *_ = await listed(desk, other.id)
    made = await create(desk, document.knowledge_base_id, "Mine?")
    with pytest.raises(NotFound):
        await create(desk, document.knowledge_base_id, "Theirs?", foreign.id)
    async with desk.database.transaction() as session:
        with pytest.raises(NotFound):
            await Questions(session, desk.scope).attach(foreign.id, AttachedQuestions(question_ids=[made.id]))


async def test_questions_go_with_what_they_were_attached_to(desk: Desk) -> None:
    document = await ready(desk)
    second = await desk.process(await desk.file(document.knowledge_base_id, markdown(2)))
    one, *_ = await listed(desk, document.id)
    other, *_ = await listed(desk, second.id)
    await create(desk, document.knowledge_base_id, "Both?", one.id, other.id)
    await create(desk, document.knowledge_base_id, "Only the first?", one.id)
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).delete(document.id)
    await remove_document_job(desk.context, str(desk.workspace_id), str(document.id))
    rows = await desk.rows("SELECT content FROM questions WHERE workspace_id = :w", w=desk.workspace_id)
    assert rows == [("Both?",)]
    async with desk.database.transaction() as session:
        await KnowledgeBases(session, desk.scope, desk.settings).delete(document.knowledge_base_id)
    await remove_base_job(desk.context, str(desk.workspace_id), str(document.knowledge_base_id))
    assert await desk.count("questions") == 0
