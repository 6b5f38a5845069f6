"""All SQL of bases and documents; that of paragraphs is in `paragraph_repository`.

Every query is bound to the scope's workspace.
What carries a deletion mark does not exist for these queries, except for the removal jobs, which say so. An
API key that is bound to one knowledge base is refused any other here, whatever the route. A document that
the caller may not see (`access`) does not exist here either; limits count it nevertheless.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Select,
    exists,
    false,
    func,
    or_,
    select,
    type_coerce,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.errors import NotFound
from refdesk.kit.like import containing
from refdesk.knowledge.access import hidden_of_removed, may_see, sees_all
from refdesk.knowledge.passage_metadata import OF_PARAGRAPH, paragraphs_with
from refdesk.knowledge.tables import (
    Blob,
    Document,
    DocumentVersion,
    KnowledgeBase,
    Paragraph,
    SourceItem,
)

RESOURCE = "knowledge_base"
# States of a document that a job has begun or will begin to work on.
ON_THE_WAY = ("queued", "parsing", "splitting", "indexing")


@dataclass(slots=True)
class Counts:
    """What one base holds."""

    documents: int = 0
    paragraphs: int = 0
    characters: int = 0
    attention: int = 0
    states: dict[str, int] = field(default_factory=dict[str, int])


# Documents of which less was kept are shown to people (the measure of parsing is the same).
LEAST_COVERAGE = 0.995


def needs_attention() -> ColumnElement[bool]:
    """Whether a document failed, has warnings or lost text; `views` says the same of a row."""
    return or_(
        Document.state == "failed",
        func.jsonb_array_length(Document.warnings) > 0,
        func.coalesce(Document.coverage, 1.0) < LEAST_COVERAGE,
    )


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents of a base are wanted; what is None does not matter.

    `meta` pairs must all hold of what people or the file say; of a list one element must be equal. Keys that
    are known of paragraphs must all hold of one and the same paragraph. What lies in one of `hidden_folders`,
    which the caller may not see, lies in no folder.
    """

    q: str | None = None
    states: Sequence[str] | None = None
    kinds: Sequence[str] | None = None
    is_active: bool | None = None
    attention: bool | None = None
    source_id: UUID | None = None
    folder_id: UUID | None = None
    in_no_folder: bool = False
    hidden_folders: Collection[UUID] = ()
    meta: Sequence[tuple[str, str]] = ()

    def conditions(self) -> list[ColumnElement[bool]]:
        """The filter in SQL."""
        found: list[ColumnElement[bool]] = []
        if self.q:
            found.append(Document.name.ilike(containing(self.q)))
        if self.states:
            found.append(Document.state.in_(self.states))
        if self.kinds:
            found.append(Document.kind.in_(self.kinds))
        if self.is_active is not None:
            found.append(Document.is_active.is_(self.is_active))
        if self.attention is not None:
            found.append(needs_attention() if self.attention else ~needs_attention())
        if self.source_id is not None:
            found.append(Document.source_id == self.source_id)
        if self.folder_id is not None:
            is_hidden = self.folder_id in self.hidden_folders
            found.append(false() if is_hidden else Document.folder_id == self.folder_id)
        if self.in_no_folder:
            found.append(or_(Document.folder_id.is_(None), Document.folder_id.in_(self.hidden_folders)))
        effective = type_coerce(Document.found_meta.op("||")(Document.meta), JSONB)
        of_paragraphs = [(key, value) for key, value in self.meta if key in OF_PARAGRAPH]
        if of_paragraphs:
            own = exists().where(Paragraph.document_id == Document.id).where(paragraphs_with(of_paragraphs))
            found.append(own)
        for key, value in self.meta:
            if key in OF_PARAGRAPH:
                continue
            found.append(or_(effective[key].astext == value, effective[key].contains([value])))
        return found


class KnowledgeBaseRepository:
    """Knowledge bases of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    def _visible(self) -> Select[KnowledgeBase]:
        query = select(KnowledgeBase).where(
            KnowledgeBase.workspace_id == self.scope.workspace_id, KnowledgeBase.deleted_at.is_(None)
        )
        if self.scope.resource is not None and self.scope.resource[0] == RESOURCE:
            query = query.where(KnowledgeBase.id == self.scope.resource[1])
        return query

    async def find(self, base_id: UUID, *, lock: bool = False) -> KnowledgeBase | None:
        query = self._visible().where(KnowledgeBase.id == base_id)
        if lock:
            query = query.with_for_update(key_share=True).execution_options(populate_existing=True)
        return await self.session.scalar(query)

    async def get(self, base_id: UUID, *, lock: bool = False) -> KnowledgeBase:
        """The base, or `NotFound`. `lock` makes other writers of this base wait."""
        self.scope.require_resource(RESOURCE, base_id)
        found = await self.find(base_id, lock=lock)
        if found is None:
            raise NotFound("There is no such knowledge base.")
        return found

    async def get_many(self, base_ids: Sequence[UUID]) -> list[KnowledgeBase]:
        """All of these bases in their order; `NotFound` if one is missing."""
        rows = await self.session.scalars(self._visible().where(KnowledgeBase.id.in_(base_ids)))
        found = {row.id: row for row in rows}
        missing = [base_id for base_id in base_ids if base_id not in found]
        if missing:
            raise NotFound("There is no such knowledge base.", knowledge_base_id=str(missing[0]))
        return [found[base_id] for base_id in base_ids]

    async def by_name(self, name: str) -> KnowledgeBase | None:
        return await self.session.scalar(self._visible().where(KnowledgeBase.name == name))

    async def sample(self) -> KnowledgeBase | None:
        """The sample library, if the workspace has one."""
        return await self.session.scalar(
            self._visible()
            .where(KnowledgeBase.meta["sample"].as_boolean())
            .order_by(KnowledgeBase.id)
            .limit(1)
        )

    async def page(self, *, limit: int, after: str | None, q: str | None) -> tuple[list[KnowledgeBase], int]:
        """Bases by name, and how many there are in all."""
        query = self._visible()
        if q:
            query = query.where(KnowledgeBase.name.ilike(containing(q)))
        total = await self.session.scalar(select(func.count()).select_from(query.subquery()))
        if after is not None:
            query = query.where(KnowledgeBase.name > after)
        rows = await self.session.scalars(query.order_by(KnowledgeBase.name).limit(limit))
        return list(rows), total or 0

    async def counts(self, base_ids: Sequence[UUID]) -> Mapping[UUID, Counts]:
        """Counts of each base; every id asked for is in the answer."""
        rows = await self.session.execute(
            select(
                Document.knowledge_base_id,
                Document.state,
                func.count(),
                func.coalesce(func.sum(Document.paragraph_count), 0),
                func.coalesce(func.sum(Document.character_count), 0),
                func.count().filter(needs_attention()),
            )
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.knowledge_base_id.in_(base_ids),
                Document.deleted_at.is_(None),
                Document.is_draft.is_(False),
                may_see(self.scope),
            )
            .group_by(Document.knowledge_base_id, Document.state)
        )
        found = {base_id: Counts() for base_id in base_ids}
        for base_id, state, documents, paragraphs, characters, attention in rows:
            counts = found[base_id]
            counts.documents += documents
            counts.paragraphs += int(paragraphs)
            counts.characters += int(characters)
            counts.attention += attention
            counts.states[state] = documents
        return found


class DocumentRepository:
    """Documents of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    def _visible(self) -> Select[Document]:
        query = (
            select(Document)
            .join(KnowledgeBase, KnowledgeBase.id == Document.knowledge_base_id)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.deleted_at.is_(None),
                KnowledgeBase.deleted_at.is_(None),
                may_see(self.scope),
            )
        )
        if self.scope.resource is not None and self.scope.resource[0] == RESOURCE:
            query = query.where(Document.knowledge_base_id == self.scope.resource[1])
        return query

    async def find(self, document_id: UUID, *, lock: bool = False) -> Document | None:
        """The document or None. `lock` makes every other writer of it wait: edits, batches, removal."""
        query = self._visible().where(Document.id == document_id)
        if lock:
            query = query.with_for_update(of=Document).execution_options(populate_existing=True)
        return await self.session.scalar(query)

    async def get(self, document_id: UUID, *, lock: bool = False) -> Document:
        """The document, or `NotFound`."""
        found = await self.find(document_id, lock=lock)
        if found is None:
            raise NotFound("There is no such document.")
        self.scope.require_resource(RESOURCE, found.knowledge_base_id)
        return found

    def _in_base(self, base_id: UUID, *, drafts: bool = False) -> Select[Document]:
        """Documents of a base, or its previews, which are nowhere else."""
        return self._visible().where(Document.knowledge_base_id == base_id, Document.is_draft.is_(drafts))

    async def page(
        self,
        base_id: UUID,
        *,
        limit: int,
        before: UUID | None,
        wanted: DocumentFilter | None = None,
        drafts: bool = False,
    ) -> tuple[list[Document], int]:
        """Documents of a base, newest first (ids are in order of time), and how many match in all."""
        query = self._in_base(base_id, drafts=drafts)
        if wanted is not None:
            query = query.where(*wanted.conditions())
        total = await self.session.scalar(select(func.count()).select_from(query.subquery()))
        if before is not None:
            query = query.where(Document.id < before)
        rows = await self.session.scalars(query.order_by(Document.id.desc()).limit(limit))
        return list(rows), total or 0

    async def reread(self, document_ids: Sequence[UUID]) -> list[Document]:
        """Those of these documents that exist, in this order, as the database has them now."""
        rows = await self.session.scalars(
            self._visible().where(Document.id.in_(document_ids)).execution_options(populate_existing=True)
        )
        found = {row.id: row for row in rows}
        return [found[key] for key in document_ids if key in found]

    async def named(self, base_ids: Sequence[UUID], names: Sequence[str]) -> list[Document]:
        """Documents of these bases with one of these names, in any case and with or without the ending."""
        lowered = func.lower(Document.name)
        wanted = [name.lower() for name in names]
        rows = await self.session.scalars(
            self._visible().where(
                Document.knowledge_base_id.in_(base_ids),
                Document.is_draft.is_(False),
                or_(lowered.in_(wanted), func.regexp_replace(lowered, r"\.[^.]{1,8}$", "").in_(wanted)),
            )
        )
        return list(rows)

    async def hidden(self, document_ids: Collection[UUID]) -> set[UUID]:
        """Those of these documents, removed ones among them, that the caller may not see."""
        if sees_all(self.scope) or not document_ids:
            return set()
        present = select(Document.id).where(
            Document.workspace_id == self.scope.workspace_id,
            Document.id.in_(document_ids),
            ~may_see(self.scope),
        )
        return set(await self.session.scalars(present.union_all(hidden_of_removed(self.scope, document_ids))))

    async def count(self, base_id: UUID, *, drafts: bool = False) -> int:
        counted = await self.session.scalar(
            select(func.count()).select_from(self._in_base(base_id, drafts=drafts).subquery())
        )
        return counted or 0

    async def split_choices(
        self, document_ids: Collection[UUID]
    ) -> Mapping[UUID, tuple[str | None, Mapping[str, Any]]]:
        """Kind and split settings of those of these documents that are there, whoever may see them."""
        rows = await self.session.execute(
            select(Document.id, Document.kind, Document.split_settings).where(
                Document.workspace_id == self.scope.workspace_id, Document.id.in_(document_ids)
            )
        )
        return {row[0]: (row[1], row[2]) for row in rows}

    async def with_content(self, base_id: UUID, sha256: bytes) -> Document | None:
        """The oldest document of the base that was made from this content."""
        return await self.session.scalar(
            self._in_base(base_id)
            .join(Blob, Blob.id == Document.blob_id)
            .where(Blob.sha256 == sha256)
            .order_by(Document.id)
            .limit(1)
        )

    async def changed_since(self, base_id: UUID, since: datetime) -> list[Document]:
        """Documents of a base whose row changed after `since`, the earliest change first."""
        rows = await self.session.scalars(
            self._in_base(base_id)
            .where(Document.updated_at > since)
            .order_by(Document.updated_at)
            .execution_options(populate_existing=True)
        )
        return list(rows)

    async def blob(self, document: Document | DocumentVersion) -> Blob | None:
        if document.blob_id is None:
            return None
        return await self.session.scalar(
            select(Blob).where(Blob.id == document.blob_id, Blob.workspace_id == self.scope.workspace_id)
        )

    async def parsed_blob(self, document: Document) -> Blob | None:
        """What parsing brought, where it was kept."""
        if document.parsed_blob_id is None:
            return None
        return await self.session.scalar(
            select(Blob).where(
                Blob.id == document.parsed_blob_id, Blob.workspace_id == self.scope.workspace_id
            )
        )

    async def file_sizes(self, documents: Iterable[Document | DocumentVersion]) -> Mapping[UUID, int]:
        """Bytes of the originals, by blob id."""
        ids = {document.blob_id for document in documents if document.blob_id is not None}
        if not ids:
            return {}
        rows = await self.session.execute(
            select(Blob.id, Blob.size).where(Blob.id.in_(ids), Blob.workspace_id == self.scope.workspace_id)
        )
        return dict(rows.all())


class RemovalRepository:
    """Rows that carry a deletion mark, for the jobs that remove them."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    async def base(self, base_id: UUID) -> KnowledgeBase | None:
        return await self.session.scalar(
            select(KnowledgeBase)
            .where(
                KnowledgeBase.workspace_id == self.scope.workspace_id,
                KnowledgeBase.id == base_id,
                KnowledgeBase.deleted_at.is_not(None),
            )
            .with_for_update()
        )

    async def document(self, document_id: UUID) -> Document | None:
        return await self.session.scalar(
            select(Document)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.id == document_id,
                Document.deleted_at.is_not(None),
            )
            .with_for_update()
        )

    async def note_lists_of_items(self, document: Document) -> None:
        """Have the items of sources that lose their document go on being hidden as it was."""
        await self.session.execute(
            update(SourceItem)
            .where(SourceItem.workspace_id == self.scope.workspace_id, SourceItem.document_id == document.id)
            .values(acl_id=document.acl_id)
            .execution_options(synchronize_session=False)
        )

    async def document_ids(self, base_id: UUID, limit: int) -> list[UUID]:
        rows = await self.session.scalars(
            select(Document.id)
            .where(Document.workspace_id == self.scope.workspace_id, Document.knowledge_base_id == base_id)
            .limit(limit)
        )
        return list(rows)

    async def mark_documents(self, base_id: UUID, at: datetime) -> None:
        """Mark all documents of a base, and take the right to write from the jobs that work on them."""
        await self.session.execute(
            update(Document)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.knowledge_base_id == base_id,
                Document.deleted_at.is_(None),
            )
            .values(deleted_at=at, attempt=None)
        )


async def forgotten_documents(session: AsyncSession, before: datetime) -> list[tuple[UUID, UUID]]:
    """Workspace and id of documents, of all workspaces, that have stood still on their way since `before`."""
    rows = await session.execute(
        select(Document.workspace_id, Document.id)
        .where(
            Document.state.in_(ON_THE_WAY),
            Document.deleted_at.is_(None),
            Document.updated_at < before,
        )
        .limit(1_000)
    )
    return list(rows)


async def unremoved_bases(session: AsyncSession, before: datetime) -> list[tuple[UUID, UUID]]:
    """Workspace and id of bases, of all workspaces, that were deleted before then and are still there."""
    rows = await session.execute(
        select(KnowledgeBase.workspace_id, KnowledgeBase.id)
        .where(KnowledgeBase.deleted_at < before)
        .limit(1_000)
    )
    return list(rows)


async def unremoved_documents(session: AsyncSession, before: datetime) -> list[tuple[UUID, UUID]]:
    """The same of documents; those of a deleted base are removed with it and left out."""
    rows = await session.execute(
        select(Document.workspace_id, Document.id)
        .join(KnowledgeBase, KnowledgeBase.id == Document.knowledge_base_id)
        .where(Document.deleted_at < before, KnowledgeBase.deleted_at.is_(None))
        .limit(1_000)
    )
    return list(rows)


async def require_base(session: AsyncSession, scope: Scope, base_id: UUID) -> None:
    """Raise `NotFound` unless the base is in the scope's workspace."""
    await KnowledgeBaseRepository(session, scope).get(base_id)
