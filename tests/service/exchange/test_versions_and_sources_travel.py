"""Earlier versions and sources come along: what can be read, compared, brought back and synced stays so."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from tests.service.exchange.conftest import archive_of, begin, fill, members, records, take_in
from tests.service.exchange.test_out_and_in_again import state

from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.knowledge import KnowledgeBases, Paragraphs
from refdesk.knowledge.exchange import importing, service
from refdesk.knowledge.exchange.errors import ImportNotFailed
from refdesk.knowledge.exchange.jobs import import_knowledge_base
from refdesk.knowledge.exchange.past import PastVersions
from refdesk.knowledge.jobs import index_paragraphs, process_document, remove_base_job
from refdesk.knowledge.questions import Questions
from refdesk.knowledge.schemas import AttachedQuestions, ParagraphUpdate, ParagraphView
from refdesk.knowledge.sources import Sources
from refdesk.knowledge.sources.folder import Folders
from refdesk.knowledge.sources.schemas import Manifest, ManifestFile
from refdesk.knowledge.tables import Document, Source, SourceItem
from refdesk.knowledge.versions import restore
from refdesk.knowledge.versions.reading import Versions
from refdesk.testing.desk import Desk

PARTS = {
    "Light": "The lamp of the harbour burns every night until the morning.",
    "Sound": "A bell on the pier rings whenever the fog comes in from the sea.",
    "Ropes": "Ropes are inspected twice a year by the master of the boats.",
}


def file_of(**changes: str | None) -> bytes:
    parts = {title: text for title, text in (PARTS | changes).items() if text is not None}
    return "\n".join(f"## {title}\n\n{text}\n" for title, text in parts.items()).encode()


@dataclass
class Lived:
    """A base with a past: a document of five versions, one whose newer file is broken, and two sources."""

    desk: Desk
    base_id: UUID
    document_id: UUID


async def paragraphs(desk: Desk, document_id: UUID) -> list[ParagraphView]:
    async with desk.database.transaction() as session:
        page = await Paragraphs(session, desk.scope).page(
            document_id, limit=100, cursor=None, around=None, q=None
        )
        return list(page.items)


@pytest.fixture
async def lived(desk: Desk) -> Lived:
    base = await desk.base()
    document_id = await desk.file(base.id, file_of(), "a.md")
    await desk.process(document_id)
    light, sound, ropes = await paragraphs(desk, document_id)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(light.id, ParagraphUpdate(content="My own lamp."))
        await Questions(session, desk.scope).attach(sound.id, AttachedQuestions(contents=["What rings?"]))
        await Paragraphs(session, desk.scope).update(ropes.id, ParagraphUpdate(is_active=False))
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document_id))
    dawn = PARTS["Light"].replace("morning", "dawn")
    await desk.replace(document_id, file_of(Light=dawn))
    await desk.process(document_id)
    await desk.replace(document_id, file_of(Sound=None, Boats="Every boat has a number."))
    await desk.process(document_id)
    async with desk.database.transaction() as session:
        await restore(session, desk.scope, document_id, 1)
    assert (await desk.process(document_id)).version == 4
    await desk.replace(document_id, file_of(Sound=None, Light=PARTS["Light"].replace("morning", "dusk")))
    view = await desk.process(document_id)
    assert [warning.code for warning in view.warnings] == ["edit-conflict"]
    broken_id = await desk.file(base.id, file_of(Light="Another one."), "b.md")
    await desk.process(broken_id)
    await desk.replace(broken_id, b"%PDF-1.7\n1 0 obj\n<<", name="b.pdf")
    assert (await desk.process(broken_id)).state == "failed"
    await add_sources(desk, base.id, document_id, broken_id)
    return Lived(desk, base.id, document_id)


async def add_sources(desk: Desk, base_id: UUID, first: UUID, second: UUID) -> None:
    site, folder, at = new_id(), new_id(), now()
    common = {"workspace_id": desk.workspace_id, "knowledge_base_id": base_id, "last_run_at": at}
    config = {"url": "https://example.org/docs/", "depth": 3, "split_settings": {"limit": 400}}
    async with desk.database.transaction() as session:
        session.add(
            Source(
                id=site,
                kind="website",
                name="Manual",
                config=config,
                interval_hours=24,
                counts={"found": 2, "added": 2},
                next_run_at=at,
                **common,
            )
        )
        session.add(Source(id=folder, kind="folder", name="Folder", config={"path": "/srv/papers"}, **common))
        await session.flush()
        rows: list[tuple[UUID, str, UUID | None, str]] = [
            (site, "https://example.org/docs/", first, "added"),
            (site, "https://example.org/docs/none", None, "skipped"),
            (folder, "b.md", second, "unchanged"),
        ]
        for source_id, key, document_id, item_state in rows:
            session.add(
                SourceItem(
                    id=new_id(),
                    workspace_id=desk.workspace_id,
                    source_id=source_id,
                    key=key,
                    document_id=document_id,
                    state=item_state,
                    http_status=200,
                    etag='"abc"',
                    content_hash=b"\x01" * 32,
                    links=["https://example.org/docs/none"],
                    seen_at=at,
                )
            )
        (await session.get_one(Document, first)).source_id = site
        (await session.get_one(Document, second)).source_id = folder


def plain(value: Any) -> Any:
    """The value without ids of paragraphs and documents, which are others in another base."""
    if isinstance(value, dict):
        return {
            key: len(item) if key == "paragraph_ids" else plain(item)
            for key, item in value.items()
            if key not in ("paragraph_id", "id", "source_doc_id")
        }
    return [plain(item) for item in value] if isinstance(value, list) else value


async def past(desk: Desk, base_id: UUID) -> dict[str, Any]:
    """Versions with all that each holds, and sources, told without ids."""
    rows = await desk.rows("SELECT id FROM documents WHERE knowledge_base_id = :id ORDER BY id", id=base_id)
    told: dict[str, Any] = {"versions": [], "paragraphs": [], "diffs": []}
    hide = {"id", "document_id", "knowledge_base_id", "updated_at", "is_indexed"}
    async with desk.database.transaction() as session:
        versions = Versions(session, desk.scope)
        for (document_id,) in rows:
            page = await versions.page(document_id, limit=50, cursor=None)
            told["versions"] += [plain(version.model_dump(mode="json")) for version in page.items]
            numbers = [version.number for version in page.items]
            for number in numbers:
                held = await versions.paragraphs(document_id, number, limit=50, cursor=None)
                told["paragraphs"] += [plain(p.model_dump(mode="json", exclude=hide)) for p in held.items]
                found = await versions.diff(document_id, number, numbers[0], limit=50, cursor=None)
                told["diffs"].append(plain(found.model_dump(mode="json")))
    told["citations"] = await desk.rows(
        "SELECT v.number, d.name, count(*) FROM past_paragraphs p JOIN document_versions v"
        " ON v.id = p.version_id JOIN documents d ON d.id = v.document_id"
        " WHERE d.knowledge_base_id = :id GROUP BY 1, 2 ORDER BY 1, 2",
        id=base_id,
    )
    told["pending"] = await desk.rows(
        "SELECT d.name, d.state, d.error, v.name, v.number, v.reason, b.sha256 FROM document_versions v"
        " JOIN documents d ON d.id = v.document_id LEFT JOIN blobs b ON b.id = v.blob_id"
        " WHERE d.knowledge_base_id = :id AND v.number > d.version",
        id=base_id,
    )
    told["files"] = await desk.rows(
        "SELECT v.number, d.name, b.sha256 FROM document_versions v JOIN documents d ON d.id = v.document_id"
        " JOIN blobs b ON b.id = v.blob_id WHERE d.knowledge_base_id = :id AND v.number < d.version"
        " ORDER BY d.id, v.number",
        id=base_id,
    )
    told["sources"] = await desk.rows(
        "SELECT s.kind, s.name, s.interval_hours, s.state, s.counts, s.error, s.last_run_at, s.created_at,"
        " s.config ->> 'url', s.config ->> 'depth', s.config ->> 'path', s.config -> 'split_settings',"
        " s.next_run_at IS NOT NULL, i.key, i.state, i.http_status, i.etag, i.content_hash, i.links,"
        " i.seen_at, d.name, d.source_id = s.id"
        " FROM sources s JOIN source_items i ON i.source_id = s.id LEFT JOIN documents d"
        " ON d.id = i.document_id WHERE s.knowledge_base_id = :id ORDER BY s.name, i.key",
        id=base_id,
    )
    return told


async def test_versions_and_sources_are_equal_and_nothing_is_embedded(
    lived: Lived, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    data = await archive_of(lived.desk, lived.base_id)
    other = await another_desk()
    view = await take_in(other, data)
    assert (view.state, view.error, view.reused_vectors) == ("finished", None, True)
    assert other.embedder.calls == []
    here, there = await past(lived.desk, lived.base_id), await past(other, view.knowledge_base_id)
    for name, rows in here.items():
        assert there[name] == rows, name
    assert len(here["versions"]) == 6
    assert len(here["files"]) == 4
    assert [row[1] for row in here["pending"]] == ["failed"]
    assert [bool(row[-1]) for row in here["sources"]] == [True, True, False]
    first, second = await state(lived.desk, lived.base_id), await state(other, view.knowledge_base_id)
    for name in ("paragraphs", "files", "questions", "entries", "settings"):
        assert second[name] == first[name], name
    assert len(records(members(data)["snapshots.jsonl"])) == 4 * 3


async def test_a_conflict_names_the_paragraph_of_the_new_base(
    lived: Lived, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    other = await another_desk()
    view = await take_in(other, await archive_of(lived.desk, lived.base_id))
    ((document_id, warnings),) = await other.rows(
        "SELECT id, warnings FROM documents WHERE knowledge_base_id = :id AND warnings <> '[]'",
        id=view.knowledge_base_id,
    )
    named = UUID(warnings[0]["paragraph_ids"][0])
    shown = {paragraph.id: paragraph.content for paragraph in await paragraphs(other, document_id)}
    assert shown[named] == "My own lamp."


async def test_a_version_comes_back_after_the_import_with_the_rows_in_common(
    lived: Lived, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    other = await another_desk()
    view = await take_in(other, await archive_of(lived.desk, lived.base_id))
    ((document_id,),) = await other.rows(
        "SELECT id FROM documents WHERE knowledge_base_id = :id ORDER BY id LIMIT 1",
        id=view.knowledge_base_id,
    )
    before = {paragraph.title: paragraph.id for paragraph in await paragraphs(other, document_id)}
    for desk, key in ((lived.desk, lived.document_id), (other, document_id)):
        async with desk.database.transaction() as session:
            await restore(session, desk.scope, key, 1)
        assert (await desk.process(key)).state == "ready"
    numbers = [
        (view.extracted_chars, view.kept_chars, view.removed_chars, view.ocr_pages)
        for view in (await lived.desk.view(lived.document_id), await other.view(document_id))
    ]
    assert numbers[0] == numbers[1]
    assert numbers[0][0], "the coverage report came along with the earlier version"
    here, there = await paragraphs(lived.desk, lived.document_id), await paragraphs(other, document_id)
    hide = {"id", "document_id", "knowledge_base_id", "updated_at", "questions"}
    assert plain([p.model_dump(exclude=hide) for p in here]) == plain(
        [p.model_dump(exclude=hide) for p in there]
    )
    assert [[q.content for q in p.questions] for p in there] == [[], ["What rings?"], []]
    assert {p.title: p.id for p in there}["Light"] == before["Light"], "the row is the same one"
    assert other.embedder.calls, "what came back is indexed"


async def test_a_folder_goes_on_where_it_was(
    lived: Lived, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    other = await another_desk()
    view = await take_in(other, await archive_of(lived.desk, lived.base_id))
    async with other.database.transaction() as session:
        listed = await Sources(session, other.scope).page(view.knowledge_base_id, limit=10, cursor=None)
        folder = next(source for source in listed.items if source.kind == "folder")
        assert (folder.config["path"], folder.documents) == ("/srv/papers", 1)
        sent = Manifest(files=[ManifestFile(path="b.md", sha256="01" * 32, size=3)])
        answer = await Folders(session, other.scope, other.settings).manifest(folder.id, sent)
    assert (answer.upload, answer.unchanged, answer.removed) == ([], 1, [])


async def test_an_import_that_failed_goes_on_where_it_stopped(
    lived: Lived, another_desk: Callable[[], Awaitable[Desk]], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await another_desk()
    base_id = (await begin(other, await archive_of(lived.desk, lived.base_id))).knowledge_base_id
    with monkeypatch.context() as patch:
        patch.setattr(PastVersions, "save", broken)
        failed = await fill(other, base_id)
    assert failed.state == "failed"
    assert failed.error is not None
    assert failed.error.code == "internal"
    async with other.database.transaction() as session:
        assert (
            await KnowledgeBases(session, other.scope, other.settings).view(base_id)
        ).import_state == "failed"
        again = await service.retry_import(session, other.scope, base_id)
    assert (again.state, again.error) == ("queued", None)
    assert (await fill(other, base_id)).state == "finished"
    here, there = await past(lived.desk, lived.base_id), await past(other, base_id)
    for name, rows in here.items():
        assert there[name] == rows, name
    async with other.database.transaction() as session:
        view = await KnowledgeBases(session, other.scope, other.settings).view(base_id)
        assert view.import_state is None
        with pytest.raises(ImportNotFailed):
            await service.retry_import(session, other.scope, base_id)


async def test_an_import_that_is_given_up_leaves_nothing(
    lived: Lived, another_desk: Callable[[], Awaitable[Desk]], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await another_desk()
    base_id = (await begin(other, await archive_of(lived.desk, lived.base_id))).knowledge_base_id
    with monkeypatch.context() as patch:
        patch.setattr(importing.ImportRun, "_group", broken)
        await import_knowledge_base(other.context, str(other.workspace_id), str(base_id))
    assert await other.count("blobs") == 1, "the archive is kept for another try"
    async with other.database.transaction() as session:
        await KnowledgeBases(session, other.scope, other.settings).delete(base_id)
    await remove_base_job(other.context, str(other.workspace_id), str(base_id))
    assert await other.count("blobs") == 0


async def broken(*_given: Any) -> None:
    raise RuntimeError("the disk is full")


async def test_a_version_that_was_being_made_is_made_after_the_import(
    desk: Desk, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, file_of(), "a.md")
    await desk.process(document_id)
    await desk.replace(document_id, file_of(Light="Only the new words."))
    other = await another_desk()
    view = await take_in(other, await archive_of(desk, base.id))
    async with other.database.transaction() as session:
        found = await session.scalar(
            select(Document.id).where(Document.knowledge_base_id == view.knowledge_base_id)
        )
    assert found is not None
    await process_document(other.context, str(other.workspace_id), str(found))
    shown = await other.view(found)
    assert (shown.state, shown.version) == ("ready", 2)
    assert (await paragraphs(other, found))[0].content == "Only the new words."
