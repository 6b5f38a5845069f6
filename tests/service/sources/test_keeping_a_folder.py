"""A folder in step with its client: what a manifest asks for, moves, removes and refuses."""

import hashlib
from typing import Any
from uuid import UUID

import pytest
from tests.service.sources.conftest import Reader

from refdesk.knowledge import Documents
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.jobs import process_document
from refdesk.knowledge.receiving import Received
from refdesk.knowledge.sources import Sources
from refdesk.knowledge.sources.errors import (
    ManifestSuperseded,
    PathInvalid,
    SourceKindMismatch,
    TooMuchVanished,
)
from refdesk.knowledge.sources.folder import Folders, relative_path
from refdesk.knowledge.sources.schemas import Manifest, ManifestAnswer, ManifestFile, NewFolder, SyncRequest
from refdesk.knowledge.versions.reading import Versions
from refdesk.testing.desk import markdown


class Client:
    """A client with a folder in memory."""

    def __init__(self, reader: Reader, source_id: UUID) -> None:
        self.reader = reader
        self.desk = reader.desk
        self.source_id = source_id
        self.files: dict[str, bytes] = {}

    def listed(self) -> list[ManifestFile]:
        return [
            ManifestFile(path=path, sha256=hashlib.sha256(data).hexdigest(), size=len(data))
            for path, data in self.files.items()
        ]

    async def manifest(self, files: list[ManifestFile] | None = None, **how: Any) -> ManifestAnswer:
        body = Manifest(files=self.listed() if files is None else files, **how)
        async with self.desk.database.transaction() as session:
            return await Folders(session, self.desk.scope, self.desk.settings).manifest(self.source_id, body)

    async def send(self, path: str) -> UUID:
        file = IncomingFile(self.desk.database, self.desk.scope, 10**8, "none")
        await file.write(self.files[path])
        async with self.desk.database.transaction() as session:
            folders = Folders(session, self.desk.scope, self.desk.settings)
            document = await folders.take(self.source_id, Received(path, file))
        await process_document(self.desk.context, str(self.desk.workspace_id), str(document.id))
        return document.id

    async def sync(self, **how: Any) -> ManifestAnswer:
        answer = await self.manifest(**how)
        for path in answer.upload:
            await self.send(path)
        return answer


@pytest.fixture
async def client(reader: Reader) -> Client:
    async with reader.desk.database.transaction() as session:
        made = await Sources(session, reader.desk.scope).create(
            reader.base.id, NewFolder(kind="folder", name="Handbooks")
        )
    return Client(reader, made.id)


async def test_only_what_is_missing_is_asked_for_and_only_what_changed_is_embedded(client: Client) -> None:
    client.files = {"a.md": markdown(5), "sub/b.md": markdown(6, "the bell of the tower")}
    first = await client.sync()
    assert first.upload == ["a.md", "sub/b.md"]
    assert await client.reader.names(client.source_id) == ["a.md", "sub/b.md"]
    assert (await client.sync()).upload == []
    calls = len(client.desk.embedder.calls)
    client.files["sub/b.md"] = client.files["sub/b.md"].replace(b"Part 3 tells", b"Part three tells")
    assert (await client.sync()).upload == ["sub/b.md"]
    embedded = [text for call in client.desk.embedder.calls[calls:] for text in call]
    assert len(embedded) == 1
    assert "Part three tells" in embedded[0]
    view = await client.reader.view(client.source_id)
    assert (view.state, view.documents, view.counts.changed, view.counts.unchanged) == ("idle", 2, 1, 1)


async def test_the_first_version_of_a_file_of_a_source_says_that_it_was_synced(client: Client) -> None:
    client.files = {"a.md": markdown(5)}
    await client.manifest()
    document_id = await client.send("a.md")
    client.files["a.md"] = markdown(6)
    await client.send("a.md")
    async with client.desk.database.transaction() as session:
        versions = await Versions(session, client.desk.scope).page(document_id, limit=10, cursor=None)
    assert [(version.number, version.reason) for version in versions.items] == [(2, "sync"), (1, "sync")]


async def test_a_file_that_is_gone_goes_and_one_that_moved_keeps_its_document(client: Client) -> None:
    client.files = {name: markdown(2, name) for name in ("a.md", "b.md", "c.md")}
    await client.sync()
    rows = await client.desk.rows("SELECT id FROM documents WHERE name = 'b.md'")
    client.files = {"a.md": client.files["a.md"], "new/place.md": client.files["b.md"]}
    answer = await client.sync()
    assert (answer.upload, answer.renamed, answer.removed) == ([], ["new/place.md"], ["c.md"])
    moved = await client.desk.rows("SELECT id FROM documents WHERE name = 'new/place.md'")
    assert moved == rows[-1:]
    client.files = {"new/place.md": client.files["new/place.md"]}
    assert (await client.sync(keep=True)).removed == []


async def test_a_manifest_in_parts_removes_nothing_before_the_last(client: Client) -> None:
    client.files = {name: markdown(1, name) for name in ("a.md", "b.md", "c.md")}
    await client.sync()
    files = client.listed()
    first = await client.manifest(files[:1], more=True)
    assert first.removed == []
    last = await client.manifest(files[1:2], run=first.run)
    assert last.removed == ["c.md"]
    begun = await client.manifest(files[:1], more=True)
    other = await client.manifest(files[:1], more=True)
    assert other.run != begun.run
    with pytest.raises(ManifestSuperseded):
        await client.manifest(files[1:2], run=begun.run)


async def test_an_empty_folder_does_not_empty_the_base(client: Client) -> None:
    client.files = {f"{number}.md": markdown(1, f"word{number}") for number in range(6)}
    await client.sync()
    client.files = {}
    with pytest.raises(TooMuchVanished):
        await client.sync()
    assert len(await client.reader.names(client.source_id)) == 6
    assert len((await client.sync(allow_mass_removal=True)).removed) == 6


async def test_what_a_person_deleted_stays_deleted_until_told(client: Client) -> None:
    client.files = {"a.md": markdown(1), "b.md": markdown(2)}
    await client.sync()
    rows = await client.desk.rows(
        "SELECT id FROM documents WHERE source_id = :id AND name = 'a.md'", id=client.source_id
    )
    async with client.desk.database.transaction() as session:
        await Documents(session, client.desk.scope).delete(rows[0][0])
    for _ in range(2):
        answer = await client.sync()
        assert answer.upload == []
        assert [(file.path, file.code) for file in answer.refused] == [("a.md", "deleted-here")]
    assert (await client.sync(restore_deleted=True)).upload == ["a.md"]


async def test_files_that_cannot_be_documents_are_named_and_not_asked_for(client: Client) -> None:
    client.files = {
        "film.mp4": b"x",
        "~$open.docx": b"x",
        "empty.md": b"",
        "../out.md": b"x",
        "ok.md": b"# A\n\ntext",
    }
    answer = await client.manifest()
    assert answer.upload == ["ok.md"]
    assert {file.path: file.code for file in answer.refused} == {
        "film.mp4": "unsupported-kind",
        "~$open.docx": "unsupported-kind",
        "empty.md": "empty-file",
        "../out.md": "path-invalid",
    }


@pytest.mark.parametrize("path", ["", "/a", "a/../b", "C:\\a", "..", "a//b", "./a", "a\0b", "x" * 600])
def test_paths_out_of_the_folder_are_refused(path: str) -> None:
    with pytest.raises(PathInvalid):
        relative_path(path)


async def test_a_folder_is_no_web_site(client: Client) -> None:
    with pytest.raises(SourceKindMismatch):
        async with client.desk.database.transaction() as session:
            await Sources(session, client.desk.scope).sync(client.source_id, SyncRequest())
