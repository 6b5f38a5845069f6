"""A knowledge base as a source: documents take the real way of an upload, searches that of any question."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import text

from refdesk.accounts import Role, Scope
from refdesk.jobs import run_worker
from refdesk.kit.database import Database
from refdesk.kit.errors import Forbidden
from refdesk.knowledge.access.tables import AccessList
from refdesk.retrieval import Retriever
from refdesk.retrieval.external import (
    GuardedSource,
    SourceBadAnswer,
    SourceDocument,
    SourceDocumentNotFound,
    SourceFilterInvalid,
    SourceHit,
    SourceTimeout,
    open_base,
)
from refdesk.testing.desk import Desk, make_desk
from refdesk.testing.source_conformance import CORPUS, SourceConformance, fill, ids


@pytest.fixture(scope="module")
async def desk(database: Database) -> AsyncIterator[Desk]:
    """A workspace, and a worker that imports what is handed over."""
    desk = await make_desk(database)
    worker = asyncio.create_task(run_worker(desk.context, concurrency=2))
    yield desk
    worker.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await worker


def opened(desk: Desk, base_id: UUID, scope: Scope | None = None, timeout_s: float = 60.0) -> GuardedSource:
    retriever = Retriever(desk.database, desk.gateway, desk.settings)
    return open_base(
        desk.database, retriever, desk.settings, scope or desk.scope, base_id, timeout_s=timeout_s
    )


async def first_found(source: GuardedSource, query: str) -> SourceHit:
    """The first hit, as soon as there is one."""
    async with asyncio.timeout(60.0):
        while True:
            if hits := await source.search(query, 1):
                return hits[0]
            await asyncio.sleep(0.1)


@pytest.fixture(scope="module")
async def filled(desk: Desk) -> UUID:
    base = await desk.base()
    await fill(opened(desk, base.id))
    return base.id


class TestBuiltinSource(SourceConformance):
    @pytest.fixture
    async def source(self, desk: Desk, filled: UUID) -> AsyncIterator[GuardedSource]:
        source = opened(desk, filled)
        yield source
        # Importing five documents takes seconds: only what a test changed is put back.
        found = {hit.doc_id: hit for hit in await source.search("travel", 10)}["d1"]
        if (found.text, found.metadata) != (CORPUS[0].text, CORPUS[0].metadata):
            await source.ingest(CORPUS[0])
        await source.close()


async def test_a_hidden_document_is_neither_found_nor_changed(desk: Desk) -> None:
    base = await desk.base()
    owner = opened(desk, base.id)
    for name in ("open", "hidden"):
        await owner.ingest(SourceDocument(name, name, f"The {name} valve turns left.", {"side": "left"}))
    async with desk.database.transaction() as session:
        made = AccessList(workspace_id=desk.workspace_id, knowledge_base_id=base.id)
        session.add(made)
        await session.flush()
        hide = "UPDATE documents SET acl_id = :acl WHERE knowledge_base_id = :base AND name = 'hidden.txt'"
        await session.execute(text(hide), {"acl": made.id, "base": base.id})
    editor = opened(desk, base.id, Scope(desk.workspace_id, None, Role.EDITOR, "session"))
    assert ids(await owner.search("valve", filters={"side": "left"})) in (
        ["open", "hidden"],
        ["hidden", "open"],
    )
    assert ids(await editor.search("hidden valve")) == ["open"]
    assert ids(await editor.search("hidden valve", filters={"side": "left"})) == ["open"]
    with pytest.raises(SourceDocumentNotFound):
        await editor.update_metadata("hidden", {"side": "right"})


async def test_who_may_only_read_changes_nothing(desk: Desk, filled: UUID) -> None:
    viewer = opened(desk, filled, Scope(desk.workspace_id, None, Role.VIEWER, "session"))
    assert ids(await viewer.search("ERR-1042", 1)) == ["d2"]
    with pytest.raises(Forbidden):
        await viewer.ingest(CORPUS[0])
    with pytest.raises(Forbidden):
        await viewer.update_metadata("d2", {"year": 1999})


async def test_a_document_that_people_uploaded_is_known_by_its_own_id(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, b"# Pumps\n\nThe pump starts at four bar.", "pumps.md")
    source = opened(desk, base.id)
    hit = await first_found(source, "pump bar")
    assert (hit.doc_id, hit.title, hit.url) == (str(document_id), "pumps.md", None)
    await source.update_metadata(str(document_id), {"checked": True})
    assert ids(await source.search("pump", filters={"checked": True})) == [str(document_id)]


async def test_metadata_with_a_known_meaning_are_read_as_anywhere(desk: Desk) -> None:
    base = await desk.base()
    source = opened(desk, base.id)
    facts = {"effective_date": "2026年1月31日", "department": "Legal, Finance"}
    await source.ingest(SourceDocument("rule", "Rule", "Invoices are kept for ten years.", facts))
    (hit,) = await source.search("invoices", filters={"effective_date": "2026-1-31", "department": "Finance"})
    assert hit.metadata == {"effective_date": "2026-01-31", "department": "Legal, Finance"}
    assert await source.search("invoices", filters={"effective_date": "2026-02-01"}) == []
    assert await source.search("invoices", filters={"effective_date": "soon"}) == []
    with pytest.raises(SourceFilterInvalid):
        await source.ingest(SourceDocument("rule", "Rule", "Words.", {"effective_date": "soon"}))
    with pytest.raises(SourceFilterInvalid):
        await source.update_metadata("rule", {"effective_date": "soon"})


async def test_two_of_one_new_id_at_once_make_one_document(desk: Desk) -> None:
    base = await desk.base()
    source = opened(desk, base.id)
    texts = ("Blue lamps burn at night.", "Green lamps burn at night.")
    await asyncio.gather(*(source.ingest(SourceDocument("lamp", "Lamp", words)) for words in texts))
    (hit,) = await source.search("lamps", 10)
    assert hit.text in texts


async def test_the_deadline_ends_the_waiting_and_not_the_import(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await desk.base()
    hasty = opened(desk, base.id, timeout_s=0.3)
    released, embed = asyncio.Event(), desk.embedder.embed_passages

    async def held(texts: Sequence[str]) -> NDArray[np.float32]:
        await released.wait()
        return await embed(texts)

    monkeypatch.setattr(desk.embedder, "embed_passages", held)
    with pytest.raises(SourceTimeout):
        await hasty.ingest(SourceDocument("late", "Late", "The late train leaves at noon."))
    released.set()
    assert (await first_found(opened(desk, base.id), "train noon")).doc_id == "late"


async def test_a_document_without_words_is_refused(desk: Desk, filled: UUID) -> None:
    with pytest.raises(SourceBadAnswer):
        await opened(desk, filled).ingest(SourceDocument("empty", "Empty", " \n"))
