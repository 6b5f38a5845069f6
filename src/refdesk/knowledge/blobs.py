"""Original files in the database: written as they arrive, shared by content, read in pieces.

A file lies in rows of one mebibyte. While it arrives each full mebibyte is committed by itself, so that
neither memory nor a transaction grows with the file; until it is complete it is a blob that nothing points
to, and what breaks off is removed. Owns the rule that content is stored once a workspace.
"""

import hashlib
import os
from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, exists, insert, or_, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge.errors import ContentLost, FileTooLarge
from refdesk.knowledge.tables import Blob, BlobChunk, Document, DocumentVersion, KnowledgeBase

CHUNK_BYTES = 1024 * 1024


async def _lock_content(session: AsyncSession, scope: Scope, sha256: bytes) -> None:
    """Whoever stores, finds or removes this content in the workspace waits for the others."""
    key = hashlib.blake2b(scope.workspace_id.bytes + sha256, digest_size=8).digest()
    await session.execute(
        text("SELECT pg_advisory_xact_lock(:key)"), {"key": int.from_bytes(key, signed=True)}
    )


class IncomingFile:
    """A file that is arriving. End it with `finish`, or with `discard` when it breaks off.

    `limit` is in bytes and `limit_name` what it is called in the refusal.
    """

    def __init__(self, database: Database, scope: Scope, limit: int, limit_name: str) -> None:
        self._database = database
        self._scope = scope
        self._limit = limit
        self._limit_name = limit_name
        self._digest = hashlib.sha256()
        self._buffer = bytearray()
        self._blob_id: UUID | None = None
        self._seq = 0
        self.size = 0

    @property
    def sha256(self) -> bytes:
        """Digest of what has arrived so far."""
        return self._digest.digest()

    async def write(self, data: bytes) -> None:
        """Take more bytes. Raises `FileTooLarge` with the first one over the limit."""
        self.size += len(data)
        if self.size > self._limit:
            raise FileTooLarge(limit=self._limit_name, max_bytes=self._limit)
        self._digest.update(data)
        self._buffer += data
        while len(self._buffer) >= CHUNK_BYTES:
            chunk = bytes(self._buffer[:CHUNK_BYTES])
            del self._buffer[:CHUNK_BYTES]
            async with self._database.transaction() as session:
                await self._store(session, chunk)

    async def finish(self, session: AsyncSession) -> Blob:
        """The blob of this content, complete within the session's transaction; an old one if there is."""
        await _lock_content(session, self._scope, self.sha256)
        existing = await session.scalar(
            select(Blob).where(
                Blob.workspace_id == self._scope.workspace_id,
                Blob.sha256 == self.sha256,
                Blob.completed_at.is_not(None),
            )
        )
        if existing is not None:
            await self._remove(session)
            return existing
        await self._store(session, bytes(self._buffer))
        blob = await session.get(Blob, self._blob_id)
        if blob is None:
            raise ContentLost
        blob.sha256 = self.sha256
        blob.size = self.size
        blob.completed_at = now()
        await session.flush()
        return blob

    async def discard(self) -> None:
        """Remove what was stored of a file that will not be finished."""
        self._buffer.clear()
        if self._blob_id is not None:
            async with self._database.transaction() as session:
                await self._remove(session)
            self._blob_id = None

    async def _store(self, session: AsyncSession, chunk: bytes) -> None:
        if self._blob_id is None:
            self._blob_id = new_id()
            session.add(
                Blob(
                    id=self._blob_id,
                    workspace_id=self._scope.workspace_id,
                    sha256=os.urandom(32),  # the real digest is known at the end
                    size=0,
                )
            )
            await session.flush()
        if chunk:
            await session.execute(
                insert(BlobChunk).values(
                    blob_id=self._blob_id,
                    seq=self._seq,
                    workspace_id=self._scope.workspace_id,
                    data=chunk,
                )
            )
            self._seq += 1

    async def _remove(self, session: AsyncSession) -> None:
        if self._blob_id is not None:
            await session.execute(
                delete(Blob).where(
                    Blob.id == self._blob_id,
                    Blob.workspace_id == self._scope.workspace_id,
                    Blob.completed_at.is_(None),
                )
            )


async def store(session: AsyncSession, database: Database, scope: Scope, data: bytes) -> Blob:
    """Store a small file that is in memory, within the session's transaction."""
    incoming = IncomingFile(database, scope, CHUNK_BYTES, "sample")
    await incoming.write(data)
    return await incoming.finish(session)


async def read(database: Database, scope: Scope, blob_id: UUID, size: int) -> AsyncIterator[bytes]:
    """The content in pieces of one mebibyte, each read in a transaction of its own.

    Raises `ContentLost` where fewer or more than `size` bytes are there.
    """
    seq = received = 0
    while received < size:
        async with database.transaction() as session:
            chunk = await session.scalar(
                select(BlobChunk.data).where(
                    BlobChunk.blob_id == blob_id,
                    BlobChunk.seq == seq,
                    BlobChunk.workspace_id == scope.workspace_id,
                )
            )
        if not chunk:
            raise ContentLost
        seq += 1
        received += len(chunk)
        yield bytes(chunk)
    if received != size:
        raise ContentLost


async def load(database: Database, scope: Scope, blob: Blob) -> bytes:
    """The whole content. Raises `ContentLost` if it is not what was stored."""
    parts = [part async for part in read(database, scope, blob.id, blob.size)]
    data = b"".join(parts)
    if hashlib.sha256(data).digest() != blob.sha256:
        raise ContentLost
    return data


async def remove_unreferenced(session: AsyncSession, scope: Scope, blob_id: UUID) -> bool:
    """Remove a blob that no document, version or unfinished import needs any more. True if it was removed."""
    blob = await session.scalar(
        select(Blob).where(Blob.id == blob_id, Blob.workspace_id == scope.workspace_id)
    )
    if blob is None:
        return False
    await _lock_content(session, scope, blob.sha256)
    referenced = or_(
        exists().where(Document.blob_id == blob_id),
        exists().where(Document.parsed_blob_id == blob_id),
        exists().where(DocumentVersion.blob_id == blob_id),
        exists().where(
            KnowledgeBase.workspace_id == scope.workspace_id,
            KnowledgeBase.settings["import"]["blob_id"].astext == str(blob_id),
            KnowledgeBase.settings["import"]["state"].astext != "finished",
        ),
    )
    if await session.scalar(select(referenced)):
        return False
    await session.execute(delete(Blob).where(Blob.id == blob_id))
    return True


async def remove_abandoned(session: AsyncSession, before: datetime) -> int:
    """Remove uploads of all workspaces that began before `before` and never ended. Returns how many."""
    removed = await session.scalars(
        delete(Blob).where(Blob.completed_at.is_(None), Blob.created_at < before).returning(Blob.id)
    )
    return len(removed.all())
