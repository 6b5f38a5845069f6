"""Previews before import: read and split, changed at will, counted nowhere, imported or gone."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from refdesk.kit.clock import now
from refdesk.kit.errors import NotFound
from refdesk.knowledge import DocumentRepository, Documents, KnowledgeBases, Paragraphs, processing
from refdesk.knowledge.drafts import Drafts
from refdesk.knowledge.errors import (
    DocumentLimitReached,
    DraftNotReady,
    EditedParagraphs,
    NoVersionsYet,
)
from refdesk.knowledge.jobs import remove_document_job, tidy_knowledge
from refdesk.knowledge.paragraph_structure import ParagraphStructure
from refdesk.knowledge.questions import Questions
from refdesk.knowledge.schemas import (
    AttachedQuestions,
    DocumentUpdate,
    DocumentView,
    DraftImport,
    DraftImportResult,
    ParagraphMerge,
    ParagraphUpdate,
    ParagraphView,
    SplitOptions,
)
from refdesk.knowledge.versions.reading import Versions
from refdesk.testing.desk import Desk, markdown


async def draft(desk: Desk, base_id: UUID, data: bytes | None = None, name: str = "a.md") -> DocumentView:
    """A preview that has been read."""
    document_id = await desk.file(base_id, data or markdown(4), name)
    async with desk.database.transaction() as session:
        document = await DocumentRepository(session, desk.scope).get(document_id, lock=True)
        document.is_draft, document.expires_at = True, now() + timedelta(hours=24)
    return await desk.process(document_id)


async def listed(desk: Desk, document_id: UUID) -> list[ParagraphView]:
    async with desk.database.transaction() as session:
        page = await Paragraphs(session, desk.scope).page(
            document_id, limit=500, cursor=None, around=None, q=None
        )
        return list(page.items)


async def bring_in(desk: Desk, base_id: UUID, *document_ids: UUID) -> DraftImportResult:
    async with desk.database.transaction() as session:
        body = DraftImport(document_ids=list(document_ids) or None)
        return await Drafts(session, desk.scope).bring_in(base_id, body)


async def test_a_preview_is_read_and_split_and_shows_nowhere(desk: Desk) -> None:
    base = await desk.base()
    preview = await draft(desk, base.id)
    assert (preview.state, preview.is_draft, preview.paragraph_count) == ("draft", True, 4)
    assert preview.coverage == pytest.approx(1.0)
    assert desk.embedder.calls == []
    assert await desk.count("index_entries") == 0
    async with desk.database.transaction() as session:
        assert (await Documents(session, desk.scope).page(base.id, limit=10, cursor=None)).total == 0
        counts = (await KnowledgeBases(session, desk.scope, desk.settings).view(base.id)).counts
        changed = await DocumentRepository(session, desk.scope).changed_since(
            base.id, now() - timedelta(hours=1)
        )
        drafts = await Drafts(session, desk.scope).page(base.id, limit=10, cursor=None)
    assert (counts.documents, counts.paragraphs, counts.states) == (0, 0, {})
    assert changed == []
    assert [item.id for item in drafts.items] == [preview.id]


async def test_a_preview_does_not_count_against_the_limit_until_it_is_imported(desk: Desk) -> None:
    base = await desk.base(max_documents=1)
    previews = [await draft(desk, base.id, markdown(1 + n)) for n in range(2)]
    with pytest.raises(DocumentLimitReached):
        await bring_in(desk, base.id)
    result = await bring_in(desk, base.id, previews[0].id)
    assert [item.id for item in result.imported] == [previews[0].id]


async def test_other_settings_split_again_without_reading_the_file_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await desk.base()
    preview = await draft(desk, base.id, ("word " * 400).encode(), "long.txt")
    assert preview.paragraph_count == 1

    async def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("the file was read again")

    monkeypatch.setattr(processing, "read_in_subprocess", never)
    async with desk.database.transaction() as session:
        body = DocumentUpdate(split_settings=SplitOptions(limit=200))
        await Documents(session, desk.scope).update(preview.id, body)
    again = await desk.process(preview.id)
    assert (again.state, again.error) == ("draft", None)
    assert again.paragraph_count >= 10
    assert again.coverage == pytest.approx(1.0)
    assert await desk.count("document_versions") == 1, "previews make no versions"


async def test_settings_of_reading_read_the_file_again(desk: Desk) -> None:
    base = await desk.base()
    preview = await draft(desk, base.id)
    first = await desk.rows("SELECT parsed_blob_id FROM documents WHERE id = :id", id=preview.id)
    async with desk.database.transaction() as session:
        body = DocumentUpdate(split_settings=SplitOptions(include_comments=True))
        await Documents(session, desk.scope).update(preview.id, body)
    assert (await desk.process(preview.id)).state == "draft"
    second = await desk.rows("SELECT parsed_blob_id FROM documents WHERE id = :id", id=preview.id)
    assert first != second
    assert await desk.count("blobs") == 2, "the original and one parsed text"


async def test_what_was_done_to_a_preview_is_imported_with_it(desk: Desk) -> None:
    base = await desk.base()
    preview = await draft(desk, base.id)
    one, two, three, four = await listed(desk, preview.id)
    async with desk.database.transaction() as session:
        paragraphs, structure = Paragraphs(session, desk.scope), ParagraphStructure(session, desk.scope)
        await paragraphs.update(one.id, ParagraphUpdate(title="Mine", content="My words."))
        await structure.merge(two.id, ParagraphMerge())
        await paragraphs.delete(four.id)
        questions = Questions(session, desk.scope)
        await questions.attach(one.id, AttachedQuestions(contents=["Whose words?"]))
        assert (await questions.page(base.id, limit=10, cursor=None, q=None)).total == 0
    assert await desk.jobs("index-paragraphs") == 0
    await bring_in(desk, base.id, preview.id)
    done = await desk.process(preview.id)
    assert (done.state, done.is_draft, done.expires_at) == ("ready", False, None)
    shown = await listed(desk, preview.id)
    assert [paragraph.id for paragraph in shown] == [one.id, two.id]
    assert shown[0].content == "My words."
    assert three.content in shown[1].content
    assert [question.content for question in shown[0].questions] == ["Whose words?"]
    assert all(paragraph.is_indexed for paragraph in shown)
    async with desk.database.transaction() as session:
        page = await Questions(session, desk.scope).page(base.id, limit=10, cursor=None, q=None)
        assert [(q.content, q.paragraph_count) for q in page.items] == [("Whose words?", 1)]
        versions = await Versions(session, desk.scope).page(preview.id, limit=10, cursor=None)
        assert [version.number for version in versions.items] == [1]


async def test_all_previews_that_are_ready_are_imported_and_the_others_are_told(desk: Desk) -> None:
    base = await desk.base()
    good = await draft(desk, base.id)
    bad = await draft(desk, base.id, b"%PDF-1.7\n1 0 obj\n<<", "broken.pdf")
    assert (bad.state, bad.is_draft) == ("failed", True)
    with pytest.raises(DraftNotReady):
        await bring_in(desk, base.id, good.id, bad.id)
    result = await bring_in(desk, base.id)
    assert [item.id for item in result.imported] == [good.id]
    assert [(item.id, item.state) for item in result.skipped] == [(bad.id, "failed")]
    with pytest.raises(NotFound):
        await bring_in(desk, base.id, good.id)


async def test_only_previews_of_that_base_are_imported(desk: Desk) -> None:
    base, other = await desk.base(), await desk.base()
    preview = await draft(desk, base.id)
    with pytest.raises(NotFound):
        await bring_in(desk, other.id, preview.id)


async def test_a_preview_has_no_versions_and_its_edits_are_guarded(desk: Desk) -> None:
    base = await desk.base()
    preview = await draft(desk, base.id)
    (first, *_) = await listed(desk, preview.id)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(first.id, ParagraphUpdate(content="Mine."))
    async with desk.database.transaction() as session:
        with pytest.raises(NoVersionsYet):
            await Versions(session, desk.scope).page(preview.id, limit=10, cursor=None)
        body = DocumentUpdate(split_settings=SplitOptions(limit=200))
        with pytest.raises(EditedParagraphs):
            await Documents(session, desk.scope).update(preview.id, body)


async def test_a_preview_that_expires_is_removed_with_everything(desk: Desk) -> None:
    base = await desk.base()
    preview, kept = await draft(desk, base.id), await draft(desk, base.id, markdown(2))
    (first, *_) = await listed(desk, preview.id)
    async with desk.database.transaction() as session:
        await Questions(session, desk.scope).attach(first.id, AttachedQuestions(contents=["Anyone?"]))
        await session.execute(
            text("UPDATE documents SET expires_at = now() - interval '1 minute' WHERE id = :id"),
            {"id": preview.id},
        )
    await tidy_knowledge(desk.context)
    with pytest.raises(NotFound):
        await desk.view(preview.id)
    await remove_document_job(desk.context, str(desk.workspace_id), str(preview.id))
    assert await desk.count("documents") == 1
    assert await desk.count("questions") == 0
    assert await desk.count("blobs") == 2, "of the other one: its file and what was read of it"
    assert (await desk.view(kept.id)).state == "draft"


async def test_a_preview_whose_job_was_killed_is_finished_by_the_next(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    base = await desk.base()
    original = processing.DocumentRun._save

    async def die(*_: Any, **__: Any) -> None:
        raise Killed

    monkeypatch.setattr(processing.DocumentRun, "_save", die)
    with pytest.raises(Killed):
        await draft(desk, base.id)
    monkeypatch.setattr(processing.DocumentRun, "_save", original)
    (row,) = await desk.rows("SELECT id FROM documents WHERE knowledge_base_id = :id", id=base.id)
    assert (await desk.process(row[0])).state == "draft"
    assert await desk.count("blobs") == 2
