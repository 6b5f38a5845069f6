"""All SQL of index builds. Bound to the scope's workspace."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.indexing.tables import IndexBuild, KnowledgeIndex
from refdesk.knowledge.rebuilding.errors import IndexBuildNotFound
from refdesk.knowledge.tables import Document

# What the active index holds is the measure, not what the base holds: a document that failed half-way is
# found as far by either index. A paragraph edited since is taken in as it is now, though the active one lags.
_PENDING = text("""
SELECT a.paragraph_id FROM indexed_paragraphs a
JOIN paragraphs p ON p.id = a.paragraph_id
JOIN documents d ON d.id = p.document_id AND d.deleted_at IS NULL
LEFT JOIN indexed_paragraphs o
    ON o.index_id = :other AND o.paragraph_id = a.paragraph_id AND o.revision = p.revision
WHERE a.index_id = :active AND a.workspace_id = :workspace_id AND o.paragraph_id IS NULL
    AND a.paragraph_id > :after
ORDER BY a.paragraph_id LIMIT :limit
""")
_BEHIND = text("""
SELECT count(*) FROM indexed_paragraphs a
JOIN documents d ON d.id = a.document_id AND d.deleted_at IS NULL
LEFT JOIN indexed_paragraphs o
    ON o.index_id = :other AND o.paragraph_id = a.paragraph_id AND o.revision >= a.revision
WHERE a.index_id = :active AND a.workspace_id = :workspace_id AND o.paragraph_id IS NULL
""")
_HELD = text("SELECT count(*) FROM indexed_paragraphs WHERE index_id = :id AND workspace_id = :workspace_id")
_ATTACHED = text("""
SELECT q.content, array_agg(p.id) FROM questions q
JOIN paragraph_questions a ON a.question_id = q.id
JOIN paragraphs p ON p.id = a.paragraph_id AND p.is_active
JOIN documents d ON d.id = p.document_id AND d.is_active AND NOT d.is_draft AND d.deleted_at IS NULL
WHERE q.knowledge_base_id = :base_id AND q.workspace_id = :workspace_id
GROUP BY q.id ORDER BY q.id
""")

FIRST = UUID(int=0)


class IndexBuildRepository:
    """Index builds of one workspace, and how far two indexes of a base are from each other."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    async def find(self, build_id: UUID, *, lock: bool = False) -> IndexBuild | None:
        query = select(IndexBuild).where(
            IndexBuild.workspace_id == self.scope.workspace_id, IndexBuild.id == build_id
        )
        if lock:
            query = query.with_for_update(key_share=True)
        return await self.session.scalar(query.execution_options(populate_existing=True))

    async def get(self, base_id: UUID, build_id: UUID, *, lock: bool = False) -> IndexBuild:
        """The build, or `IndexBuildNotFound`."""
        build = await self.find(build_id, lock=lock)
        if build is None or build.knowledge_base_id != base_id:
            raise IndexBuildNotFound(build_id=str(build_id))
        return build

    async def of_base(self, base_id: UUID) -> list[IndexBuild]:
        rows = await self.session.scalars(
            select(IndexBuild)
            .where(
                IndexBuild.workspace_id == self.scope.workspace_id, IndexBuild.knowledge_base_id == base_id
            )
            .order_by(IndexBuild.created_at.desc())
        )
        return list(rows)

    async def index(self, index_id: UUID | None) -> KnowledgeIndex | None:
        if index_id is None:
            return None
        return await self.session.scalar(
            select(KnowledgeIndex)
            .where(KnowledgeIndex.workspace_id == self.scope.workspace_id, KnowledgeIndex.id == index_id)
            .execution_options(populate_existing=True)
        )

    async def pending(self, active: UUID, other: UUID, *, after: UUID = FIRST, limit: int) -> list[UUID]:
        """Paragraphs of the active index that the other does not hold as they are now, by id."""
        parameters = {
            "active": active,
            "other": other,
            "workspace_id": self.scope.workspace_id,
            "after": after,
            "limit": limit,
        }
        return list((await self.session.execute(_PENDING, parameters)).scalars())

    async def behind(self, active: UUID, other: UUID) -> int:
        """Paragraphs that the active index holds in a later revision than the other, or alone."""
        parameters = {"active": active, "other": other, "workspace_id": self.scope.workspace_id}
        return (await self.session.execute(_BEHIND, parameters)).scalar_one()

    async def held(self, index_id: UUID) -> int:
        """How many paragraphs an index holds."""
        parameters = {"id": index_id, "workspace_id": self.scope.workspace_id}
        return (await self.session.execute(_HELD, parameters)).scalar_one()

    async def attached_questions(self, base_id: UUID) -> list[tuple[str, list[UUID]]]:
        """The questions attached to paragraphs that searches find, with these paragraphs."""
        parameters = {"base_id": base_id, "workspace_id": self.scope.workspace_id}
        return [(row[0], row[1]) for row in await self.session.execute(_ATTACHED, parameters)]

    async def hold_documents(self, document_ids: Sequence[UUID]) -> dict[UUID, Document]:
        """Those of the documents that are there; neither they nor who may see them change meanwhile."""
        rows = await self.session.scalars(
            select(Document)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.id.in_(document_ids),
                Document.deleted_at.is_(None),
            )
            .order_by(Document.id)
            .with_for_update(read=True)
            .execution_options(populate_existing=True)
        )
        return {document.id: document for document in rows}
