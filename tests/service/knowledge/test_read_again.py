"""Reading a document's file again: anew and not from what was kept, with what people did carried over."""

from uuid import UUID

import pytest
from sqlalchemy import update

from refdesk.kit.clock import now
from refdesk.knowledge import Paragraphs, parsed_texts
from refdesk.knowledge.documents import Documents
from refdesk.knowledge.errors import NoOriginal, StillRunning
from refdesk.knowledge.questions import Questions
from refdesk.knowledge.schemas import (
    AttachedQuestions,
    NewDocument,
    NewParagraph,
    ParagraphUpdate,
    ParagraphView,
)
from refdesk.knowledge.tables import Document
from refdesk.knowledge.versions import read_again
from refdesk.knowledge.versions.reading import Versions
from refdesk.testing.desk import Desk, markdown


async def paragraphs(desk: Desk, document_id: UUID) -> list[ParagraphView]:
    async with desk.database.transaction() as session:
        page = await Paragraphs(session, desk.scope).page(
            document_id, limit=100, cursor=None, around=None, q=None
        )
        return list(page.items)


async def again(desk: Desk, document_id: UUID) -> None:
    async with desk.database.transaction() as session:
        await read_again(session, desk.scope, document_id)


async def test_ids_edits_questions_and_flags_stay_and_nothing_is_embedded_again(desk: Desk) -> None:
    document_id = await desk.file((await desk.base()).id, markdown(4))
    await desk.process(document_id)
    first, second, third, _ = before = await paragraphs(desk, document_id)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(first.id, ParagraphUpdate(content="My own words."))
        await Questions(session, desk.scope).attach(second.id, AttachedQuestions(contents=["What burns?"]))
        await Paragraphs(session, desk.scope).update(third.id, ParagraphUpdate(is_active=False))
    await again(desk, document_id)
    assert (await desk.view(document_id)).state == "queued"
    done = await desk.process(document_id)
    assert (done.state, done.version, done.warnings) == ("ready", 2, [])
    after = await paragraphs(desk, document_id)
    assert [p.id for p in after] == [p.id for p in before]
    assert (after[0].content, after[0].is_edited) == ("My own words.", True)
    assert [q.content for q in after[1].questions] == ["What burns?"]
    assert [p.is_active for p in after] == [True, True, False, True]
    async with desk.database.transaction() as session:
        versions = await Versions(session, desk.scope).page(document_id, limit=10, cursor=None)
    assert [version.reason for version in versions.items] == ["reread", "upload"]


async def test_what_was_kept_of_the_last_reading_is_not_used(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsed_texts, "is_worth_keeping", lambda *_, **__: True)
    document_id = await desk.file((await desk.base()).id, markdown(1))
    await desk.process(document_id)
    ((kept,),) = await desk.rows("SELECT parsed_blob_id FROM documents WHERE id = :id", id=document_id)
    assert kept is not None
    await again(desk, document_id)
    ((gone,),) = await desk.rows("SELECT parsed_blob_id FROM documents WHERE id = :id", id=document_id)
    assert gone is None
    await desk.process(document_id)
    ((renewed,),) = await desk.rows("SELECT parsed_blob_id FROM documents WHERE id = :id", id=document_id)
    assert renewed not in (None, kept)


async def test_a_file_that_was_never_read_makes_no_second_version(desk: Desk) -> None:
    document_id = await desk.file((await desk.base()).id, b"%PDF-1.7 broken", "a.pdf")
    assert (await desk.process(document_id)).state == "failed"
    await again(desk, document_id)
    done = await desk.process(document_id)
    assert (done.state, done.version) == ("failed", 1)
    assert await desk.count("document_versions") == 1


async def test_a_new_file_that_failed_is_the_one_that_is_read_again(desk: Desk) -> None:
    document_id = await desk.file((await desk.base()).id, markdown(1))
    await desk.process(document_id)
    await desk.replace(document_id, b"%PDF-1.7 broken", name="b.pdf")
    assert (await desk.process(document_id)).state == "failed"
    await again(desk, document_id)
    assert (await desk.process(document_id)).state == "failed"
    rows = await desk.rows(
        "SELECT number, reason, name FROM document_versions WHERE document_id = :id ORDER BY 1",
        id=document_id,
    )
    assert [tuple(row) for row in rows] == [(1, "upload", "a.md"), (2, "upload", "b.pdf")]


async def test_one_being_read_and_one_without_a_file_are_refused(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(1))
    with pytest.raises(StillRunning):
        await again(desk, document_id)
    draft = NewDocument(name="Notes", paragraphs=[NewParagraph(content="One.")])
    async with desk.database.transaction() as session:
        made = (await Documents(session, desk.scope).create(base.id, [draft])).items[0]
        await session.execute(
            update(Document).where(Document.id == made.id).values(state="ready", split_at=now())
        )
    with pytest.raises(NoOriginal):
        await again(desk, made.id)
