"""Pieces of a PDF without structure begin with the end of the paragraph before, also after edits."""

from typing import Any
from uuid import UUID

import pytest
from tests.service.exchange.conftest import archive_of, take_in
from tests.unit.knowledge.parsing.pdf_files import lines, pdf

from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.paragraph_structure import ParagraphStructure
from refdesk.knowledge.paragraph_texts import paragraph_texts
from refdesk.knowledge.paragraphs import Paragraphs
from refdesk.knowledge.schemas import ParagraphUpdate
from refdesk.testing.desk import Desk

_SENTENCE = "Rule number {} says what is to be done with returned goods."


def _file(first: int = 0) -> bytes:
    def draw(canvas: Any) -> None:
        lines(canvas, [_SENTENCE.format(first if n == 5 else n) for n in range(40)], y=780)
        canvas.showPage()

    return pdf(draw)


async def _made(desk: Desk, **split: Any) -> UUID:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, _file(), "a.pdf", **split))
    assert document.state == "ready"
    return document.id


async def _ids(desk: Desk, document_id: UUID) -> list[UUID]:
    rows = await desk.rows(
        "SELECT id FROM paragraphs WHERE document_id = :id ORDER BY position", id=document_id
    )
    return [row.id for row in rows]


async def _leads(desk: Desk, document_id: UUID) -> list[str]:
    async with desk.database.transaction() as session:
        texts = await paragraph_texts(session, desk.scope, await _ids(desk, document_id))
    return [text.lead for text in texts]


async def _embedded_since(desk: Desk, calls: int) -> list[str]:
    return [text for call in desk.embedder.calls[calls:] for text in call]


@pytest.fixture
async def document(desk: Desk) -> UUID:
    return await _made(desk, profile="structured")


async def test_pieces_begin_with_the_end_of_the_paragraph_before(desk: Desk, document: UUID) -> None:
    found = await _leads(desk, document)
    assert len(found) > 3
    assert found[0] == ""
    assert all(lead.startswith("Rule number") and len(lead) <= 64 for lead in found[1:])
    embedded = await _embedded_since(desk, 0)
    assert all(any(text.startswith(f"{lead}\n") for text in embedded) for lead in found[1:])


async def test_other_profiles_take_nothing_along(desk: Desk) -> None:
    document_id = await _made(desk, limit=512)
    found = await _leads(desk, document_id)
    assert len(found) > 3
    assert set(found) == {""}


async def test_an_edit_has_the_next_paragraph_indexed_again(desk: Desk, document: UUID) -> None:
    first, second, third, *_ = await _ids(desk, document)
    calls = len(desk.embedder.calls)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(first, ParagraphUpdate(content="Nothing is kept."))
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document))
    embedded = await _embedded_since(desk, calls)
    assert len(embedded) == 2
    assert (await _leads(desk, document))[1] == "Nothing is kept."
    assert sum(text.startswith("Nothing is kept.\n") for text in embedded) == 1
    calls = len(desk.embedder.calls)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).act(document, [second], "deactivate")
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document))
    assert (await _leads(desk, document))[2] == ""
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).delete(second)
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document))
    assert (await _leads(desk, document))[1] == "Nothing is kept."
    assert not await desk.rows(
        "SELECT p.id FROM paragraphs p LEFT JOIN indexed_paragraphs i ON i.paragraph_id = p.id"
        " WHERE p.document_id = :id AND i.revision IS DISTINCT FROM p.revision",
        id=document,
    )
    assert third in await _ids(desk, document)


async def test_a_split_paragraph_lends_its_second_half(desk: Desk, document: UUID) -> None:
    first, *_ = await _ids(desk, document)
    async with desk.database.transaction() as session:
        pair = await ParagraphStructure(session, desk.scope).split(first, 50, None)
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document))
    texts = await _leads(desk, document)
    assert texts[1]
    assert pair.first.content.endswith(texts[1])
    assert pair.second.content.endswith(texts[2])


async def test_an_export_travels_with_its_vectors(desk: Desk, document: UUID) -> None:
    base_id = (await desk.rows("SELECT knowledge_base_id FROM documents WHERE id = :id", id=document))[0][0]
    data = await archive_of(desk, base_id)
    calls = len(desk.embedder.calls)
    view = await take_in(desk, data, "Again")
    assert (view.state, view.reused_vectors) == ("finished", True)
    assert len(desk.embedder.calls) == calls


async def test_a_newer_file_has_only_what_changed_and_what_follows_it_indexed_again(
    desk: Desk, document: UUID
) -> None:
    before = await _ids(desk, document)
    calls = len(desk.embedder.calls)
    await desk.replace(document, _file(99))
    assert (await desk.process(document)).state == "ready"
    after = await _ids(desk, document)
    assert len(set(before) - set(after)) == 1
    embedded = await _embedded_since(desk, calls)
    assert 1 <= len(embedded) <= 2
    leads = await _leads(desk, document)
    assert all(leads[1:])
    assert not await desk.rows(
        "SELECT p.id FROM paragraphs p LEFT JOIN indexed_paragraphs i ON i.paragraph_id = p.id"
        " WHERE p.document_id = :id AND i.revision IS DISTINCT FROM p.revision",
        id=document,
    )
