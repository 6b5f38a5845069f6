"""Deleting: hidden at once, and nothing of it left afterwards."""

import pytest
from sqlalchemy import text

from refdesk.kit.errors import NotFound
from refdesk.knowledge import Documents, KnowledgeBases, Paragraphs, removal
from refdesk.knowledge.jobs import remove_base_job, remove_document_job, tidy_knowledge
from refdesk.knowledge.schemas import KnowledgeBaseCreate
from refdesk.testing.desk import Desk, markdown

OWNED = ("documents", "paragraphs", "blobs", "blob_chunks", "index_entries", "indexed_paragraphs")


async def statistics(desk: Desk) -> tuple[int, int, int]:
    """Entries, summed length and summed frequencies of all indexes, pending changes included."""
    (deltas,) = await desk.rows(
        "SELECT coalesce(sum(entries), 0), coalesce(sum(length), 0),"
        " coalesce(sum((SELECT sum(c) FROM unnest(counts) c)), 0)"
        " FROM lexical_deltas WHERE workspace_id = :w",
        w=desk.workspace_id,
    )
    (folded,) = await desk.rows(
        "SELECT coalesce(sum(entry_count), 0), coalesce(sum(total_length), 0)"
        " FROM indexes WHERE workspace_id = :w",
        w=desk.workspace_id,
    )
    (terms,) = await desk.rows(
        "SELECT coalesce(sum(frequency), 0) FROM term_frequencies WHERE workspace_id = :w",
        w=desk.workspace_id,
    )
    return int(deltas[0] + folded[0]), int(deltas[1] + folded[1]), int(deltas[2] + terms[0])


async def test_a_deleted_document_is_hidden_at_once_and_then_removed_with_all_it_owned(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "BATCH", 3)
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(10)))
    paragraph = (await desk.rows("SELECT id FROM paragraphs WHERE document_id = :id", id=document.id))[0][0]
    assert all([await desk.count(table) > 0 for table in OWNED])
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).delete(document.id)
    async with desk.database.transaction() as session:
        with pytest.raises(NotFound):
            await Documents(session, desk.scope).view(document.id)
        with pytest.raises(NotFound):
            await Paragraphs(session, desk.scope).view(paragraph)
        page = await Documents(session, desk.scope).page(base.id, limit=10, cursor=None)
        assert page.total == 0
    await remove_document_job(desk.context, str(desk.workspace_id), str(document.id))
    assert {table: await desk.count(table) for table in OWNED} == dict.fromkeys(OWNED, 0)
    assert await statistics(desk) == (0, 0, 0)


async def test_a_file_stays_while_another_document_is_made_from_it(desk: Desk) -> None:
    first, second = await desk.base(), await desk.base()
    one = await desk.process(await desk.file(first.id, markdown(2)))
    two = await desk.process(await desk.file(second.id, markdown(2)))
    assert await desk.count("blobs") == 1
    for document, left in ((one, 1), (two, 0)):
        async with desk.database.transaction() as session:
            await Documents(session, desk.scope).delete(document.id)
        await remove_document_job(desk.context, str(desk.workspace_id), str(document.id))
        assert await desk.count("blobs") == left


async def test_a_deleted_base_frees_its_name_at_once_and_is_removed_with_all_it_owned(desk: Desk) -> None:
    base = await desk.base()
    for number in range(3):
        await desk.process(await desk.file(base.id, markdown(3 + number)))
    async with desk.database.transaction() as session:
        await KnowledgeBases(session, desk.scope, desk.settings).delete(base.id)
    async with desk.database.transaction() as session:
        bases = KnowledgeBases(session, desk.scope, desk.settings)
        with pytest.raises(NotFound):
            await bases.view(base.id)
        await bases.create(KnowledgeBaseCreate(name=base.name), desk.gateway)
    await remove_base_job(desk.context, str(desk.workspace_id), str(base.id))
    assert {table: await desk.count(table) for table in OWNED} == dict.fromkeys(OWNED, 0)
    assert await desk.count("indexes") == 1
    assert await desk.count("knowledge_bases") == 1
    assert await statistics(desk) == (0, 0, 0)


async def test_removal_that_was_interrupted_goes_on(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "BATCH", 2)
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(7)))
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).delete(document.id)
    await removal._remove_some(desk.database, desk.scope, document.id)
    assert await desk.count("paragraphs") == 5
    assert await desk.count("indexed_paragraphs") == 5
    await remove_document_job(desk.context, str(desk.workspace_id), str(document.id))
    assert await desk.count("documents") == 0


async def test_deleting_one_paragraph_takes_its_entries_and_keeps_the_rest(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(4)))
    before = await statistics(desk)
    ids = await desk.rows(
        "SELECT id FROM paragraphs WHERE document_id = :id ORDER BY position", id=document.id
    )
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).delete(ids[1][0])
    after = await statistics(desk)
    assert after[0] == before[0] - 1
    assert after[1] < before[1]
    left = await desk.view(document.id)
    assert (left.paragraph_count, left.progress_done, left.progress_total) == (3, 3, 3)
    found = await desk.rows("SELECT paragraph_id FROM index_entries WHERE document_id = :id", id=document.id)
    assert {row[0] for row in found} == {row[0] for row in ids if row[0] != ids[1][0]}


async def test_a_removal_that_failed_is_taken_up_again(desk: Desk) -> None:
    whole, other = await desk.base(), await desk.base()
    await desk.file(whole.id, markdown(2))
    document_id = await desk.file(other.id, markdown(2))
    async with desk.database.transaction() as session:
        await KnowledgeBases(session, desk.scope, desk.settings).delete(whole.id)
        await Documents(session, desk.scope).delete(document_id)
    ours = "WHERE task_name LIKE 'remove-%' AND args->>'workspace_id' = :w"
    async with desk.database.transaction() as session:
        await session.execute(
            text(f"UPDATE procrastinate_jobs SET status = 'failed' {ours}"), {"w": str(desk.workspace_id)}
        )
    waiting = f"SELECT task_name FROM procrastinate_jobs {ours} AND status = 'todo' ORDER BY task_name"
    await tidy_knowledge(desk.context)
    assert await desk.rows(waiting, w=str(desk.workspace_id)) == []  # a removal may take its time
    for table in ("documents", "knowledge_bases"):
        async with desk.database.transaction() as session:
            await session.execute(
                text(
                    f"UPDATE {table} SET deleted_at = deleted_at - interval '20 min' WHERE workspace_id = :w"
                ),
                {"w": desk.workspace_id},
            )
    for _ in range(2):  # the second time all of them wait already
        await tidy_knowledge(desk.context)
        jobs = [name for (name,) in await desk.rows(waiting, w=str(desk.workspace_id))]
        assert jobs == ["remove-document", "remove-knowledge-base"]
