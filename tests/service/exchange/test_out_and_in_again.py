"""A base exported and imported elsewhere is equal, without embedding again where the embedder is the same."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update
from tests.service.exchange.conftest import archive_of, begin, fill, members, records, take_in

from refdesk.gateway.tables import Model
from refdesk.knowledge import Documents, Paragraphs
from refdesk.knowledge.errors import NameTaken
from refdesk.knowledge.exchange import importing
from refdesk.knowledge.exchange.jobs import import_knowledge_base
from refdesk.knowledge.exchange.markdown import markdown
from refdesk.knowledge.exchange.vectors import VectorRows
from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.schemas import NewDocument, NewParagraph, ParagraphUpdate, SplitOptions
from refdesk.testing.desk import Desk
from refdesk.testing.desk import markdown as made_markdown


@dataclass
class Filled:
    desk: Desk
    base_id: UUID
    edited: UUID
    document_ids: list[UUID]


@pytest.fixture
async def filled(desk: Desk) -> Filled:
    """A base with two files, a structured document, an edit, questions, flags, hits, settings."""
    base = await desk.base(
        description="说明",
        max_documents=50,
        split_settings=SplitOptions(profile="compact"),
        meta={"a": [1, "二"]},
    )
    ids = [
        await desk.file(base.id, made_markdown(9), "first.md"),
        await desk.file(base.id, made_markdown(5, "the bell of the tower"), "第二.md"),
    ]
    for document_id in ids:
        await desk.process(document_id)
    async with desk.database.transaction() as session:
        paragraphs = [
            NewParagraph(title="退款", title_chain=["规则"], content="订单可在三十天内退货。"),
            NewParagraph(content="客服热线的服务时间。", is_active=False),
        ]
        made = await Documents(session, desk.scope).create(
            base.id, [NewDocument(name="Rules", paragraphs=paragraphs, meta={"department": ["销售"]})]
        )
    ids.append(made.items[0].id)
    await desk.process(ids[-1])
    rows = await desk.rows("SELECT id FROM paragraphs WHERE document_id = :id ORDER BY position", id=ids[0])
    async with desk.database.transaction() as session:
        service = Paragraphs(session, desk.scope)
        await service.update(rows[2][0], ParagraphUpdate(content="What a person wrote."))
        questions = QuestionRepository(session, desk.scope)
        asked = await questions.ensure(base.id, ["Who wrote this?", "What is lit?", "Nobody's question?"])
        await questions.attach(
            [
                (rows[2][0], asked["Who wrote this?"]),
                (rows[2][0], asked["What is lit?"]),
                (rows[3][0], asked["What is lit?"]),
            ]
        )
    await desk.rows(
        "UPDATE paragraphs SET hit_count = 7, revision = revision + 1, meta = '{\"has_table\": true}'"
        " WHERE id = ANY(:ids) RETURNING id",
        ids=[rows[2][0], rows[3][0]],
    )
    await desk.rows("UPDATE questions SET hit_count = 3 WHERE content = 'What is lit?' RETURNING id")
    await desk.rows(
        "UPDATE documents SET hit_handling = 'directly_return', direct_return_similarity = 0.8,"
        ' meta = \'{"doc_type": "policy"}\' WHERE id = :id RETURNING id',
        id=ids[1],
    )
    await index_paragraphs(desk.context, str(desk.workspace_id), str(ids[0]))
    return Filled(desk, base.id, rows[2][0], ids)


async def state(desk: Desk, base_id: UUID) -> dict[str, Any]:
    """Everything that must be equal."""
    documents = await desk.rows(
        "SELECT name, kind, state, meta, found_meta, report, split_settings, warnings, character_count,"
        " paragraph_count, coverage, hit_handling, direct_return_similarity, is_active, version,"
        " removed_origins, progress_done, progress_total, created_at"
        " FROM documents WHERE knowledge_base_id = :id AND deleted_at IS NULL ORDER BY id",
        id=base_id,
    )
    paragraphs = await desk.rows(
        "SELECT d.name, p.title, p.title_chain, p.content, p.page, p.boxes, p.start, p.end_, p.is_active,"
        " p.is_edited, p.hit_count, p.revision, p.origins, p.source_title, p.source_content, p.meta,"
        " (SELECT array_agg(q.content ORDER BY q.content) FROM paragraph_questions a"
        "  JOIN questions q ON q.id = a.question_id WHERE a.paragraph_id = p.id)"
        " FROM paragraphs p JOIN documents d ON d.id = p.document_id"
        " WHERE p.knowledge_base_id = :id ORDER BY d.id, p.position",
        id=base_id,
    )
    entries = await desk.rows(
        "SELECT d.name, p.content, e.kind, e.start_, e.end_, e.length, e.is_active, e.script,"
        " e.embedding::text, e.bm25::text"
        " FROM index_entries e JOIN paragraphs p ON p.id = e.paragraph_id"
        " JOIN documents d ON d.id = p.document_id"
        " WHERE e.knowledge_base_id = :id ORDER BY 1, 2, 3, 4, 6, 9",
        id=base_id,
    )
    files = await desk.rows(
        "SELECT b.sha256, b.size FROM documents d JOIN blobs b ON b.id = d.blob_id"
        " WHERE d.knowledge_base_id = :id ORDER BY d.id",
        id=base_id,
    )
    questions = await desk.rows(
        "SELECT content, hit_count FROM questions WHERE knowledge_base_id = :id ORDER BY content", id=base_id
    )
    settings = await desk.rows(
        "SELECT description, max_file_bytes, max_documents, settings - 'import', meta"
        " FROM knowledge_bases WHERE id = :id",
        id=base_id,
    )
    return {
        "documents": documents,
        "paragraphs": paragraphs,
        "entries": entries,
        "files": files,
        "questions": questions,
        "settings": settings,
    }


async def test_the_new_base_is_equal_and_nothing_is_embedded_again(
    filled: Filled, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    data = await archive_of(filled.desk, filled.base_id)
    other = await another_desk()
    view = await take_in(other, data)
    assert (view.state, view.documents, view.done, view.reused_vectors) == ("finished", 3, 3, True)
    assert other.embedder.calls == []
    here, there = await state(filled.desk, filled.base_id), await state(other, view.knowledge_base_id)
    for name, rows in here.items():
        assert there[name] == rows, name
    assert len(here["entries"]) == 16 + 3, "a piece a paragraph, and three questions"
    assert await other.count("blobs") == 2, "the archive itself is not kept"
    assert await other.rows(
        "SELECT count(*) FROM document_versions WHERE workspace_id = :w", w=other.workspace_id
    )


async def test_an_export_of_the_import_is_the_same_again(
    filled: Filled, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    first = members(await archive_of(filled.desk, filled.base_id))
    other = await another_desk()
    view = await take_in(other, await archive_of(filled.desk, filled.base_id))
    second = members(await archive_of(other, view.knowledge_base_id))
    assert first.keys() == second.keys()
    for name in first.keys() - {
        "manifest.json",
        "versions.jsonl",
        "questions.jsonl",
        "paragraphs.jsonl",
        "entries.jsonl",
        "vectors.npy",
    }:
        assert first[name] == second[name], name
    assert len(records(first["paragraphs.jsonl"])) == len(records(second["paragraphs.jsonl"]))


async def test_with_another_embedder_everything_is_embedded_in_the_background(
    filled: Filled, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    data = await archive_of(filled.desk, filled.base_id)
    other = await another_desk()
    async with other.database.transaction() as session:
        await session.execute(
            update(Model).where(Model.workspace_id == other.workspace_id).values(model_name="something else")
        )
    view = await take_in(other, data)
    assert (view.state, view.reused_vectors) == ("finished", False)
    assert sum(len(texts) for texts in other.embedder.calls) == 19
    here, there = await state(filled.desk, filled.base_id), await state(other, view.knowledge_base_id)
    assert there["documents"] == here["documents"]
    assert there["paragraphs"] == here["paragraphs"]


async def test_vectors_of_a_remote_model_are_taken_only_if_a_sample_agrees(
    filled: Filled, another_desk: Callable[[], Awaitable[Desk]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def remote(desk: Desk) -> None:
        async with desk.database.transaction() as session:
            await session.execute(
                update(Model)
                .where(Model.workspace_id == desk.workspace_id)
                .values(provider="openai-compatible", base_url="http://models.example/v1")
            )

    await remote(filled.desk)
    data = await archive_of(filled.desk, filled.base_id)
    same = await another_desk()
    await remote(same)
    assert (await take_in(same, data)).reused_vectors is True
    assert [len(texts) for texts in same.embedder.calls] == [1], "the sample"
    changed = await another_desk()
    await remote(changed)
    original = changed.embedder.embed_passages

    async def turned(texts: Any) -> Any:
        return -(await original(texts))

    monkeypatch.setattr(changed.embedder, "embed_passages", turned)
    view = await take_in(changed, data)
    assert (view.state, view.reused_vectors) == ("finished", False)


async def test_a_paragraph_whose_vectors_are_missing_is_embedded_alone(
    filled: Filled, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    await filled.desk.rows(
        "UPDATE paragraphs SET revision = revision + 1 WHERE id = :id RETURNING id", id=filled.edited
    )
    data = await archive_of(filled.desk, filled.base_id)
    other = await another_desk()
    view = await take_in(other, data)
    assert view.state == "finished"
    assert sum(len(texts) for texts in other.embedder.calls) == 3, "its piece and its two questions"
    states = await other.rows(
        "SELECT DISTINCT state FROM documents WHERE knowledge_base_id = :id", id=view.knowledge_base_id
    )
    assert states == [("ready",)]


async def test_a_killed_import_goes_on_and_makes_nothing_twice(
    filled: Filled, another_desk: Callable[[], Awaitable[Desk]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    monkeypatch.setattr("refdesk.knowledge.exchange.groups.DOCUMENTS_AT_ONCE", 1)
    data = await archive_of(filled.desk, filled.base_id)
    other = await another_desk()
    base_id = (await begin(other, data)).knowledge_base_id
    for owner, step in ((VectorRows, "save"), (importing.ImportRun, "_settle")):
        original = getattr(owner, step)
        calls = 0

        async def dies(self: Any, *given: Any, _original: Any = original) -> Any:
            nonlocal calls
            calls += 1
            if calls == 2:
                raise Killed
            return await _original(self, *given)

        with monkeypatch.context() as patch:
            patch.setattr(owner, step, dies)
            with pytest.raises(Killed):
                await import_knowledge_base(other.context, str(other.workspace_id), str(base_id))
    view = await fill(other, base_id)
    assert view.state == "finished"
    assert other.embedder.calls == []
    here, there = await state(filled.desk, filled.base_id), await state(other, base_id)
    for name in ("documents", "paragraphs", "files", "questions", "entries"):
        assert there[name] == here[name], name


async def test_documents_that_failed_or_wait_come_along_as_they_are(
    desk: Desk, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    base = await desk.base()
    broken = await desk.file(base.id, b"%PDF-1.7\n1 0 obj\n<<", "broken.pdf")
    await desk.process(broken)
    await desk.file(base.id, made_markdown(2), "waiting.md")
    other = await another_desk()
    view = await take_in(other, await archive_of(desk, base.id))
    rows = await other.rows(
        "SELECT name, state, error->>'code' FROM documents WHERE knowledge_base_id = :id ORDER BY id",
        id=view.knowledge_base_id,
    )
    assert rows == [("broken.pdf", "failed", "corrupt-file"), ("waiting.md", "ready", None)]


async def test_the_archives_own_name_gets_a_number_and_a_given_one_is_refused(filled: Filled) -> None:
    data = await archive_of(filled.desk, filled.base_id)
    first = await begin(filled.desk, data)
    second = await begin(filled.desk, data)
    own = first.name.rpartition(" ")[0]
    assert (first.name, second.name) == (f"{own} 2", f"{own} 3")
    await begin(filled.desk, data, "Copy")
    with pytest.raises(NameTaken):
        await begin(filled.desk, data, "Copy")


async def test_drafts_and_deleted_documents_stay_at_home(filled: Filled) -> None:
    await filled.desk.rows(
        "UPDATE documents SET is_draft = true WHERE id = :id RETURNING id", id=filled.document_ids[0]
    )
    async with filled.desk.database.transaction() as session:
        await Documents(session, filled.desk.scope).delete(filled.document_ids[1])
    parts = members(await archive_of(filled.desk, filled.base_id))
    assert [record["name"] for record in records(parts["documents.jsonl"])] == ["Rules"]


async def test_one_document_is_an_archive_or_markdown_with_its_edits(filled: Filled) -> None:
    parts = members(await archive_of(filled.desk, filled.base_id, [filled.document_ids[0]]))
    assert len(records(parts["documents.jsonl"])) == 1
    assert sorted(r["content"] for r in records(parts["questions.jsonl"])) == [
        "What is lit?",
        "Who wrote this?",
    ]
    text = b"".join(
        [
            part
            async for part in markdown(
                filled.desk.database, filled.desk.scope, filled.document_ids[2], "Rules"
            )
        ]
    ).decode()
    assert text.startswith("# Rules\n")
    assert "\n## 规则\n" in text
    assert "\n### 退款\n" in text
    assert "订单可在三十天内退货。" in text
