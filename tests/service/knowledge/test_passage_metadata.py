"""What is known of a passage: found, said, filtered by, and kept when the file is read again."""

from typing import Any
from uuid import UUID

import pytest
from tests.service.knowledge import test_versions

from refdesk.knowledge import Documents, Paragraphs
from refdesk.knowledge.errors import MetaInvalid
from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.paragraph_structure import ParagraphStructure
from refdesk.knowledge.repository import DocumentFilter
from refdesk.knowledge.schemas import DocumentUpdate, ParagraphMerge, ParagraphUpdate, ParagraphView
from refdesk.testing.desk import Desk

FILE = """---
doc_type: policy
effective_date: 2026-01-31
department: [Sales, 法务]
date: 2026-01-15
---

## Words

Plain words about the lamp of the harbour.

## Table

| Boat | Berth |
|---|---|
| Gull | 7 |

## Picture

![the chart](https://example.org/chart.png) of the harbour and its depths.
"""


async def ready(desk: Desk, text: str = FILE) -> tuple[UUID, UUID]:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, text.encode()))
    assert document.state == "ready"
    return base.id, document.id


async def listed(desk: Desk, document_id: UUID) -> list[ParagraphView]:
    """Its paragraphs but for the front matter, which is text as well."""
    return [paragraph for paragraph in await test_versions.listed(desk, document_id) if paragraph.title]


async def say(desk: Desk, paragraph_id: UUID, **said: Any) -> ParagraphView:
    async with desk.database.transaction() as session:
        body = ParagraphUpdate(meta=said)
        return await Paragraphs(session, desk.scope).update(paragraph_id, body)


async def test_every_key_that_can_be_known_is_there(desk: Desk) -> None:
    _, document_id = await ready(desk)
    words, table, picture = await listed(desk, document_id)
    of_document = {
        "source_doc_id": str(document_id),
        "doc_type": "policy",
        "effective_date": "2026-01-31",
        "published_at": "2026-01-15",
        "department": ["Sales", "法务"],
        "confidence_score": 1.0,
    }
    assert words.meta == of_document | {"has_table": False, "has_image": False}
    assert table.meta == of_document | {"has_table": True, "has_image": False}
    assert picture.meta == of_document | {
        "has_table": False,
        "has_image": True,
        "image_type": "picture",
        "image_url": ["https://example.org/chart.png"],
    }


async def test_what_is_recognised_is_a_scan_with_its_confidence(desk: Desk) -> None:
    _, document_id = await ready(desk)
    words = (await listed(desk, document_id))[0]
    await desk.rows(
        'UPDATE paragraphs SET meta = \'{"ocr_text": "Plain", "confidence_score": 0.7}\''
        " WHERE id = :id RETURNING id",
        id=words.id,
    )
    shown = (await listed(desk, document_id))[0].meta
    assert (shown["has_image"], shown["image_type"], shown["confidence_score"]) == (True, "scan", 0.7)
    assert await found(desk, document_id, ("image_type", "scan")) == ["Words"]
    assert await found(desk, document_id, ("has_image", "true")) == ["Words", "Picture"]
    assert await found(desk, document_id, ("confidence_score", "0.7")) == ["Words"]


async def found(desk: Desk, document_id: UUID, *pairs: tuple[str, str]) -> list[str]:
    async with desk.database.transaction() as session:
        page = await Paragraphs(session, desk.scope).page(
            document_id, limit=50, cursor=None, around=None, q=None, meta=pairs
        )
    assert page.total == len(page.items)
    return [paragraph.title for paragraph in page.items if paragraph.title]


async def test_paragraphs_and_documents_are_found_by_it(desk: Desk) -> None:
    base_id, document_id = await ready(desk)
    await desk.process(await desk.file(base_id, b"## Words\n\nOther words only.\n", "b.md"))
    assert await found(desk, document_id, ("has_table", "true")) == ["Table"]
    assert await found(desk, document_id, ("has_table", "false")) == ["Words", "Picture"]
    assert await found(desk, document_id, ("has_image", "true"), ("has_table", "true")) == []
    assert await found(desk, document_id, ("image_url", "https://example.org/chart.png")) == ["Picture"]

    async def documents(*meta: tuple[str, str]) -> list[UUID]:
        async with desk.database.transaction() as session:
            wanted = DocumentFilter(meta=meta)
            page = await Documents(session, desk.scope).page(base_id, limit=9, cursor=None, wanted=wanted)
        return [document.id for document in page.items]

    assert await documents(("has_table", "true")) == [document_id]
    assert await documents(("department", "法务"), ("image_type", "picture")) == [document_id]
    assert await documents(("has_table", "true"), ("doc_type", "manual")) == []


async def test_what_people_say_wins_and_survives_a_newer_file(desk: Desk) -> None:
    _, document_id = await ready(desk)
    words, table, picture = await listed(desk, document_id)
    desk.embedder.calls.clear()
    shown = await say(desk, picture.id, image_type="chart", confidence_score=0.5, doc_type=None)
    assert (shown.meta["image_type"], shown.meta["confidence_score"]) == ("chart", 0.5)
    assert "doc_type" not in shown.meta
    assert shown.own_meta == {"image_type": "chart", "confidence_score": 0.5, "doc_type": None}
    assert (shown.is_edited, shown.is_indexed) == (False, True), "the text is what it was"
    await say(desk, words.id, has_table=True)
    assert await found(desk, document_id, ("has_table", "true")) == ["Words", "Table"]
    assert desk.embedder.calls == []
    newer = FILE.replace("Plain words about the lamp", "Plain words about the old lamp").replace(
        "| 7 |", "| 8 |"
    )
    await desk.replace(document_id, newer.encode())
    assert (await desk.process(document_id)).state == "ready"
    after = {paragraph.title: paragraph for paragraph in await listed(desk, document_id)}
    assert after["Picture"].own_meta == shown.own_meta
    assert after["Words"].id != words.id
    assert after["Words"].own_meta == {"has_table": True}
    assert after["Table"].own_meta == {}
    async with desk.database.transaction() as session:
        past = await Paragraphs(session, desk.scope).view(table.id)
    assert (past.is_current, past.meta["has_table"]) == (False, True)


async def test_paragraphs_that_are_joined_know_what_both_knew(desk: Desk) -> None:
    _, document_id = await ready(desk)
    words, table, _ = await listed(desk, document_id)
    await say(desk, words.id, topic="boats")
    await say(desk, table.id, topic="berths", floor=2)
    async with desk.database.transaction() as session:
        joined = await ParagraphStructure(session, desk.scope).merge(words.id, ParagraphMerge())
    assert joined.meta["has_table"] is True
    assert joined.own_meta == {"topic": "boats", "floor": 2}
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document_id))


@pytest.mark.parametrize(
    "said",
    [
        {"has_table": "yes"},
        {"confidence_score": 2},
        {"confidence_score": True},
        {"image_url": "https://example.org"},
        {"effective_date": "soon"},
        {"source_doc_id": "x"},
        {"said": {}},
    ],
)
async def test_values_that_do_not_fit_are_refused(desk: Desk, said: dict[str, Any]) -> None:
    _, document_id = await ready(desk)
    words = (await listed(desk, document_id))[0]
    with pytest.raises(MetaInvalid):
        await say(desk, words.id, **said)
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).update(document_id, DocumentUpdate(meta={"doc_type": "manual"}))
    assert (await listed(desk, document_id))[0].meta["doc_type"] == "manual"
