"""What people set of a document: whether it is found, its metadata, a password; what needs attention."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from refdesk.knowledge import Documents, KnowledgeBases, Paragraphs, processing
from refdesk.knowledge.errors import MetaInvalid
from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.parsing import PasswordRequired
from refdesk.knowledge.passwords import open_password, seal_password
from refdesk.knowledge.reading import Reading
from refdesk.knowledge.repository import DocumentFilter
from refdesk.knowledge.schemas import DocumentUpdate, DocumentView, ParagraphUpdate
from refdesk.testing.desk import Desk, markdown

FRONT = b"""---
title: Travel policy
department: [HR, Finance]
effective_date: 2026/1/5
doc_type: policy
---

# Travel

Everybody travels second class.
"""


async def update(desk: Desk, document_id: UUID, **fields: Any) -> DocumentView:
    async with desk.database.transaction() as session:
        return await Documents(session, desk.scope).update(document_id, DocumentUpdate(**fields))


async def found(desk: Desk, base_id: UUID, **wanted: Any) -> list[str]:
    async with desk.database.transaction() as session:
        page = await Documents(session, desk.scope).page(
            base_id, limit=50, cursor=None, wanted=DocumentFilter(**wanted)
        )
        assert page.total == len(page.items)
        return sorted(item.name for item in page.items)


async def active_entries(desk: Desk, document_id: UUID) -> list[bool]:
    rows = await desk.rows(
        "SELECT e.is_active FROM index_entries e JOIN paragraphs p ON p.id = e.paragraph_id"
        " WHERE e.document_id = :id ORDER BY p.position",
        id=document_id,
    )
    return [row[0] for row in rows]


async def test_an_inactive_document_is_found_by_nothing_and_comes_back_as_it_was(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(3)))
    ids = await desk.rows(
        "SELECT id FROM paragraphs WHERE document_id = :id ORDER BY position", id=document.id
    )
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(ids[1][0], ParagraphUpdate(is_active=False))
    assert not (await update(desk, document.id, is_active=False)).is_active
    assert await active_entries(desk, document.id) == [False] * 3
    async with desk.database.transaction() as session:  # an edit meanwhile must not bring it back
        await Paragraphs(session, desk.scope).update(ids[0][0], ParagraphUpdate(content="new words"))
        await Paragraphs(session, desk.scope).update(ids[2][0], ParagraphUpdate(is_active=False))
        await Paragraphs(session, desk.scope).update(ids[2][0], ParagraphUpdate(is_active=True))
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document.id))
    assert await active_entries(desk, document.id) == [False] * 3
    desk.embedder.calls.clear()
    await update(desk, document.id, is_active=True)
    assert await active_entries(desk, document.id) == [True, False, True]
    assert desk.embedder.calls == []


async def test_a_document_made_inactive_before_it_is_indexed_is_not_found(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(3))
    await update(desk, document_id, is_active=False)
    await desk.process(document_id)
    assert await active_entries(desk, document_id) == [False] * 3


async def test_what_the_file_says_of_itself_is_kept_apart_from_what_people_say(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, FRONT, "travel.md"))
    assert document.found_meta["department"] == ["HR", "Finance"]
    assert document.found_meta["effective_date"] == "2026-01-05"
    assert (document.meta["title"], document.meta["doc_type"]) == ("Travel policy", "policy")
    said = {"title": "Reisen", "doc_type": None, "reviewed": True, "effective_date": "2026年2月1日"}
    changed = await update(desk, document.id, meta=said)
    assert changed.meta["title"] == "Reisen"
    assert changed.meta["effective_date"] == "2026-02-01"
    assert changed.meta["reviewed"] is True
    assert "doc_type" not in changed.meta, "hidden by null"
    assert changed.found_meta["doc_type"] == "policy"
    await desk.replace(document.id, FRONT.replace(b"Travel policy", b"Other title"), name="travel.md")
    again = await desk.process(document.id)
    assert again.meta["title"] == "Reisen", "kept across a new version"
    assert again.found_meta["title"] == "Other title"


@pytest.mark.parametrize(
    "meta",
    [
        {"effective_date": "next week"},
        {"published_at": 5},
        {"department": {"name": "HR"}},
        {"title": ["", " "]},
        {"note": "x" * 70_000},
    ],
)
async def test_metadata_that_do_not_fit_their_key_are_refused(desk: Desk, meta: dict[str, Any]) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(1))
    with pytest.raises(MetaInvalid):
        await update(desk, document_id, meta=meta)


async def test_documents_are_filtered_by_metadata_kind_state_and_flag(desk: Desk) -> None:
    base = await desk.base()
    travel = await desk.process(await desk.file(base.id, FRONT, "travel.md"))
    plain = await desk.process(await desk.file(base.id, b"Plain words.", "plain.txt"))
    await update(desk, plain.id, meta={"department": ["IT"], "title": "100% plain"}, is_active=False)
    assert await found(desk, base.id, meta=[("department", "HR")]) == ["travel.md"]
    assert await found(desk, base.id, meta=[("department", "IT")]) == ["plain.txt"]
    assert await found(desk, base.id, meta=[("doc_type", "policy"), ("department", "Finance")]) == [
        "travel.md"
    ]
    assert await found(desk, base.id, meta=[("doc_type", "policy"), ("department", "IT")]) == []
    assert await found(desk, base.id, meta=[("title", "100% plain")]) == ["plain.txt"]
    assert await found(desk, base.id, meta=[("nothing", "x")]) == []
    await update(desk, travel.id, meta={"doc_type": "guide"})
    assert await found(desk, base.id, meta=[("doc_type", "policy")]) == [], "what people say wins"
    assert await found(desk, base.id, kinds=["markdown"]) == ["travel.md"]
    assert await found(desk, base.id, states=["ready"], is_active=False) == ["plain.txt"]
    assert await found(desk, base.id, q="TRAV") == ["travel.md"]


async def test_what_needs_attention_is_listed_and_counted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await desk.base()
    await desk.process(await desk.file(base.id, markdown(1), "good.md"))
    await desk.process(await desk.file(base.id, b"%PDF-1.7\n1 0 obj\n<<", "broken.pdf"))
    original = processing.read_in_subprocess

    async def half_of_it(*arguments: Any, **options: Any) -> Reading:
        reading = await original(*arguments, **options)
        lossy = replace(reading.summary, extracted_chars=reading.summary.kept_chars * 2)
        return replace(reading, summary=lossy)

    monkeypatch.setattr(processing, "read_in_subprocess", half_of_it)
    lossy = await desk.process(await desk.file(base.id, markdown(2), "lossy.md"))
    assert lossy.needs_attention
    assert lossy.coverage == pytest.approx(0.5)
    assert (lossy.extracted_chars, lossy.removed_chars) == ((lossy.kept_chars or 0) * 2, 0)
    assert await found(desk, base.id, attention=True) == ["broken.pdf", "lossy.md"]
    assert await found(desk, base.id, attention=False) == ["good.md"]
    async with desk.database.transaction() as session:
        counts = (await KnowledgeBases(session, desk.scope, desk.settings).view(base.id)).counts
    assert (counts.documents, counts.attention) == (3, 2)


async def test_a_password_given_with_retry_opens_the_file_and_is_sealed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(1))
    original = processing.read_in_subprocess

    async def protected(data: bytes, name: str, options: Any, *more: Any, **others: Any) -> Reading:
        if options.password != "open sesame":
            raise PasswordRequired
        return await original(data, name, options, *more, **others)

    monkeypatch.setattr(processing, "read_in_subprocess", protected)
    failed = await desk.process(document_id)
    assert failed.error is not None
    assert failed.error.code == "password-required"
    sealed = seal_password(desk.settings, document_id, "open sesame")
    assert b"sesame" not in sealed
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).retry(document_id, password_sealed=sealed)
    done = await desk.process(document_id)
    assert (done.state, done.has_password) == ("ready", True)
    assert open_password(desk.settings, document_id, sealed) == "open sesame"


async def test_pages_are_counted_while_a_file_is_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processing, "WATCH_S", 0.02)
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(1))
    original = processing.read_in_subprocess
    seen: list[tuple[str, int, int]] = []

    async def slowly(*arguments: Any, **options: Any) -> Reading:
        options["on_progress"](3, 10)
        for _ in range(200):
            view = await desk.view(document_id)
            seen.append((view.state, view.progress_done, view.progress_total))
            if view.progress_total:
                break
        return await original(*arguments, **options)

    monkeypatch.setattr(processing, "read_in_subprocess", slowly)
    assert (await desk.process(document_id)).state == "ready"
    assert seen[-1] == ("parsing", 3, 10)


async def test_what_is_known_of_a_paragraph_is_kept_with_it(desk: Desk) -> None:
    base = await desk.base()
    data = b"## Prices\n\n| Thing | Price |\n|---|---|\n| Lamp | 5 |\n\n## Words\n\nNothing but words.\n"
    document = await desk.process(await desk.file(base.id, data))
    async with desk.database.transaction() as session:
        page = await Paragraphs(session, desk.scope).page(
            document.id, limit=10, cursor=None, around=None, q=None
        )
    assert [paragraph.meta.get("has_table", False) for paragraph in page.items] == [True, False]
