"""Earlier versions of an archive's documents: their snapshots, their files, and one that was being made.

A version at a time, each in a transaction of its own, so that memory is bounded by the largest one. What is
there already is passed over.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge.exchange.archive import Archive
from refdesk.knowledge.exchange.placing import document_id, paragraph_id, placed_warnings
from refdesk.knowledge.exchange.records import (
    DOCUMENTS,
    SNAPSHOTS,
    VERSIONS,
    DocumentRecord,
    SnapshotLine,
    VersionLine,
)
from refdesk.knowledge.exchange.rows import stored_files
from refdesk.knowledge.exchange.split_guard import SplitGuard
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.queueing import enqueue_processing
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.tables import Blob, DocumentVersion, PastParagraph
from refdesk.knowledge.versions import ParagraphRecord, snapshot

_ROWS_AT_ONCE = 2_000


@dataclass(slots=True)
class _Earlier:
    """A version that is not the present one, with its paragraphs where it has a snapshot."""

    line: VersionLine
    paragraphs: list[ParagraphRecord] = field(default_factory=list[ParagraphRecord])
    past: list[UUID] = field(default_factory=list[UUID])


class PastVersions:
    """Adds the versions of one base. `owned` raises where the import may not write any more."""

    def __init__(
        self,
        database: Database,
        scope: Scope,
        base_id: UUID,
        owned: Callable[[AsyncSession], Awaitable[object]],
        max_bytes: int,
        guard: SplitGuard,
    ) -> None:
        self._database = database
        self._scope = scope
        self._base_id = base_id
        self._owned = owned
        self._max_bytes = max_bytes
        self._guard = guard

    async def save(self, archive: Archive) -> None:
        """Add all versions of the archive but the present ones, which came with their documents."""
        earlier = self._read(archive)
        while (version := await asyncio.to_thread(next, earlier, None)) is not None:
            version.line = await self._guard.version(version.line)
            await self._save(archive, version)

    def _read(self, archive: Archive) -> Iterator[_Earlier]:
        current = [record.version for record in archive.lines(DOCUMENTS, DocumentRecord)]
        lines = archive.lines(SNAPSHOTS, SnapshotLine)
        head = next(lines, None)
        for line in archive.lines(VERSIONS, VersionLine):
            version = _Earlier(line)
            while head is not None and (head.d, head.number) == (line.d, line.number):
                record = self._record(head)
                version.paragraphs.append(record)
                if head.is_past:
                    version.past.append(record.id)
                head = next(lines, None)
            if line.number != current[line.d]:
                yield version

    def _record(self, line: SnapshotLine) -> ParagraphRecord:
        assert line.key is not None
        own = paragraph_id(self._base_id, line.d, line.key)
        return ParagraphRecord(id=own, **line.model_dump(exclude={"d", "key", "number", "is_past"}))

    async def _save(self, archive: Archive, version: _Earlier) -> None:
        line, key = version.line, document_id(self._base_id, version.line.d)
        async with self._database.transaction() as session:
            is_there = await self._find(session, key, line.number) is not None
            known = await self._blob(session, line.file)
        if is_there:
            return
        wanted = [line.file] if known is None else []
        files = await stored_files(self._database, self._scope, archive, wanted, self._max_bytes)
        data = None
        if line.has_snapshot:
            data = await asyncio.to_thread(
                snapshot.encode,
                version.paragraphs,
                line.removed_origins,
                line.report.model_dump(exclude_none=True),
            )
        try:
            async with self._database.transaction() as session:
                await self._owned(session)
                blob_id = known
                for file in files.values():
                    blob_id = (await file.finish(session)).id
                await self._add(session, key, version, blob_id, data)
        finally:
            for file in files.values():
                await file.discard()

    async def _add(
        self, session: AsyncSession, key: UUID, version: _Earlier, blob_id: UUID | None, data: bytes | None
    ) -> None:
        document = await DocumentRepository(session, self._scope).find(key, lock=True)
        line = version.line
        # Whoever gave the document a newer version meanwhile has made the one that was begun pointless.
        if document is None or await self._find(session, key, line.number) is not None:
            return
        row = DocumentVersion(
            id=new_id(),
            workspace_id=self._scope.workspace_id,
            document_id=key,
            blob_id=blob_id,
            name="/".join(display_name(part) for part in line.name.split("/"))[:500],
            warnings=placed_warnings(self._base_id, line.d, line.warnings),
            split_settings=line.split_settings.model_dump(exclude_defaults=True),
            snapshot=data,
            created_by=document.created_by,
            **line.model_dump(
                include={
                    "number",
                    "reason",
                    "kind",
                    "found_meta",
                    "character_count",
                    "paragraph_count",
                    "coverage",
                    "restores",
                    "created_at",
                    "replaced_at",
                }
            ),
        )
        session.add(row)
        await session.flush()
        past: list[dict[str, Any]] = [
            {"paragraph_id": own, "version_id": row.id, "workspace_id": self._scope.workspace_id}
            for own in version.past
        ]
        for start in range(0, len(past), _ROWS_AT_ONCE):
            await session.execute(insert(PastParagraph), past[start : start + _ROWS_AT_ONCE])
        if line.state is not None and document.state == "ready":
            document.state, document.split_at = line.state, None
            document.error = (
                None if line.error is None else line.error.model_dump(mode="json", exclude_none=True)
            )
            if line.state == "queued":
                await enqueue_processing(session, self._scope, key)

    async def _find(self, session: AsyncSession, key: UUID, number: int) -> UUID | None:
        return await session.scalar(
            select(DocumentVersion.id).where(
                DocumentVersion.workspace_id == self._scope.workspace_id,
                DocumentVersion.document_id == key,
                DocumentVersion.number == number,
            )
        )

    async def _blob(self, session: AsyncSession, digest: str | None) -> UUID | None:
        """The file where the workspace has it already, as most versions' are."""
        if digest is None:
            return None
        return await session.scalar(
            select(Blob.id).where(
                Blob.workspace_id == self._scope.workspace_id,
                Blob.sha256 == bytes.fromhex(digest),
                Blob.completed_at.is_not(None),
            )
        )
