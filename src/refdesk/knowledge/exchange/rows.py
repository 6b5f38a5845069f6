"""Documents of an archive as rows: the originals, the documents with their present version, paragraphs."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge import blobs
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.errors import ContentLost
from refdesk.knowledge.exchange.archive import Archive
from refdesk.knowledge.exchange.groups import Item
from refdesk.knowledge.exchange.placing import paragraph_id, placed_warnings
from refdesk.knowledge.exchange.records import FILES
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.tables import Document, DocumentVersion, KnowledgeBase, Paragraph


async def stored_files(
    database: Database, scope: Scope, archive: Archive, digests: Iterable[str | None], max_bytes: int
) -> dict[str, IncomingFile]:
    """Originals of the archive, stored but for the last step, in one order for all writers."""
    files: dict[str, IncomingFile] = {}
    for digest in sorted({digest for digest in digests if digest is not None}):
        file = IncomingFile(database, scope, max_bytes, "REFDESK_MAX_IMPORT_BYTES")
        files[digest] = file
        with archive.member(FILES + digest) as member:
            while data := await asyncio.to_thread(member.read, blobs.CHUNK_BYTES):
                await file.write(data)
    return files


class DocumentRows:
    """Adds documents to one base, within the session's transaction."""

    def __init__(
        self, session: AsyncSession, scope: Scope, base: KnowledgeBase, question_ids: Sequence[UUID]
    ) -> None:
        self._session = session
        self._scope = scope
        self._base = base
        self._question_ids = question_ids

    async def add(self, items: Sequence[tuple[Item, UUID]], files: dict[str, UUID]) -> None:
        """Documents with their ids; `files` are ids of the originals by digest."""
        for item, key in items:
            self._add_document(item, key, files)
        await self._session.flush()
        for item, key in items:
            await self._add_paragraphs(item, key)

    def _add_document(self, item: Item, key: UUID, files: dict[str, UUID]) -> None:
        record = item.document
        blob_id = None if record.file is None else files[record.file]
        error = None if record.error is None else record.error.model_dump(mode="json", exclude_none=True)
        state = "indexing" if record.is_split else record.state
        if not record.is_split and state not in ("failed", "cancelled"):
            state = "queued"
            if blob_id is None:
                lost = ContentLost()
                state = "failed"
                error = {"code": lost.code, "stage": "parsing", "reason": lost.text, "hint": lost.hint_text}
        split_settings = record.split_settings.model_dump(exclude_defaults=True)
        warnings = placed_warnings(self._base.id, item.number, record.warnings)
        common: dict[str, Any] = {
            "workspace_id": self._scope.workspace_id,
            "name": "/".join(display_name(part) for part in record.name.split("/"))[:500],
            "kind": record.kind,
            "blob_id": blob_id,
            "found_meta": record.found_meta,
            "warnings": warnings,
            "split_settings": split_settings,
            "character_count": record.character_count,
            "paragraph_count": len(item.paragraphs),
            "coverage": record.coverage,
            "created_by": self._base.created_by,
        }
        self._session.add(
            Document(
                id=key,
                knowledge_base_id=self._base.id,
                state=state,
                error=error if state == "failed" else None,
                meta=record.meta,
                report=record.report.model_dump(exclude_none=True),
                hit_handling=record.hit_handling,
                direct_return_similarity=record.direct_return_similarity,
                is_active=record.is_active,
                version=record.version,
                removed_origins=record.removed_origins,
                progress_total=len(item.paragraphs),
                split_at=now() if record.is_split else None,
                created_at=record.created_at,
                **common,
            )
        )
        present = next((line for line in item.versions if line.number == record.version), None)
        self._session.add(
            DocumentVersion(
                id=new_id(),
                document_id=key,
                number=record.version,
                reason="upload" if present is None else present.reason,
                created_at=record.created_at if present is None else present.created_at,
                **common,
            )
        )

    async def _add_paragraphs(self, item: Item, key: UUID) -> None:
        pairs: list[tuple[UUID, UUID]] = []
        at = now()
        for start in range(0, len(item.paragraphs), 1_000):
            rows: list[dict[str, Any]] = []
            for position, line in enumerate(item.paragraphs[start : start + 1_000], start):
                own_id = new_id() if line.key is None else paragraph_id(self._base.id, item.number, line.key)
                pairs += [(own_id, self._question_ids[q]) for q in line.questions]
                rows.append(
                    {
                        "id": own_id,
                        "workspace_id": self._scope.workspace_id,
                        "knowledge_base_id": self._base.id,
                        "document_id": key,
                        "position": position,
                        "created_at": line.created_at or at,
                        **line.model_dump(exclude={"d", "key", "questions", "created_at"}),
                    }
                )
            await self._session.execute(insert(Paragraph), rows)
        if pairs:
            await QuestionRepository(self._session, self._scope).attach(pairs)
