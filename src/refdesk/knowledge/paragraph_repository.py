"""All SQL of paragraphs, and of what the index holds of them. Bound to the scope's workspace."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import Select, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.like import containing
from refdesk.knowledge.indexing.tables import IndexedParagraph
from refdesk.knowledge.tables import Document, Paragraph


class ParagraphRepository:
    """Paragraphs of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    def _of(self, document_id: UUID) -> Select[Paragraph]:
        return select(Paragraph).where(
            Paragraph.workspace_id == self.scope.workspace_id, Paragraph.document_id == document_id
        )

    async def find(self, paragraph_id: UUID) -> Paragraph | None:
        return await self.session.scalar(
            select(Paragraph)
            .where(Paragraph.workspace_id == self.scope.workspace_id, Paragraph.id == paragraph_id)
            .execution_options(populate_existing=True)
        )

    async def by_ids(self, paragraph_ids: Sequence[UUID]) -> list[Paragraph]:
        """Those of these paragraphs that exist, in reading order."""
        rows = await self.session.scalars(
            select(Paragraph)
            .where(Paragraph.workspace_id == self.scope.workspace_id, Paragraph.id.in_(paragraph_ids))
            .order_by(Paragraph.document_id, Paragraph.position)
        )
        return list(rows)

    async def revisions(self, paragraph_ids: Sequence[UUID]) -> Mapping[UUID, int]:
        """Revisions of those of these paragraphs that can still be read."""
        rows = await self.session.execute(
            select(Paragraph.id, Paragraph.revision)
            .join(Document, Document.id == Paragraph.document_id)
            .where(
                Paragraph.workspace_id == self.scope.workspace_id,
                Paragraph.id.in_(paragraph_ids),
                Document.deleted_at.is_(None),
            )
        )
        return dict(rows.all())

    async def count_hits(self, paragraph_ids: Sequence[UUID]) -> None:
        """Note that an answer was sought in these paragraphs. Not a change: `updated_at` stays."""
        found = (
            select(Paragraph.id)
            .where(Paragraph.workspace_id == self.scope.workspace_id, Paragraph.id.in_(paragraph_ids))
            .order_by(Paragraph.id)  # so that two answers with the same paragraphs never wait in a ring
            .with_for_update(key_share=True)
        )
        await self.session.execute(
            update(Paragraph)
            .where(Paragraph.id.in_(found.scalar_subquery()))
            .values(hit_count=Paragraph.hit_count + 1, updated_at=Paragraph.updated_at)
            .execution_options(synchronize_session=False)
        )

    async def indexed_revisions(self, index_id: UUID, paragraph_ids: Sequence[UUID]) -> Mapping[UUID, int]:
        """Which revision an index holds of those of these paragraphs that it holds."""
        rows = await self.session.execute(
            select(IndexedParagraph.paragraph_id, IndexedParagraph.revision).where(
                IndexedParagraph.workspace_id == self.scope.workspace_id,
                IndexedParagraph.index_id == index_id,
                IndexedParagraph.paragraph_id.in_(paragraph_ids),
            )
        )
        return dict(rows.all())

    def _matching(self, document_id: UUID, q: str | None) -> Select[Paragraph]:
        query = self._of(document_id)
        if q:
            query = query.where(
                or_(Paragraph.content.ilike(containing(q)), Paragraph.title.ilike(containing(q)))
            )
        return query

    async def count(self, document_id: UUID, q: str | None = None) -> int:
        counted = await self.session.scalar(
            select(func.count()).select_from(self._matching(document_id, q).subquery())
        )
        return counted or 0

    async def after(
        self, document_id: UUID, position: int, limit: int, q: str | None = None
    ) -> list[Paragraph]:
        """Up to `limit` paragraphs from `position` on, in reading order."""
        rows = await self.session.scalars(
            self._matching(document_id, q)
            .where(Paragraph.position >= position)
            .order_by(Paragraph.position)
            .limit(limit)
        )
        return list(rows)

    async def start_of_page_before(
        self, document_id: UUID, position: int, limit: int, q: str | None = None
    ) -> int | None:
        """Position of the first of up to `limit` paragraphs before `position`; None if there is none."""
        rows = await self.session.scalars(
            self._matching(document_id, q)
            .where(Paragraph.position < position)
            .order_by(Paragraph.position.desc())
            .limit(limit)
            .with_only_columns(Paragraph.position)
        )
        return min(rows, default=None)

    async def count_edited(self, document_id: UUID) -> int:
        counted = await self.session.scalar(
            select(func.count()).select_from(
                self._of(document_id).where(Paragraph.is_edited.is_(True)).subquery()
            )
        )
        return counted or 0

    async def ids(self, document_id: UUID, limit: int) -> list[UUID]:
        """Up to `limit` paragraphs of a document, whatever its state."""
        rows = await self.session.scalars(self._of(document_id).with_only_columns(Paragraph.id).limit(limit))
        return list(rows)

    async def remove(self, paragraph_ids: Sequence[UUID]) -> None:
        await self.session.execute(
            delete(Paragraph).where(
                Paragraph.workspace_id == self.scope.workspace_id, Paragraph.id.in_(paragraph_ids)
            )
        )

    async def remove_all(self, document_id: UUID) -> None:
        await self.session.execute(
            delete(Paragraph).where(
                Paragraph.workspace_id == self.scope.workspace_id, Paragraph.document_id == document_id
            )
        )
