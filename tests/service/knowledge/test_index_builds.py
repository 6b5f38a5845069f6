"""Another embedding model for a base in use: built beside, kept in step, switched to and back."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from tests.service.knowledge.index_build_bench import Bench, bench_on

from refdesk.gateway import ModelUnavailable, UnknownModel
from refdesk.kit.database import Database
from refdesk.knowledge import Documents, KnowledgeBases, Paragraphs
from refdesk.knowledge.indexing import IndexWriter, KnowledgeIndex
from refdesk.knowledge.jobs import process_document, remove_document_job
from refdesk.knowledge.rebuilding import (
    EmbeddingSizeChanged,
    IndexBehind,
    IndexBuildExists,
    IndexBuildNotReady,
    IndexBuilds,
    NoPreviousIndex,
)
from refdesk.knowledge.rebuilding.jobs import build_index
from refdesk.knowledge.schemas import DocumentUpdate, KnowledgeBaseUpdate
from refdesk.testing.desk import markdown
from refdesk.testing.embedder import HashingEmbedder


@pytest.fixture
async def bench(database: Database) -> Bench:
    return await bench_on(database)


async def test_other_index_holds_what_the_active_one_holds(bench: Bench) -> None:
    await bench.file(markdown(9))
    build = await bench.built()
    assert (build.state, build.progress_done, build.progress_total, build.behind) == ("built", 9, 9, 0)
    active, other = await bench.indexes()
    assert await bench.in_step()
    sizes = dict(await bench.desk.rows("SELECT id, dimensions FROM indexes"))
    assert (sizes[active], sizes[other]) == (64, 96)


async def test_base_without_documents_can_change_its_model_too(bench: Bench) -> None:
    build = await bench.built()
    assert (build.state, build.progress_total) == ("built", 0)
    await bench.act("switch", build)
    document_id = await bench.file(markdown(2))
    active, _ = await bench.indexes()
    assert len(await bench.held(active)) == 2
    assert (await bench.desk.view(document_id)).state == "ready"


async def test_second_build_of_a_base_is_refused_and_so_is_a_plain_change_of_model(bench: Bench) -> None:
    build = await bench.start()
    with pytest.raises(IndexBuildExists) as refused:
        await bench.start()
    assert refused.value.details["build_id"] == str(build.id)
    async with bench.desk.database.transaction() as session:
        bases = KnowledgeBases(session, bench.desk.scope, bench.desk.settings)
        change = KnowledgeBaseUpdate(embedding_model_id=bench.gateway.second.model_id)
        with pytest.raises(IndexBuildExists):
            await bases.update(bench.base_id, change, bench.gateway)


async def test_unknown_model_is_refused_at_once(bench: Bench) -> None:
    bench.gateway.gone = True
    with pytest.raises(UnknownModel):
        await bench.start()


async def test_switch_before_it_is_built_is_refused(bench: Bench) -> None:
    build = await bench.start()
    with pytest.raises(IndexBuildNotReady):
        await bench.act("switch", build)
    with pytest.raises(NoPreviousIndex):
        await bench.act("switch_back", build)


async def test_switch_and_back_exchange_index_and_model_of_the_base(bench: Bench) -> None:
    await bench.file(markdown(3))
    first, _ = await bench.desk.rows("SELECT active_index_id, 1 FROM knowledge_bases"), None
    before = first[-1][0]
    build = await bench.built()
    active, other = await bench.indexes()
    switched = await bench.act("switch", build)
    assert switched.state == "switched"
    assert switched.previous_model_id == bench.desk.embedder.model_id
    assert await bench.indexes() == (other, active)
    statement = "SELECT embedding_model_id FROM knowledge_bases WHERE id = :id"
    assert await bench.desk.rows(statement, id=bench.base_id) == [(bench.gateway.second.model_id,)]
    returned = await bench.act("switch_back", build)
    assert (returned.state, returned.previous_model_id) == ("built", None)
    assert await bench.indexes() == (active, other)
    assert await bench.desk.rows(statement, id=bench.base_id) == [(bench.desk.embedder.model_id,)]
    assert before is not None


async def test_killed_build_goes_on_from_its_checkpoints(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.file(markdown(12))
    build = await bench.start()
    original, written = IndexWriter.write, 0

    async def dies(self: IndexWriter, *arguments: Any) -> Any:
        nonlocal written
        written += 1
        if written == 3:
            raise asyncio.CancelledError  # as a killed process: nothing of the job runs any more
        return await original(self, *arguments)

    monkeypatch.setattr(IndexWriter, "write", dies)
    with pytest.raises(asyncio.CancelledError):
        await build_index(bench.context, str(bench.desk.workspace_id), str(build.id))
    monkeypatch.setattr(IndexWriter, "write", original)
    half = await bench.act("view", build)
    assert (half.state, half.progress_done) == ("building", 8)
    bench.gateway.second.calls.clear()
    assert (await bench.run(build)).state == "built"
    assert sum(len(call) for call in bench.gateway.second.calls) == 4
    assert await bench.in_step()


async def test_cancelled_build_stops_and_is_resumed_where_it_was(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.file(markdown(12))
    build = await bench.start()
    original = HashingEmbedder.embed_passages

    async def cancelling(self: HashingEmbedder, texts: Any) -> Any:
        if len(self.calls) == 2:  # the question that shows the size, and a batch
            await bench.act("cancel", build)
        return await original(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed_passages", cancelling)
    stopped = await bench.run(build)
    monkeypatch.setattr(HashingEmbedder, "embed_passages", original)
    assert stopped.state == "cancelled"
    assert 0 < stopped.behind <= 8
    await bench.act("resume", build)
    assert (await bench.run(build)).state == "built"
    assert await bench.in_step()


async def test_everything_that_happens_meanwhile_lands_in_both_indexes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edits, uploads, deletions and hiding between any two batches: no paragraph is missed at the switch."""
    first = await bench.file(markdown(10))
    second = await bench.file(markdown(6, "the ship and its rope"), "b.md")
    build = await bench.start()
    ids = [row[0] for row in await bench.paragraphs(first)]
    others = [row[0] for row in await bench.paragraphs(second)]
    scope, database = bench.desk.scope, bench.desk.database

    async def upload() -> None:
        await bench.file(markdown(3, "the bell and the fog"), "c.md")

    async def edit_done_and_not_done() -> None:
        await bench.edit(ids[0], "An edited paragraph that is indexed already.")
        await bench.edit(ids[9], "An edited paragraph that is not.")
        await bench.index_edits(first)

    async def remove() -> None:
        async with database.transaction() as session:
            await Paragraphs(session, scope).act(second, others[:1] + others[-1:], "delete")

    async def hide() -> None:
        async with database.transaction() as session:
            await Paragraphs(session, scope).act(first, [ids[1], ids[8]], "deactivate")
        async with database.transaction() as session:
            await Documents(session, scope).update(second, DocumentUpdate(is_active=False))

    happenings = [upload, edit_done_and_not_done, remove, hide]
    original = IndexWriter.write
    target = build.model_id

    async def write(self: IndexWriter, *arguments: Any) -> Any:
        return await original(self, *arguments)

    embed = HashingEmbedder.embed_passages

    async def embedding(self: HashingEmbedder, texts: Any) -> Any:
        vectors = await embed(self, texts)
        if self.model_id == target and happenings:
            await happenings.pop(0)()
        return vectors

    monkeypatch.setattr(IndexWriter, "write", write)
    monkeypatch.setattr(HashingEmbedder, "embed_passages", embedding)
    done = await bench.run(build)
    assert not happenings
    await bench.index_edits(first)
    done = await bench.run(build)
    assert (done.state, done.behind) == ("built", 0)
    assert await bench.in_step()
    active, other = await bench.indexes()
    held = {row[0]: row for row in await bench.held(other)}
    assert set(others[1:-1]) < set(held)
    assert not {others[0], others[-1]} & set(held)
    assert not held[ids[1]][4]
    assert not held[ids[8]][4]
    assert not held[others[1]][4]
    switched = await bench.act("switch", build)
    assert switched.behind == 0
    pending = await bench.desk.rows(
        "SELECT p.id FROM paragraphs p LEFT JOIN indexed_paragraphs i ON i.index_id = :id"
        " AND i.paragraph_id = p.id AND i.revision = p.revision"
        " WHERE p.knowledge_base_id = :base AND i.paragraph_id IS NULL",
        id=other,
        base=bench.base_id,
    )
    assert pending == []
    assert active != other


async def test_switch_is_refused_while_a_paragraph_is_missing(bench: Bench) -> None:
    document_id = await bench.file(markdown(3))
    build = await bench.built()
    paragraph_id = (await bench.paragraphs(document_id))[0][0]
    await bench.edit(paragraph_id, "A lamp of another kind.")
    await bench.index_edits(document_id)
    with pytest.raises(IndexBehind) as refused:
        await bench.act("switch", build)
    assert refused.value.details == {"paragraphs": 1}
    assert await bench.desk.jobs("build-index") >= 1
    await bench.run(build)
    assert (await bench.act("switch", build)).state == "switched"


async def test_former_index_is_kept_up_to_date_for_the_way_back(bench: Bench) -> None:
    document_id = await bench.file(markdown(4))
    build = await bench.built()
    await bench.act("switch", build)
    rows = await bench.paragraphs(document_id)
    await bench.edit(rows[0][0], "Another text for the first.")
    await bench.index_edits(document_id)
    async with bench.desk.database.transaction() as session:
        await Paragraphs(session, bench.desk.scope).act(document_id, [rows[1][0]], "delete")
    await bench.file(markdown(2, "the bell"), "late.md")
    with pytest.raises(IndexBehind):
        await bench.act("switch_back", build)
    followed = await bench.run(build)
    assert (followed.state, followed.behind) == ("switched", 0)
    assert await bench.in_step()
    assert (await bench.act("switch_back", build)).state == "built"


async def test_document_that_is_indexed_during_the_switch_is_complete_after_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run writes its last batch into the former index, then finds what the new one lacks."""
    await bench.file(markdown(2))
    build = await bench.built()
    document_id = await bench.desk.file(bench.base_id, markdown(9, "the fog"), "late.md")
    embed, switched = HashingEmbedder.embed_passages, False

    async def embedding(self: HashingEmbedder, texts: Any) -> Any:
        nonlocal switched
        vectors = await embed(self, texts)
        if self is bench.desk.embedder and not switched:
            switched = True  # nothing of the document is written yet, so nothing is missing
            await bench.act("switch", build)
        return vectors

    monkeypatch.setattr(HashingEmbedder, "embed_passages", embedding)
    await process_document(bench.context, str(bench.desk.workspace_id), str(document_id))
    assert switched
    assert (await bench.desk.view(document_id)).state == "ready"
    active, _ = await bench.indexes()
    assert len(await bench.held(active)) == 11


async def test_discard_removes_the_index_that_is_not_active(bench: Bench) -> None:
    document_id = await bench.file(markdown(3))
    build = await bench.built()
    former, other = await bench.indexes()
    await bench.act("switch", build)
    await bench.act("discard", build)
    assert await bench.held(former) == []
    assert len(await bench.held(other)) == 3
    assert await bench.desk.rows("SELECT id FROM indexes WHERE id = :id", id=former) == []
    # The base can be edited, and its model changed again.
    await bench.edit((await bench.paragraphs(document_id))[0][0], "Still alive.")
    await bench.index_edits(document_id)
    assert (await bench.built()).state == "built"


async def test_discard_during_the_build_ends_its_job(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await bench.file(markdown(8))
    build = await bench.start()
    embed = HashingEmbedder.embed_passages

    async def embedding(self: HashingEmbedder, texts: Any) -> Any:
        if self.model_id == build.model_id:
            async with bench.desk.database.transaction() as session:
                if await session.scalar(text("SELECT 1 FROM index_builds WHERE id = :id"), {"id": build.id}):
                    await IndexBuilds(session, bench.desk.scope).discard(bench.base_id, build.id)
        return await embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed_passages", embedding)
    await build_index(bench.context, str(bench.desk.workspace_id), str(build.id))
    counted = await bench.desk.rows(
        "SELECT count(*) FROM indexes WHERE knowledge_base_id = :id", id=bench.base_id
    )
    assert counted == [(1,)]


async def test_model_that_fails_is_told_and_the_build_can_be_resumed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refdesk.knowledge.index_batches.RETRY_DELAYS_S", ())
    await bench.file(markdown(3))
    build = await bench.start()
    bench.gateway.second.fail_with = ModelUnavailable()
    failed = await bench.run(build)
    assert failed.state == "failed"
    assert failed.error is not None
    assert failed.error["code"] == "model-unavailable"
    await bench.act("resume", build)
    done = await bench.run(build)
    assert (done.state, done.error) == ("built", None)


async def test_model_that_is_gone_is_told(bench: Bench) -> None:
    await bench.file(markdown(3))
    build = await bench.start()
    bench.gateway.gone = True
    failed = await bench.run(build)
    assert failed.state == "failed"
    assert failed.error is not None
    assert failed.error["code"] == UnknownModel.code


async def test_vectors_of_another_size_than_before_are_told(bench: Bench) -> None:
    document_id = await bench.file(markdown(3))
    build = await bench.built()
    await bench.edit((await bench.paragraphs(document_id))[0][0], "Something else.")
    await bench.index_edits(document_id)
    bench.gateway.second = HashingEmbedder(bench.gateway.second.model_id, 128)
    behind = await bench.run(build)
    assert (behind.state, behind.behind) == ("built", 1)
    assert behind.error is not None
    assert behind.error["code"] == EmbeddingSizeChanged.code
    with pytest.raises(IndexBehind):
        await bench.act("switch", build)


async def test_deleted_document_leaves_both_indexes(bench: Bench) -> None:
    document_id = await bench.file(markdown(3))
    await bench.file(markdown(2), "b.md")
    build = await bench.built()
    async with bench.desk.database.transaction() as session:
        await Documents(session, bench.desk.scope).delete(document_id)
    assert (await bench.act("view", build)).behind == 0
    await remove_document_job(bench.context, str(bench.desk.workspace_id), str(document_id))
    active, other = await bench.indexes()
    assert len(await bench.held(active)) == len(await bench.held(other)) == 2
    assert await bench.in_step()


async def test_removal_that_meets_a_build_just_begun_takes_its_entries_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build writes the paragraphs after the removal has looked which indexes there are."""
    document_id = await bench.file(markdown(2))
    build = await bench.start()
    ids = [row[0] for row in await bench.paragraphs(document_id)]
    async with bench.desk.database.transaction() as session:
        active = (
            await bench.desk.rows("SELECT id FROM indexes WHERE knowledge_base_id = :b", b=bench.base_id)
        )[0][0]
        index = await session.get(KnowledgeIndex, active)
        assert index is not None
        writer = IndexWriter(session, bench.desk.scope, index)
        held = writer._indexes.lock_shared_of_base

        async def then_built(base_id: UUID) -> Any:
            found = await held(base_id)
            monkeypatch.setattr(writer._indexes, "lock_shared_of_base", held)
            await bench.run(build)
            return found

        monkeypatch.setattr(writer._indexes, "lock_shared_of_base", then_built)
        await writer.remove_paragraphs(ids)
    first, other = await bench.indexes()
    assert await bench.held(first) == await bench.held(other) == []
