"""A ZIP in the place of a folder: its files are documents, and a newer ZIP changes only what is different."""

import io
import zipfile
from typing import Any
from uuid import UUID

import pytest

from refdesk.kit.database import Database
from refdesk.knowledge.parsing import CorruptFile
from refdesk.knowledge.sources import Sources
from refdesk.knowledge.sources.archive import ArchiveRun
from refdesk.knowledge.sources.errors import TooMuchVanished
from refdesk.knowledge.sources.schemas import ArchiveSync, NewFolder, SyncRequest
from refdesk.testing.desk import Desk, make_desk, markdown


@pytest.fixture
async def desk(database: Database) -> Desk:
    return await make_desk(database)


def packed(**files: bytes) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("手册")
        archive.writestr("__MACOSX/._a.md", b"x")
        archive.writestr(".hidden", b"x")
        for name, data in files.items():
            archive.writestr(f"手册/{name}.md", data)
    return buffer


async def new_source(desk: Desk) -> UUID:
    base = await desk.base()
    async with desk.database.transaction() as session:
        body = NewFolder(kind="folder", name="Manual")
        return (await Sources(session, desk.scope).create(base.id, body)).id


async def sync(desk: Desk, source_id: UUID, file: io.BytesIO, **how: Any) -> ArchiveSync:
    keep = how.pop("keep", False)
    run = ArchiveRun(desk.database, desk.scope, desk.settings, source_id)
    run._limit = 10**7  # type: ignore[reportPrivateUsage]
    result = await run._sync(file, SyncRequest(**how), keep=keep)  # type: ignore[reportPrivateUsage]
    for outcome in result.files:
        if outcome.document is not None:
            await desk.process(outcome.document.id)
    return result


async def documents(desk: Desk, source_id: UUID) -> dict[str, tuple[UUID, int]]:
    rows = await desk.rows(
        "SELECT name, id, version FROM documents WHERE source_id = :id AND deleted_at IS NULL", id=source_id
    )
    return {name: (document_id, version) for name, document_id, version in rows}


async def test_each_file_is_a_document_and_a_newer_archive_changes_only_what_differs(desk: Desk) -> None:
    source_id = await new_source(desk)
    first = await sync(desk, source_id, packed(a=markdown(4), b=markdown(3, "ropes"), c=markdown(2, "bells")))
    assert (len(first.files), first.unchanged, first.removed) == (3, 0, [])
    before = await documents(desk, source_id)
    assert sorted(before) == ["手册/a.md", "手册/b.md", "手册/c.md"]
    desk.embedder.calls.clear()
    newer = packed(a=markdown(4), b=markdown(4, "ropes"), d=markdown(2, "boats"))
    second = await sync(desk, source_id, newer)
    assert (second.unchanged, sorted(second.upload)) == (1, ["手册/b.md", "手册/d.md"])
    assert second.removed == ["手册/c.md"]
    after = await documents(desk, source_id)
    assert sorted(after) == ["手册/a.md", "手册/b.md", "手册/d.md"]
    assert after["手册/a.md"] == before["手册/a.md"]
    assert after["手册/b.md"] == (before["手册/b.md"][0], 2)
    assert sum(len(texts) for texts in desk.embedder.calls) == 1 + 2, "what is new, and nothing else"
    assert await desk.rows("SELECT count(*) FROM blobs WHERE completed_at IS NULL") == [(0,)]


async def test_what_is_gone_can_be_kept_and_much_at_once_goes_only_if_told(desk: Desk) -> None:
    source_id = await new_source(desk)
    files = {f"part{n}": markdown(1, f"words {n}") for n in range(6)}
    await sync(desk, source_id, packed(**files))
    kept = await sync(desk, source_id, packed(part0=files["part0"]), keep=True)
    assert (kept.removed, len(await documents(desk, source_id))) == ([], 6)
    with pytest.raises(TooMuchVanished):
        await sync(desk, source_id, packed(part0=files["part0"]))
    assert len(await documents(desk, source_id)) == 6
    told = await sync(desk, source_id, packed(part0=files["part0"]), allow_mass_removal=True)
    assert (len(told.removed), len(await documents(desk, source_id))) == (5, 1)


async def test_one_bad_file_is_told_and_costs_nothing_else(desk: Desk) -> None:
    source_id = await new_source(desk)
    await sync(desk, source_id, packed(a=markdown(2), b=markdown(3, "ropes")))
    data = bytearray(packed(a=markdown(2), b=markdown(3, "ropes")).getvalue())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo("手册/b.md")
    data[info.header_offset + 30 + len(info.filename.encode()) + info.compress_size // 2] ^= 0xFF
    result = await sync(desk, source_id, io.BytesIO(bytes(data)))
    assert [(item.path, item.code) for item in result.refused] == [("手册/b.md", "corrupt-file")]
    assert (result.removed, sorted(await documents(desk, source_id))) == ([], ["手册/a.md", "手册/b.md"])
    with pytest.raises(CorruptFile):
        await sync(desk, source_id, io.BytesIO(b"no archive"))


async def test_names_that_lead_out_are_refused(desk: Desk) -> None:
    source_id = await new_source(desk)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../outside.md", markdown(1))
        archive.writestr("inside.md", markdown(1))
    result = await sync(desk, source_id, buffer)
    assert [item.code for item in result.refused] == ["path-invalid"]
    assert list(await documents(desk, source_id)) == ["inside.md"]
