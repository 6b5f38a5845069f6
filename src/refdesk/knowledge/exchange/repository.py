"""What an export reads, in batches, within one transaction that sees the base as it was when it began."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import or_, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.access import may_see_item
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.tables import (
    Blob,
    BlobChunk,
    Document,
    DocumentVersion,
    Paragraph,
    ParagraphQuestion,
    PastParagraph,
    Question,
    Source,
    SourceItem,
)
from refdesk.knowledge.versions.snapshot import Snapshot, decode

DOCUMENTS_AT_ONCE = 200

# An entry counts only if it is of the paragraph's present revision.
_ENTRIES = text("""
SELECT e.document_id, e.paragraph_id, e.kind, e.start_, e.end_, halfvec_send(e.embedding),
    CASE WHEN e.kind = 2 THEN e.terms END
FROM index_entries e
JOIN paragraphs p ON p.id = e.paragraph_id
JOIN indexed_paragraphs i ON i.index_id = e.index_id AND i.paragraph_id = p.id AND i.revision = p.revision
WHERE e.home = :home AND e.index_id = :index_id AND e.document_id = ANY(CAST(:documents AS uuid[]))
    AND e.workspace_id = :workspace_id
ORDER BY e.document_id, p.position, p.id, e.kind, e.id
""")


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry of the index; `vector` is pgvector's binary form of a `halfvec`.

    `terms` are the salted terms of an entry of a question, which tell whose it is; of others there are none.
    """

    document_id: UUID
    paragraph_id: UUID
    kind: int
    start: int
    end: int
    vector: bytes
    terms: frozenset[int]


class ExportRepository:
    """Reads one base, or some of its documents. Deleted documents and drafts are not there."""

    def __init__(
        self, session: AsyncSession, scope: Scope, base_id: UUID, only: Sequence[UUID] | None = None
    ) -> None:
        self.session = session
        self.scope = scope
        self.base_id = base_id
        self.only = only

    async def document_ids(self) -> list[UUID]:
        """In the order they were made."""
        query = (
            select(Document.id)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.knowledge_base_id == self.base_id,
                Document.deleted_at.is_(None),
                Document.is_draft.is_(False),
            )
            .order_by(Document.id)
        )
        if self.only is not None:
            query = query.where(Document.id.in_(self.only))
        return list(await self.session.scalars(query))

    async def documents(self, ids: Sequence[UUID]) -> list[tuple[Document, bytes | None]]:
        """Documents with the digests of their files."""
        rows = await self.session.execute(
            select(Document, Blob.sha256)
            .outerjoin(Blob, Blob.id == Document.blob_id)
            .where(Document.workspace_id == self.scope.workspace_id, Document.id.in_(ids))
            .order_by(Document.id)
            .execution_options(populate_existing=True)
        )
        return [(document, digest) for document, digest in rows]

    async def paragraphs(self, document_id: UUID, *, batch: int = 1_000) -> AsyncIterator[list[Paragraph]]:
        """A document's paragraphs in reading order, in batches."""
        after: tuple[int, UUID] | None = None
        while True:
            query = select(Paragraph).where(
                Paragraph.workspace_id == self.scope.workspace_id, Paragraph.document_id == document_id
            )
            if after is not None:
                position, last = after
                query = query.where(
                    (Paragraph.position > position)
                    | ((Paragraph.position == position) & (Paragraph.id > last))
                )
            found = list(
                await self.session.scalars(query.order_by(Paragraph.position, Paragraph.id).limit(batch))
            )
            if not found:
                return
            yield found
            after = (found[-1].position, found[-1].id)
            self.session.expunge_all()

    async def questions(self) -> list[Question]:
        """The base's questions; of some documents only those attached to them."""
        query = select(Question).where(
            Question.workspace_id == self.scope.workspace_id, Question.knowledge_base_id == self.base_id
        )
        if self.only is not None:
            attached = (
                select(ParagraphQuestion.question_id)
                .join(Paragraph, Paragraph.id == ParagraphQuestion.paragraph_id)
                .where(Paragraph.document_id.in_(self.only))
            )
            query = query.where(Question.id.in_(attached))
        return list(await self.session.scalars(query.order_by(Question.id)))

    async def attached(self, document_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
        """Questions of the documents' paragraphs, by paragraph, in the order the index takes them."""
        rows = await self.session.execute(
            select(ParagraphQuestion.paragraph_id, ParagraphQuestion.question_id)
            .join(Paragraph, Paragraph.id == ParagraphQuestion.paragraph_id)
            .where(Paragraph.workspace_id == self.scope.workspace_id, Paragraph.document_id.in_(document_ids))
            .order_by(ParagraphQuestion.question_id)
        )
        found: dict[UUID, list[UUID]] = {}
        for paragraph_id, question_id in rows:
            found.setdefault(paragraph_id, []).append(question_id)
        return found

    async def being_made_anew(self, ids: Sequence[UUID]) -> set[UUID]:
        """Those of these documents of which another version is on its way, or could not be made."""
        rows = await self.session.scalars(
            select(Document.id)
            .join(DocumentVersion, DocumentVersion.document_id == Document.id)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.id.in_(ids),
                DocumentVersion.number > Document.version,
            )
        )
        return set(rows)

    async def snapshot(self, version: DocumentVersion) -> Snapshot | None:
        """What a replaced version held."""
        data = await self.session.scalar(
            select(DocumentVersion.snapshot).where(
                DocumentVersion.id == version.id, DocumentVersion.workspace_id == self.scope.workspace_id
            )
        )
        return None if data is None else await asyncio.to_thread(decode, data)

    async def past_paragraphs(self, version: DocumentVersion) -> set[UUID]:
        """Paragraphs whose citations lead to this version."""
        rows = await self.session.scalars(
            select(PastParagraph.paragraph_id).where(
                PastParagraph.version_id == version.id,
                PastParagraph.workspace_id == self.scope.workspace_id,
            )
        )
        return set(rows)

    async def sources(self) -> list[Source]:
        """The base's sources in the order they were made; documents alone come without."""
        if self.only is not None:
            return []
        rows = await self.session.scalars(
            select(Source)
            .where(
                Source.workspace_id == self.scope.workspace_id,
                Source.knowledge_base_id == self.base_id,
                Source.deleted_at.is_(None),
            )
            .order_by(Source.id)
        )
        return list(rows)

    async def source_items(self, source_id: UUID) -> AsyncIterator[list[SourceItem]]:
        """What is remembered of a source's pages or files, in batches."""
        after: UUID | None = None
        while True:
            query = select(SourceItem).where(
                SourceItem.workspace_id == self.scope.workspace_id,
                SourceItem.source_id == source_id,
                may_see_item(self.scope),
            )
            if after is not None:
                query = query.where(SourceItem.id > after)
            found = list(await self.session.scalars(query.order_by(SourceItem.id).limit(500)))
            if not found:
                return
            yield found
            after = found[-1].id

    async def versions(self, ids: Sequence[UUID]) -> list[tuple[DocumentVersion, bytes | None]]:
        """The versions of documents with the digests of their files, the oldest first."""
        rows = await self.session.execute(
            select(DocumentVersion, Blob.sha256)
            .outerjoin(Blob, Blob.id == DocumentVersion.blob_id)
            .where(
                DocumentVersion.workspace_id == self.scope.workspace_id, DocumentVersion.document_id.in_(ids)
            )
            .order_by(DocumentVersion.document_id, DocumentVersion.number)
        )
        return [(version, digest) for version, digest in rows]

    async def index(self, index_id: UUID | None) -> KnowledgeIndex | None:
        if index_id is None:
            return None
        return await self.session.scalar(
            select(KnowledgeIndex).where(
                KnowledgeIndex.id == index_id, KnowledgeIndex.workspace_id == self.scope.workspace_id
            )
        )

    async def paragraph_ids(self, document_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
        """Ids of the paragraphs of each document, in reading order."""
        rows = await self.session.execute(
            select(Paragraph.document_id, Paragraph.id)
            .where(Paragraph.workspace_id == self.scope.workspace_id, Paragraph.document_id.in_(document_ids))
            .order_by(Paragraph.document_id, Paragraph.position, Paragraph.id)
        )
        found: dict[UUID, list[UUID]] = {}
        for document_id, paragraph_id in rows:
            found.setdefault(document_id, []).append(paragraph_id)
        return found

    async def entries(
        self, index: KnowledgeIndex, document_ids: Sequence[UUID]
    ) -> AsyncIterator[StoredEntry]:
        """Entries of these documents by document, paragraph, kind and age, read through a cursor."""
        parameters = {
            "home": index.home,
            "index_id": index.id,
            "documents": list(document_ids),
            "workspace_id": self.scope.workspace_id,
        }
        rows = await self.session.stream(_ENTRIES, parameters, execution_options={"yield_per": 2_000})
        async for row in rows:
            terms = frozenset(row[6] or ())
            yield StoredEntry(row[0], row[1], row[2], row[3], row[4], bytes(row[5]), terms)

    async def blobs(self, ids: Sequence[UUID]) -> list[Blob]:
        """The originals of these documents and of their earlier versions."""
        rows = await self.session.scalars(
            select(Blob)
            .where(
                Blob.workspace_id == self.scope.workspace_id,
                Blob.completed_at.is_not(None),
                or_(
                    Blob.id.in_(select(Document.blob_id).where(Document.id.in_(ids))),
                    Blob.id.in_(select(DocumentVersion.blob_id).where(DocumentVersion.document_id.in_(ids))),
                ),
            )
            .order_by(Blob.id)
        )
        return list(rows)

    async def chunks(self, blob: Blob) -> AsyncIterator[bytes]:
        """A file in pieces of a mebibyte."""
        seq = 0
        while True:
            data = await self.session.scalar(
                select(BlobChunk.data).where(
                    BlobChunk.blob_id == blob.id,
                    BlobChunk.seq == seq,
                    BlobChunk.workspace_id == self.scope.workspace_id,
                )
            )
            if data is None:
                return
            yield bytes(data)
            seq += 1
