"""All SQL of versions. Bound to the scope's workspace."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast
from uuid import UUID

import orjson
from sqlalchemy import Select, func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.tables import Document, DocumentVersion, Paragraph, PastParagraph
from refdesk.knowledge.versions.records import ParagraphRecord, record_of

# Rows of one statement: bounds its memory, and PostgreSQL takes 65,535 parameters.
BATCH = 2_000

_COLUMNS = [
    column.label(name)
    for name, column in {
        "id": Paragraph.id,
        "title": Paragraph.title,
        "title_chain": Paragraph.title_chain,
        "content": Paragraph.content,
        "page": Paragraph.page,
        "boxes": Paragraph.boxes,
        "start": Paragraph.start,
        "end": Paragraph.end,
        "is_active": Paragraph.is_active,
        "is_edited": Paragraph.is_edited,
        "hit_count": Paragraph.hit_count,
        "revision": Paragraph.revision,
        "origins": Paragraph.origins,
        "source_title": Paragraph.source_title,
        "source_content": Paragraph.source_content,
        "meta": Paragraph.meta,
    }.items()
]
_UPDATE = text("""
UPDATE paragraphs AS p SET
    position = g.position, title = g.title, content = g.content, page = g.page, boxes = g.boxes,
    start = g.start, end_ = g."end", is_active = g.is_active, is_edited = g.is_edited,
    revision = g.revision, source_title = g.source_title, source_content = g.source_content, meta = g.meta,
    title_chain = ARRAY(SELECT jsonb_array_elements_text(g.title_chain)),
    origins = ARRAY(SELECT jsonb_array_elements_text(g.origins)),
    updated_at = CASE WHEN p.revision = g.revision THEN p.updated_at ELSE now() END
FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS g(
    id uuid, position integer, title text, title_chain jsonb, content text, page integer, boxes jsonb,
    start integer, "end" integer, is_active boolean, is_edited boolean, revision integer, origins jsonb,
    source_title text, source_content text, meta jsonb)
WHERE p.id = g.id AND p.workspace_id = :workspace_id
""")
_MOVE = text("""
UPDATE paragraphs AS p SET position = g.position
FROM unnest(CAST(:ids AS uuid[]), CAST(:positions AS integer[])) AS g(id, position)
WHERE p.id = g.id AND p.workspace_id = :workspace_id
""")


class VersionRepository:
    """Versions of documents, and paragraphs as records, of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    def _of(self, document_id: UUID) -> Select[DocumentVersion]:
        return select(DocumentVersion).where(
            DocumentVersion.workspace_id == self.scope.workspace_id,
            DocumentVersion.document_id == document_id,
        )

    async def find(self, document_id: UUID, number: int) -> DocumentVersion | None:
        return await self.session.scalar(self._of(document_id).where(DocumentVersion.number == number))

    async def pending(self, document: Document) -> DocumentVersion | None:
        """The version that is being made of the document and will replace the present one."""
        return await self.session.scalar(
            self._of(document.id)
            .where(DocumentVersion.number > document.version)
            .execution_options(populate_existing=True)
        )

    async def current(self, document: Document) -> DocumentVersion:
        """The row of the present version; made here where there is none yet."""
        found = await self.find(document.id, document.version)
        if found is None:
            found = new_version(document, document.version, first_reason(document))
            self.session.add(found)
            await self.session.flush()
        return found

    async def page(
        self, document_id: UUID, current: int, *, limit: int, before: int | None
    ) -> list[DocumentVersion]:
        """Versions up to the current one, the newest first."""
        query = self._of(document_id).where(DocumentVersion.number <= current)
        if before is not None:
            query = query.where(DocumentVersion.number < before)
        rows = await self.session.scalars(query.order_by(DocumentVersion.number.desc()).limit(limit))
        return list(rows)

    async def count(self, document_id: UUID, current: int) -> int:
        counted = await self.session.scalar(
            select(func.count()).select_from(
                self._of(document_id).where(DocumentVersion.number <= current).subquery()
            )
        )
        return counted or 0

    async def up_to(self, document_id: UUID, number: int) -> list[DocumentVersion]:
        """Versions that were replaced, up to this number, the oldest first."""
        rows = await self.session.scalars(
            self._of(document_id).where(DocumentVersion.number <= number).order_by(DocumentVersion.number)
        )
        return list(rows)

    async def past_paragraphs(self, version_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
        """The paragraphs that lie in the snapshots of these versions and in no later one, by version."""
        rows = await self.session.execute(
            select(PastParagraph.version_id, PastParagraph.paragraph_id).where(
                PastParagraph.workspace_id == self.scope.workspace_id,
                PastParagraph.version_id.in_(version_ids),
            )
        )
        found: dict[UUID, list[UUID]] = {}
        for version_id, paragraph_id in rows:
            found.setdefault(version_id, []).append(paragraph_id)
        return found

    async def snapshot(self, document_id: UUID, number: int) -> bytes | None:
        """The compressed paragraphs of a version that was replaced."""
        return await self.session.scalar(
            self._of(document_id)
            .where(DocumentVersion.number == number)
            .with_only_columns(DocumentVersion.snapshot)
        )

    async def blob_ids(self, document_id: UUID) -> set[UUID]:
        """The files that any version of the document was made from."""
        rows = await self.session.scalars(
            self._of(document_id)
            .where(DocumentVersion.blob_id.is_not(None))
            .with_only_columns(DocumentVersion.blob_id)
        )
        return {blob_id for blob_id in rows if blob_id is not None}

    async def present(self, document_id: UUID) -> list[ParagraphRecord]:
        """The document's paragraphs as they stand, in reading order."""
        questions = await QuestionRepository(self.session, self.scope).of_document(document_id)
        rows = await self.session.execute(
            select(*_COLUMNS)
            .where(Paragraph.workspace_id == self.scope.workspace_id, Paragraph.document_id == document_id)
            .order_by(Paragraph.position, Paragraph.id)
        )
        mappings = cast("Iterable[Mapping[str, Any]]", rows.mappings())
        return [record_of(row, questions.get(row["id"], ())) for row in mappings]

    async def positions(self, document_id: UUID) -> dict[UUID, int]:
        """The stored position of each paragraph; it says only the order."""
        rows = await self.session.execute(
            select(Paragraph.id, Paragraph.position).where(
                Paragraph.workspace_id == self.scope.workspace_id, Paragraph.document_id == document_id
            )
        )
        return dict(rows.all())

    async def insert(self, document: Document, records: Sequence[tuple[int, ParagraphRecord]]) -> None:
        """New rows, each with its position."""
        for i in range(0, len(records), BATCH):
            await self.session.execute(
                insert(Paragraph),
                [
                    {
                        **_values(position, record),
                        "hit_count": record.hit_count,
                        "workspace_id": self.scope.workspace_id,
                        "knowledge_base_id": document.knowledge_base_id,
                        "document_id": document.id,
                    }
                    for position, record in records[i : i + BATCH]
                ],
            )

    async def update(self, records: Sequence[tuple[int, ParagraphRecord]]) -> None:
        """Bring rows that are there to what the records say, each with its position."""
        for i in range(0, len(records), BATCH):
            rows = [_values(position, record) for position, record in records[i : i + BATCH]]
            await self.session.execute(
                _UPDATE, {"rows": orjson.dumps(rows).decode(), "workspace_id": self.scope.workspace_id}
            )

    async def move(self, positions: Sequence[tuple[int, UUID]]) -> None:
        """Give rows their positions, and change nothing else of them."""
        await self.session.execute(
            _MOVE,
            {
                "ids": [paragraph_id for _, paragraph_id in positions],
                "positions": [position for position, _ in positions],
                "workspace_id": self.scope.workspace_id,
            },
        )

    async def note_past(self, version_id: UUID, paragraph_ids: Sequence[UUID]) -> None:
        """Note in whose snapshot paragraphs lie that go now."""
        for i in range(0, len(paragraph_ids), BATCH):
            await self.session.execute(
                insert(PastParagraph),
                [
                    {
                        "paragraph_id": paragraph_id,
                        "version_id": version_id,
                        "workspace_id": self.scope.workspace_id,
                    }
                    for paragraph_id in paragraph_ids[i : i + BATCH]
                ],
            )

    async def last_with(self, paragraph_id: UUID) -> DocumentVersion | None:
        """The newest version whose snapshot holds a paragraph that is gone."""
        return await self.session.scalar(
            select(DocumentVersion)
            .join(PastParagraph, PastParagraph.version_id == DocumentVersion.id)
            .where(
                PastParagraph.paragraph_id == paragraph_id,
                PastParagraph.workspace_id == self.scope.workspace_id,
                DocumentVersion.workspace_id == self.scope.workspace_id,
                DocumentVersion.snapshot.is_not(None),
            )
            .order_by(DocumentVersion.number.desc())
            .limit(1)
        )


async def add_document(session: AsyncSession, document: Document) -> None:
    """Save a new document with the row of its first version."""
    session.add(document)
    await session.flush()
    session.add(new_version(document, 1, first_reason(document)))
    await session.flush()


def first_reason(document: Document) -> str:
    """Why a document is there: from a source, or uploaded by a person."""
    return "upload" if document.source_id is None else "sync"


def new_version(document: Document, number: int, reason: str) -> DocumentVersion:
    """A row that says of a version what the document says now."""
    version = DocumentVersion(
        id=new_id(),
        workspace_id=document.workspace_id,
        document_id=document.id,
        number=number,
        reason=reason,
        created_by=document.created_by,
    )
    describe(version, document)
    return version


def describe(version: DocumentVersion, document: Document) -> None:
    """Note in the version what the document says now of itself."""
    version.name, version.kind, version.blob_id = document.name, document.kind, document.blob_id
    version.found_meta, version.warnings = document.found_meta or {}, document.warnings or []
    version.split_settings = document.split_settings or {}
    version.character_count = document.character_count or 0
    version.paragraph_count = document.paragraph_count or 0
    version.coverage = document.coverage


def _values(position: int, record: ParagraphRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "position": position,
        "title": record.title,
        "title_chain": record.title_chain,
        "content": record.content,
        "page": record.page,
        "boxes": record.boxes,
        "start": record.start,
        "end": record.end,
        "is_active": record.is_active,
        "is_edited": record.is_edited,
        "revision": record.revision,
        "origins": record.origins,
        "source_title": record.source_title,
        "source_content": record.source_content,
        "meta": record.meta,
    }
