"""A document's way from its file to the index, and everything that can happen to it on the way."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from refdesk.gateway import ModelAuthentication, ModelUnavailable
from refdesk.knowledge import Documents, Paragraphs, index_batches
from refdesk.knowledge.errors import EditedParagraphs, NotRunning, NotStopped, StillRunning
from refdesk.knowledge.index_batches import IndexBatches
from refdesk.knowledge.indexing import IndexWriter, PreparedEntries
from refdesk.knowledge.jobs import index_paragraphs, process_document
from refdesk.knowledge.schemas import DocumentUpdate, ParagraphUpdate, SplitOptions
from refdesk.testing.desk import Desk, markdown


async def entries(desk: Desk, document_id: UUID) -> list[Any]:
    """What the index holds of a document, in an order that does not depend on when it was written."""
    return await desk.rows(
        "SELECT p.position, e.start_, e.end_, e.length, e.terms::text, e.embedding::text"
        " FROM index_entries e JOIN paragraphs p ON p.id = e.paragraph_id"
        " WHERE e.document_id = :id ORDER BY 1, 2, 3",
        id=document_id,
    )


async def paragraph_ids(desk: Desk, document_id: UUID) -> list[UUID]:
    rows = await desk.rows(
        "SELECT id FROM paragraphs WHERE document_id = :id ORDER BY position", id=document_id
    )
    return [row[0] for row in rows]


async def test_a_file_becomes_a_ready_document_with_paragraphs_and_entries(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(10)))
    assert (document.state, document.error, document.kind) == ("ready", None, "markdown")
    assert (document.progress_done, document.progress_total, document.paragraph_count) == (10, 10, 10)
    assert document.coverage == pytest.approx(1.0)
    found = await entries(desk, document.id)
    assert [row[0] for row in found] == list(range(10))
    assert len(desk.embedder.calls) == 3, "batches of four"


async def test_running_the_job_again_changes_nothing(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(5)))
    before, calls = await entries(desk, document.id), len(desk.embedder.calls)
    await desk.process(document.id)
    assert await entries(desk, document.id) == before
    assert len(desk.embedder.calls) == calls


async def test_a_failure_says_code_stage_reason_and_hint_and_a_retry_goes_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(12))
    original = desk.embedder.embed_passages

    async def third_call_fails(texts: Any) -> Any:
        if len(desk.embedder.calls) == 2:
            desk.embedder.fail_with = ModelAuthentication()
        return await original(texts)

    monkeypatch.setattr(desk.embedder, "embed_passages", third_call_fails)
    failed = await desk.process(document_id)
    assert failed.state == "failed"
    assert failed.error is not None
    assert (failed.error.code, failed.error.stage) == ("model-authentication", "indexing")
    assert failed.error.reason
    assert failed.error.hint
    kept = len(await entries(desk, document_id))
    assert kept in (4, 8), "what was written before stays"
    monkeypatch.undo()
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).retry(document_id)
    calls = len(desk.embedder.calls)
    assert (await desk.process(document_id)).state == "ready"
    assert len(await entries(desk, document_id)) == 12
    assert sum(len(texts) for texts in desk.embedder.calls[calls:]) == 12 - kept, "only what was missing"


async def test_a_busy_model_is_asked_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_batches, "RETRY_DELAYS_S", (0.0, 0.0))
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(2))
    desk.embedder.fail_with = ModelUnavailable()
    assert (await desk.process(document_id)).state == "ready"
    assert len(desk.embedder.calls) == 2


async def test_an_unexpected_exception_is_shown_with_an_id_and_not_its_text(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(2))
    desk.embedder.fail_with = ZeroDivisionError("secret text")
    failed = await desk.process(document_id)
    assert failed.error is not None
    assert failed.error.code == "internal"
    assert failed.error.error_id
    assert failed.error.error_id in str(failed.error.hint)
    assert "secret" not in failed.error.model_dump_json()


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("blank.md", b"  \n\n \t", "empty-file"),
        ("cut.pdf", b"%PDF-1.7\n1 0 obj\n<<", "corrupt-file"),
        ("cut.docx", b"PK\x03\x04 broken", "corrupt-file"),
        ("not-a.pdf", "# 标题\n\n正文。".encode(), "corrupt-file"),
    ],
)
async def test_a_file_that_cannot_be_read_fails_in_parsing_with_its_code(
    desk: Desk, name: str, data: bytes, code: str
) -> None:
    base = await desk.base()
    failed = await desk.process(await desk.file(base.id, data, name))
    assert failed.error is not None
    assert (failed.state, failed.error.stage, failed.error.code) == ("failed", "parsing", code)
    assert await desk.count("paragraphs") == 0


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("web-page.txt", "<html><body><h1>标题</h1><p>正文。</p></body></html>".encode()),
        ("nul.txt", b"before\x00after the zero byte"),
        ("invalid.txt", b"caf\xc3\xa9 then \xff\xfe broken bytes \x80 in the middle of text"),
        ("gbk.txt", "订单退款需要三个工作日。".encode("gb18030")),
    ],
)
async def test_odd_text_is_read_all_the_same(desk: Desk, name: str, data: bytes) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, data, name))
    assert document.state == "ready", document.error
    contents = await desk.rows("SELECT content FROM paragraphs WHERE document_id = :id", id=document.id)
    assert contents
    assert all("\x00" not in row[0] for row in contents)


async def test_cancel_stops_a_run_within_one_batch(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(20))
    original = IndexWriter.write

    async def write_then_cancel(self: IndexWriter, prepared: PreparedEntries, vectors: Any) -> Any:
        written = await original(self, prepared, vectors)
        asyncio.get_running_loop().call_soon(cancelling.set)
        return written

    cancelling = asyncio.Event()
    monkeypatch.setattr(IndexWriter, "write", write_then_cancel)

    async def cancel() -> None:
        await cancelling.wait()
        async with desk.database.transaction() as session:
            await Documents(session, desk.scope).cancel(document_id)

    document, _ = await asyncio.gather(desk.process(document_id), cancel())
    assert document.state == "cancelled"
    assert 4 <= len(await entries(desk, document_id)) <= 8
    monkeypatch.undo()
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).retry(document_id)
    assert (await desk.process(document_id)).state == "ready"
    assert len(await entries(desk, document_id)) == 20


async def test_cancel_reaches_a_model_that_hangs(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(2))
    hanging = asyncio.Event()

    async def hang(_texts: Any) -> Any:
        hanging.set()
        await asyncio.sleep(3600)

    monkeypatch.setattr(desk.embedder, "embed_passages", hang)
    running = asyncio.create_task(desk.process(document_id))
    await hanging.wait()
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).cancel(document_id)
    async with asyncio.timeout(3):
        assert (await running).state == "cancelled"


async def test_a_queued_document_can_be_cancelled_and_its_job_then_does_nothing(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(2))
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).cancel(document_id)
    assert (await desk.process(document_id)).state == "cancelled"
    assert desk.embedder.calls == []


async def test_only_a_running_document_can_be_cancelled_and_only_a_stopped_one_retried(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(1))
    async with desk.database.transaction() as session:
        with pytest.raises(NotStopped):
            await Documents(session, desk.scope).retry(document_id)
    await desk.process(document_id)
    async with desk.database.transaction() as session:
        with pytest.raises(NotRunning):
            await Documents(session, desk.scope).cancel(document_id)


async def test_a_run_that_lost_the_document_to_another_writes_nothing_more(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was taken for dead wakes up while its successor works: no entry appears twice."""
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(12))
    sleeping, awake = asyncio.Event(), asyncio.Event()
    original = IndexBatches._write
    first = True

    async def write(self: IndexBatches, *arguments: Any) -> None:
        nonlocal first
        if first:
            first = False
            sleeping.set()
            await awake.wait()
        await original(self, *arguments)

    monkeypatch.setattr(IndexBatches, "_write", write)
    early = asyncio.create_task(desk.process(document_id))
    await sleeping.wait()
    late = asyncio.create_task(desk.process(document_id))
    await asyncio.sleep(0.05)
    awake.set()
    await asyncio.gather(early, late)
    assert (await desk.view(document_id)).state == "ready"
    found = await entries(desk, document_id)
    assert [row[0] for row in found] == list(range(12))
    marks = await desk.rows("SELECT count(*) FROM indexed_paragraphs WHERE document_id = :id", id=document_id)
    assert marks[0][0] == 12


async def test_an_edit_indexes_only_that_paragraph(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(8)))
    ids = await paragraph_ids(desk, document.id)
    before = await entries(desk, document.id)
    desk.embedder.calls.clear()
    async with desk.database.transaction() as session:
        edited = await Paragraphs(session, desk.scope).update(
            ids[3], ParagraphUpdate(content="Something entirely new.")
        )
    assert (edited.revision, edited.is_edited, edited.is_indexed) == (2, True, False)
    assert await desk.jobs("index-paragraphs") >= 1
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document.id))
    assert [len(texts) for texts in desk.embedder.calls] == [1]
    after = await entries(desk, document.id)
    assert [row[0] for row in after] == list(range(8))
    assert [i for i in range(8) if before[i] != after[i]] == [3]
    async with desk.database.transaction() as session:
        assert (await Paragraphs(session, desk.scope).view(ids[3])).is_indexed


async def test_an_edit_while_the_document_is_indexed_is_not_lost(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(8))
    original = desk.embedder.embed_passages

    async def edit_first(texts: Any) -> Any:
        if len(desk.embedder.calls) == 1:
            ids = await paragraph_ids(desk, document_id)
            async with desk.database.transaction() as session:
                for paragraph_id in (ids[0], ids[7]):
                    await Paragraphs(session, desk.scope).update(
                        paragraph_id, ParagraphUpdate(content="edited meanwhile")
                    )
        return await original(texts)

    monkeypatch.setattr(desk.embedder, "embed_passages", edit_first)
    assert (await desk.process(document_id)).state == "ready"
    stale = await desk.rows(
        "SELECT p.position FROM paragraphs p LEFT JOIN indexed_paragraphs i"
        " ON i.paragraph_id = p.id AND i.revision = p.revision"
        " WHERE p.document_id = :id AND i.paragraph_id IS NULL",
        id=document_id,
    )
    assert stale == []
    assert len(await entries(desk, document_id)) == 8


async def test_an_edit_that_cannot_be_indexed_is_visible_and_can_be_retried(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(3)))
    ids = await paragraph_ids(desk, document.id)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(ids[0], ParagraphUpdate(content="new"))
    desk.embedder.fail_with = ModelAuthentication()
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document.id))
    failed = await desk.view(document.id)
    assert failed.error is not None
    assert (failed.state, failed.error.code) == ("failed", "model-authentication")
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).retry(document.id)
    assert (await desk.process(document.id)).state == "ready"


async def test_a_document_can_be_split_again_and_edits_are_lost_only_when_said(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, ("word " * 400).encode(), "long.txt")
    settings = SplitOptions(limit=200, unit="characters")
    async with desk.database.transaction() as session:
        with pytest.raises(StillRunning):
            await Documents(session, desk.scope).update(document_id, DocumentUpdate(split_settings=settings))
    assert (await desk.process(document_id)).paragraph_count == 1
    (only,) = await paragraph_ids(desk, document_id)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(only, ParagraphUpdate(title="Mine"))
    async with desk.database.transaction() as session:
        with pytest.raises(EditedParagraphs):
            await Documents(session, desk.scope).update(document_id, DocumentUpdate(split_settings=settings))
    async with desk.database.transaction() as session:
        again = await Documents(session, desk.scope).update(
            document_id, DocumentUpdate(split_settings=settings, discard_edits=True)
        )
    assert again.state == "queued"
    done = await desk.process(document_id)
    assert done.paragraph_count >= 10
    found = await entries(desk, document_id)
    assert {row[0] for row in found} == set(range(done.paragraph_count))
    assert await desk.rows(
        "SELECT count(*) FROM indexed_paragraphs WHERE document_id = :id", id=document_id
    ) == [(done.paragraph_count,)]


async def test_a_document_that_disappears_while_it_is_processed_ends_the_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(8))
    original = desk.embedder.embed_passages

    async def delete_first(texts: Any) -> Any:
        if not desk.embedder.calls:
            async with desk.database.transaction() as session:
                await Documents(session, desk.scope).delete(document_id)
        return await original(texts)

    monkeypatch.setattr(desk.embedder, "embed_passages", delete_first)
    await process_document(desk.context, str(desk.workspace_id), str(document_id))
    assert await entries(desk, document_id) == []
