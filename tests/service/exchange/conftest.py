"""Desks, archives of their bases, and imports."""

import io
import json
import zipfile
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from refdesk.kit.database import Database
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.exchange import export_base, service
from refdesk.knowledge.exchange.checking import check
from refdesk.knowledge.exchange.jobs import import_knowledge_base
from refdesk.knowledge.exchange.schemas import ImportView
from refdesk.knowledge.jobs import process_document
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.testing.desk import Desk, make_desk

MAX_BYTES = 1_000_000_000


async def archive_of(desk: Desk, base_id: UUID, only: list[UUID] | None = None) -> bytes:
    """The export of a base."""
    async with desk.database.transaction() as session:
        base = await KnowledgeBaseRepository(session, desk.scope).get(base_id)
    return b"".join([part async for part in export_base(desk.database, desk.scope, base, only)])


async def begin(desk: Desk, data: bytes, name: str | None = None) -> ImportView:
    """A new base that waits to be filled from an archive."""
    file = IncomingFile(desk.database, desk.scope, MAX_BYTES, "none")
    await file.write(data)
    async with desk.database.transaction() as session:
        blob = await file.finish(session)
    contents = check(io.BytesIO(data), MAX_BYTES)
    async with desk.database.transaction() as session:
        begin_import = service._begin  # type: ignore[reportPrivateUsage]
        return await begin_import(session, desk.scope, desk.settings, desk.gateway, contents, blob, name)


async def fill(desk: Desk, base_id: UUID) -> ImportView:
    """Run the import's job, and those of the documents it left."""
    await import_knowledge_base(desk.context, str(desk.workspace_id), str(base_id))
    for (document_id,) in await desk.rows(
        "SELECT id FROM documents WHERE knowledge_base_id = :id AND state IN ('queued', 'indexing')",
        id=base_id,
    ):
        await process_document(desk.context, str(desk.workspace_id), str(document_id))
    async with desk.database.transaction() as session:
        return await service.import_view(session, desk.scope, base_id)


async def take_in(desk: Desk, data: bytes, name: str | None = None) -> ImportView:
    return await fill(desk, (await begin(desk, data, name)).knowledge_base_id)


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def records(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


@pytest.fixture
async def desk(database: Database) -> Desk:
    return await make_desk(database)


@pytest.fixture
def another_desk(database: Database) -> Callable[[], Awaitable[Desk]]:
    return lambda: make_desk(database)
