"""Another overlap of index pieces has what is long indexed again, and leaves all else alone."""

from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest

from refdesk.knowledge import Documents, SplitOptions
from refdesk.knowledge.schemas import DocumentUpdate
from refdesk.knowledge.splitting import SettingsInvalid
from refdesk.testing.desk import Desk

_LONG = "退货须在七天内提出。" * 150
_TEXT = f"# 长\n\n{_LONG}\n\n# 短\n\n运费由买家承担。\n".encode()


async def _state(desk: Desk, document_id: UUID) -> tuple[list[Any], dict[UUID, list[tuple[int, int]]]]:
    """Paragraphs as people see them, and the spans of their entries."""
    paragraphs = await desk.rows(
        "SELECT id, position, title, content FROM paragraphs WHERE document_id = :id ORDER BY position",
        id=document_id,
    )
    entries: dict[UUID, list[tuple[int, int]]] = {}
    for key, start, end in await desk.rows(
        "SELECT paragraph_id, start_, end_ FROM index_entries WHERE document_id = :id ORDER BY 1, 2",
        id=document_id,
    ):
        entries.setdefault(key, []).append((start, end))
    return paragraphs, entries


def _shared(spans: list[tuple[int, int]]) -> int:
    return max(before[1] - after[0] for before, after in pairwise(spans))


async def test_another_overlap_cuts_long_paragraphs_anew_and_keeps_every_paragraph(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, _TEXT))
    paragraphs, usual = await _state(desk, document.id)
    long, short = paragraphs[0].id, paragraphs[1].id
    assert _shared(usual[long]) == 100
    calls = len(desk.embedder.calls)
    for overlap in (0, 200):
        async with desk.database.transaction() as session:
            body = DocumentUpdate(split_settings=SplitOptions(overlap=overlap))
            await Documents(session, desk.scope).update(document.id, body)
        assert (await desk.process(document.id)).state == "ready"
        again, entries = await _state(desk, document.id)
        assert again == paragraphs
        assert _shared(entries[long]) == overlap
        assert entries[short] == usual[short]
    embedded = [text for call in desk.embedder.calls[calls:] for text in call]
    assert embedded
    assert not any("运费" in text for text in embedded)


async def test_an_overlap_that_is_not_smaller_than_the_limit_is_refused(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, _TEXT))
    body = DocumentUpdate(split_settings=SplitOptions(limit=100, overlap=100))
    with pytest.raises(SettingsInvalid):
        async with desk.database.transaction() as session:
            await Documents(session, desk.scope).update(document.id, body)
