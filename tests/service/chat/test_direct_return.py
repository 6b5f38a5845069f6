"""Documents that answer with their paragraphs as they are, and the count of what was found."""

from uuid import UUID

from sqlalchemy import select, update
from tests.service.chat.conftest import RESET_TEXT
from tests.service.chat.doubles import Desk, FakeCompleter, eventually

from refdesk.accounts import Scope
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.testing.library import Library

QUESTION = "How do I reset the router to factory settings?"


async def _of_reset(library: Library) -> tuple[UUID, UUID]:
    async with library.database.transaction() as session:
        query = select(Paragraph.document_id, Paragraph.id).where(
            Paragraph.workspace_id == library.workspace_id, Paragraph.content == RESET_TEXT
        )
        document_id, paragraph_id = (await session.execute(query)).one()
    return document_id, paragraph_id


async def _set(library: Library, handling: str, similarity: float) -> None:
    document_id, _ = await _of_reset(library)
    async with library.database.transaction() as session:
        await session.execute(
            update(Document)
            .where(Document.id == document_id)
            .values(hit_handling=handling, direct_return_similarity=similarity)
        )


async def test_a_near_question_gets_the_paragraph_itself_and_no_model_is_asked(
    desk: Desk, scope: Scope, library: Library
) -> None:
    completer = desk.connect(FakeCompleter("something else"))
    await _set(library, "directly_return", 0.5)
    try:
        run = await desk.answer(scope, QUESTION)
    finally:
        await _set(library, "optimize", 0.9)
    assert run["answer"] == f"{RESET_TEXT} [1]"
    assert completer.requests == []
    assert run["citations"][0]["text"] == RESET_TEXT
    assert [sentence["reason"] for sentence in run["sentences"]] == ["verbatim"]


async def test_a_less_near_question_goes_to_the_model(desk: Desk, scope: Scope, library: Library) -> None:
    completer = desk.connect(FakeCompleter("Hold the reset button for 10 seconds [1]."))
    await _set(library, "directly_return", 1.0)
    try:
        run = await desk.answer(scope, QUESTION)
    finally:
        await _set(library, "optimize", 0.9)
    assert run["answer"].startswith("Hold the reset button")
    assert len(completer.requests) == 1


async def test_every_answer_counts_what_it_was_sought_in(desk: Desk, scope: Scope, library: Library) -> None:
    _, paragraph_id = await _of_reset(library)
    query = select(Paragraph.hit_count, Paragraph.updated_at).where(Paragraph.id == paragraph_id)
    async with library.database.transaction() as session:
        count_before, changed_before = (await session.execute(query)).one()
    for _ in range(2):
        await desk.answer(scope, QUESTION)
    await eventually(lambda: not desk.runs.active_runs)
    async with library.database.transaction() as session:
        count, changed = (await session.execute(query)).one()
    assert count == count_before + 2
    assert changed == changed_before
