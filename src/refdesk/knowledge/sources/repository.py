"""All SQL of sources and their items. Bound to the scope's workspace.

A source with a deletion mark, or of a base with one, does not exist here, except where a job removes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.errors import NotFound
from refdesk.kit.ids import new_id
from refdesk.kit.like import containing
from refdesk.knowledge.access import EVERYONE, may_see, may_see_item
from refdesk.knowledge.repository import RESOURCE
from refdesk.knowledge.tables import Document, KnowledgeBase, Source, SourceItem

_BATCH = 1_000


class SourceRepository:
    """Sources of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    def _visible(self) -> Select[Source]:
        query = (
            select(Source)
            .join(KnowledgeBase, KnowledgeBase.id == Source.knowledge_base_id)
            .where(
                Source.workspace_id == self.scope.workspace_id,
                Source.deleted_at.is_(None),
                KnowledgeBase.deleted_at.is_(None),
            )
        )
        if self.scope.resource is not None and self.scope.resource[0] == RESOURCE:
            query = query.where(Source.knowledge_base_id == self.scope.resource[1])
        return query

    async def find(self, source_id: UUID, *, lock: bool = False) -> Source | None:
        query = self._visible().where(Source.id == source_id).execution_options(populate_existing=True)
        if lock:
            query = query.with_for_update(of=Source, key_share=True)
        return await self.session.scalar(query)

    async def get(self, source_id: UUID, *, lock: bool = False) -> Source:
        """The source, or `NotFound`."""
        found = await self.find(source_id, lock=lock)
        if found is None:
            raise NotFound("There is no such source.")
        return found

    async def reading(self, base_id: UUID, url: str, reach: str, other_than: UUID | None) -> Source | None:
        """Another web site of the base with this start address and scope."""
        query = self._visible().where(
            Source.knowledge_base_id == base_id,
            Source.kind == "website",
            Source.config["url"].astext == url,
            Source.config["scope"].astext == reach,
        )
        if other_than is not None:
            query = query.where(Source.id != other_than)
        return await self.session.scalar(query.order_by(Source.id).limit(1))

    async def page(self, base_id: UUID, *, limit: int, before: UUID | None) -> tuple[list[Source], int]:
        """Sources of a base, newest first, and how many there are."""
        query = self._visible().where(Source.knowledge_base_id == base_id)
        total = await self.session.scalar(select(func.count()).select_from(query.subquery()))
        if before is not None:
            query = query.where(Source.id < before)
        rows = await self.session.scalars(query.order_by(Source.id.desc()).limit(limit))
        return list(rows), total or 0

    async def document_counts(self, source_ids: Iterable[UUID]) -> Mapping[UUID, int]:
        rows = await self.session.execute(
            select(Document.source_id, func.count())
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.source_id.in_(list(source_ids)),
                Document.deleted_at.is_(None),
                may_see(self.scope),
            )
            .group_by(Document.source_id)
        )
        return {source_id: count for source_id, count in rows if source_id is not None}

    async def present_documents(self, source_id: UUID) -> set[UUID]:
        """Ids of the documents that are there."""
        return set(await self.document_ids(source_id, None))

    async def document_ids(self, source_id: UUID, limit: int | None) -> list[UUID]:
        """Ids of up to `limit` documents that are there."""
        rows = await self.session.scalars(
            select(Document.id)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.source_id == source_id,
                Document.deleted_at.is_(None),
            )
            .limit(limit)
        )
        return list(rows)

    async def marked(self, source_id: UUID) -> Source | None:
        """A source that carries the deletion mark."""
        return await self.session.scalar(
            select(Source).where(
                Source.workspace_id == self.scope.workspace_id,
                Source.id == source_id,
                Source.deleted_at.is_not(None),
            )
        )

    async def name_taken(self, source_id: UUID, name: str, other_than: UUID | None) -> bool:
        """Whether another document of the source is called so."""
        query = select(Document.id).where(
            Document.workspace_id == self.scope.workspace_id,
            Document.source_id == source_id,
            Document.deleted_at.is_(None),
            Document.name == name,
        )
        if other_than is not None:
            query = query.where(Document.id != other_than)
        return await self.session.scalar(query.limit(1)) is not None


class ItemRepository:
    """Pages and files of one source."""

    def __init__(self, session: AsyncSession, scope: Scope, source_id: UUID) -> None:
        self.session = session
        self.scope = scope
        self.source_id = source_id

    def _all(self) -> Select[SourceItem]:
        return select(SourceItem).where(
            SourceItem.workspace_id == self.scope.workspace_id, SourceItem.source_id == self.source_id
        )

    async def find(self, key: str) -> SourceItem | None:
        return await self.session.scalar(
            self._all().where(SourceItem.key == key).execution_options(populate_existing=True)
        )

    async def by_keys(self, keys: Sequence[str]) -> dict[str, SourceItem]:
        found: dict[str, SourceItem] = {}
        for start in range(0, len(keys), _BATCH):
            rows = await self.session.scalars(
                self._all().where(SourceItem.key.in_(keys[start : start + _BATCH]))
            )
            found.update((row.key, row) for row in rows)
        return found

    async def page(
        self, *, limit: int, after: UUID | None, states: Sequence[str] | None, q: str | None
    ) -> tuple[list[SourceItem], int]:
        """Items in the order they were met first, and how many match in all."""
        query = self._all().where(may_see_item(self.scope))
        if states:
            query = query.where(SourceItem.state.in_(states))
        if q:
            query = query.where(SourceItem.key.ilike(containing(q)))
        total = await self.session.scalar(select(func.count()).select_from(query.subquery()))
        if after is not None:
            query = query.where(SourceItem.id > after)
        rows = await self.session.scalars(query.order_by(SourceItem.id).limit(limit))
        return list(rows), total or 0

    async def all_known(self) -> list[SourceItem]:
        """Every item; a source has at most some ten thousand."""
        return list(await self.session.scalars(self._all().order_by(SourceItem.id)))

    async def with_content(self, digest: bytes, since: datetime, other_than: str) -> SourceItem | None:
        """An item of the present run, under another key, that has this content and a document."""
        return await self.session.scalar(
            self._all()
            .where(
                SourceItem.content_hash == digest,
                SourceItem.seen_at >= since,
                SourceItem.document_id.is_not(None),
                SourceItem.key != other_than,
            )
            .limit(1)
        )

    async def unseen(self, since: datetime, limit: int | None = None) -> list[SourceItem]:
        """Items with a document that the run since then has not come by."""
        query = (
            self._all()
            .where(
                SourceItem.document_id.is_not(None),
                SourceItem.state != "removed",
                (SourceItem.seen_at < since) | SourceItem.seen_at.is_(None),
            )
            .order_by(SourceItem.key)
        )
        return list(await self.session.scalars(query if limit is None else query.limit(limit)))

    async def unseen_by_content(self, digests: Sequence[bytes], since: datetime) -> dict[bytes, SourceItem]:
        """The same by content, for telling a renamed file from one that is gone and one that is new."""
        rows = await self.session.scalars(
            self._all().where(
                SourceItem.content_hash.in_(digests),
                SourceItem.document_id.is_not(None),
                (SourceItem.seen_at < since) | SourceItem.seen_at.is_(None),
            )
        )
        return {row.content_hash: row for row in rows if row.content_hash is not None}

    async def counts(self, since: datetime) -> dict[str, int]:
        """Items of the run since then, by state."""
        rows = await self.session.execute(
            select(SourceItem.state, func.count())
            .where(
                SourceItem.workspace_id == self.scope.workspace_id,
                SourceItem.source_id == self.source_id,
                SourceItem.seen_at >= since,
                may_see_item(self.scope),
            )
            .group_by(SourceItem.state)
        )
        return dict(rows.all())

    async def save(self, key: str, **values: Any) -> None:
        """Add the item or change what `values` names."""
        row: dict[str, Any] = {
            "id": new_id(),
            "workspace_id": self.scope.workspace_id,
            "source_id": self.source_id,
            "key": key,
            "links": [],
            "acl_id": EVERYONE,
            **values,
        }
        statement = insert(SourceItem).values(row)
        await self.session.execute(
            statement.on_conflict_do_update(
                constraint="uq_source_items_source_id_key", set_={name: values[name] for name in values}
            )
        )

    async def saw(self, keys: Sequence[str], at: datetime, *, state: str | None = None) -> None:
        """Note that the run came by these items; `state` None leaves it."""
        values: dict[str, Any] = {"seen_at": at} | ({} if state is None else {"state": state, "error": None})
        for start in range(0, len(keys), _BATCH):
            await self.session.execute(
                update(SourceItem)
                .where(
                    SourceItem.workspace_id == self.scope.workspace_id,
                    SourceItem.source_id == self.source_id,
                    SourceItem.key.in_(keys[start : start + _BATCH]),
                )
                .values(**values)
            )

    async def remove(self, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), _BATCH):
            await self.session.execute(
                delete(SourceItem).where(
                    SourceItem.workspace_id == self.scope.workspace_id,
                    SourceItem.source_id == self.source_id,
                    SourceItem.key.in_(keys[start : start + _BATCH]),
                )
            )

    async def forget_validators(self) -> None:
        """Have everything fetched and compared anew, as after a change of the selector."""
        await self.session.execute(
            update(SourceItem)
            .where(SourceItem.workspace_id == self.scope.workspace_id, SourceItem.source_id == self.source_id)
            .values(etag=None, last_modified=None)
        )

    async def forget_never_imported(self, before: datetime) -> None:
        """Remove items without a document that the run since then has not come by."""
        await self.session.execute(
            delete(SourceItem).where(
                SourceItem.workspace_id == self.scope.workspace_id,
                SourceItem.source_id == self.source_id,
                SourceItem.document_id.is_(None),
                SourceItem.content_hash.is_(None),
                SourceItem.state != "removed",
                (SourceItem.seen_at < before) | SourceItem.seen_at.is_(None),
            )
        )


async def due_sources(session: AsyncSession, at: datetime) -> list[tuple[UUID, UUID]]:
    """Workspace and id of sources, of all workspaces, whose time has come."""
    rows = await session.execute(
        select(Source.workspace_id, Source.id)
        .join(KnowledgeBase, KnowledgeBase.id == Source.knowledge_base_id)
        .where(
            Source.kind == "website",
            Source.next_run_at <= at,
            Source.deleted_at.is_(None),
            KnowledgeBase.deleted_at.is_(None),
            Source.state.not_in(("queued", "running")),
        )
        .order_by(Source.next_run_at)
        .limit(1_000)
    )
    return [(workspace_id, source_id) for workspace_id, source_id in rows]


async def forgotten_sources(session: AsyncSession, before: datetime) -> list[tuple[UUID, UUID, bool]]:
    """Workspace, id and deletion mark of sources that have stood still on their way since `before`."""
    rows = await session.execute(
        select(Source.workspace_id, Source.id, Source.deleted_at.is_not(None))
        .where(
            Source.updated_at < before,
            Source.deleted_at.is_not(None)
            | ((Source.kind == "website") & Source.state.in_(("queued", "running"))),
        )
        .limit(1_000)
    )
    return [(workspace_id, source_id, is_deleted) for workspace_id, source_id, is_deleted in rows]
