"""What can be done with a source: add, change, sync, cancel, delete, and see what it met."""

from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.jobs import enqueue
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.kit.web import Page
from refdesk.knowledge.access import HiddenDocuments, require_whole
from refdesk.knowledge.cursors import decode_id
from refdesk.knowledge.filenames import clean_title
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.schemas import SplitOptions
from refdesk.knowledge.sources.contents import SPLIT, remove_document
from refdesk.knowledge.sources.crawl import start_address
from refdesk.knowledge.sources.errors import SourceBusy, SourceExists, SourceIdle, SourceKindMismatch
from refdesk.knowledge.sources.pages import check_selector
from refdesk.knowledge.sources.repository import ItemRepository, SourceRepository
from refdesk.knowledge.sources.schedule import SYNC_SOURCE, next_run
from refdesk.knowledge.sources.schemas import (
    ItemState,
    NewFolder,
    NewWebsite,
    SourceCounts,
    SourceItemView,
    SourceProblem,
    SourceState,
    SourceUpdate,
    SourceView,
    SyncRequest,
    WebsiteConfig,
)
from refdesk.knowledge.split_checks import require_usable
from refdesk.knowledge.tables import Source, SourceItem

REMOVE_SOURCE = "remove-source"
RUNNING = frozenset(("queued", "running"))
REMOVED_AT_ONCE = 200


async def enqueue_sync(
    session: AsyncSession, workspace_id: UUID, source_id: UUID, request: SyncRequest | None = None
) -> None:
    """Have a source read; never twice at once, waiting once at most."""
    await enqueue(
        session,
        SYNC_SOURCE,
        lock=f"source:{source_id}",
        unique=True,
        line=source_id,
        workspace_id=str(workspace_id),
        source_id=str(source_id),
        **(request or SyncRequest()).model_dump(),
    )


async def enqueue_source_removal(session: AsyncSession, workspace_id: UUID, source_id: UUID) -> None:
    """Have the documents and rows of a source with a deletion mark removed."""
    await enqueue(
        session,
        REMOVE_SOURCE,
        lock=f"source:{source_id}",
        unique=True,
        line=source_id,
        workspace_id=str(workspace_id),
        source_id=str(source_id),
    )


class Sources:
    """The sources of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = SourceRepository(session, scope)

    async def view(self, source_id: UUID) -> SourceView:
        return await self._view(await self.repository.get(source_id))

    async def page(self, base_id: UUID, *, limit: int, cursor: str | None) -> Page[SourceView]:
        """Sources of a base, newest first; the cursor is the last id seen."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id)
        before = None if cursor is None else decode_id(cursor)
        rows, total = await self.repository.page(base_id, limit=limit + 1, before=before)
        shown = rows[:limit]
        counts = await self.repository.document_counts([row.id for row in shown])
        following = str(shown[-1].id) if len(rows) > limit else None
        items = [source_view(row, counts.get(row.id, 0), await self._found(row)) for row in shown]
        return Page(items=items, next_cursor=following, total=total)

    async def create(self, base_id: UUID, body: NewWebsite | NewFolder) -> SourceView:
        """A new source. A web site is read at once; a folder waits for its manifest.

        Raises `SourceExists`, `AddressInvalid`, `SelectorInvalid`.
        """
        is_website = isinstance(body, NewWebsite)
        # Locked, so that of two requests for one site at once the second sees the first.
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id, lock=is_website)
        interval = None
        if isinstance(body, NewWebsite):
            config = website_config(body.config)
            await self._require_new(base_id, config)
            name, interval = body.name or _default_name(body.config.url), body.interval_hours
        else:
            config, name = body.config.model_dump(), body.name
        if body.split_settings is not None:
            config[SPLIT] = await _checked_split(body.split_settings)
        source = Source(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            knowledge_base_id=base_id,
            kind=body.kind,
            name=clean_title(name)[:200],
            config=config,
            interval_hours=interval,
            created_by=self.scope.user_id,
        )
        self.session.add(source)
        audit(self.session, self.scope, "source.create", ("source", source.id), name=source.name)
        await self.session.flush()
        if body.kind == "website":
            await self._queue(source, SyncRequest())
        return await self._view(source)

    async def update(self, source_id: UUID, body: SourceUpdate) -> SourceView:
        """Change what the body names. New settings of a web site hold from its next run on."""
        source = await self.repository.get(source_id, lock=True)
        if body.name is not None:
            source.name = clean_title(body.name)
        if body.config is not None:
            if isinstance(body.config, WebsiteConfig) != (source.kind == "website"):
                raise SourceKindMismatch(kind=source.kind)
            config = (
                website_config(body.config)
                if isinstance(body.config, WebsiteConfig)
                else body.config.model_dump()
            )
            if source.kind == "website":
                await self._require_new(source.knowledge_base_id, config, other_than=source_id)
            kept = {SPLIT: source.config[SPLIT]} if SPLIT in source.config else {}
            if config.get("selector") != source.config.get("selector"):
                await ItemRepository(self.session, self.scope, source_id).forget_validators()
            source.config = config | kept
        if "interval_hours" in body.model_fields_set:
            if source.kind != "website" and body.interval_hours is not None:
                raise SourceKindMismatch(kind=source.kind)
            source.interval_hours = body.interval_hours
            source.next_run_at = next_run(body.interval_hours)
        return await self._view(source)

    async def sync(self, source_id: UUID, request: SyncRequest) -> SourceView:
        """Have a web site read now."""
        source = await self.repository.get(source_id, lock=True)
        if source.kind != "website":
            raise SourceKindMismatch(
                "A folder is synced by the client that has it.",
                hint="Use `refdesk kb sync`.",
                kind=source.kind,
            )
        if source.state in RUNNING:
            raise SourceBusy
        await self._queue(source, request)
        return await self._view(source)

    async def cancel(self, source_id: UUID) -> SourceView:
        """Stop the run. It loses the right to write here and now, and ends within two seconds."""
        source = await self.repository.get(source_id, lock=True)
        if source.state not in RUNNING:
            raise SourceIdle(state=source.state)
        source.state = "cancelled"
        source.cancel_requested = True
        source.attempt = None
        source.next_run_at = next_run(source.interval_hours)
        return await self._view(source)

    async def delete(self, source_id: UUID, *, keep_documents: bool) -> None:
        """Hide the source at once; a job removes its documents, or lets them go.

        Raises `HiddenDocuments`.
        """
        source = await self.repository.get(source_id, lock=True)
        await require_whole(self.session, self.scope, source.knowledge_base_id, source_id=source_id)
        audit(self.session, self.scope, "source.delete", ("source", source_id), name=source.name)
        source.deleted_at = now()
        source.attempt = None
        source.config = {**source.config, "keep_documents": keep_documents}
        await enqueue_source_removal(self.session, self.scope.workspace_id, source_id)

    async def items(
        self, source_id: UUID, *, limit: int, cursor: str | None, states: Sequence[str] | None, q: str | None
    ) -> Page[SourceItemView]:
        """Pages or files of a source in the order they were met first; the cursor is the last id seen."""
        source = await self.repository.get(source_id)
        after = None if cursor is None else decode_id(cursor)
        repository = ItemRepository(self.session, self.scope, source.id)
        rows, total = await repository.page(limit=limit + 1, after=after, states=states, q=q)
        shown = rows[:limit]
        following = str(shown[-1].id) if len(rows) > limit else None
        return Page(items=[item_view(row) for row in shown], next_cursor=following, total=total)

    async def remove_some(self, source_id: UUID) -> bool:
        """One batch of a deleted source's removal. True when it is gone."""
        source = await self.repository.marked(source_id)
        if source is None:
            return True
        if not source.config.get("keep_documents"):
            ids = await self.repository.document_ids(source_id, REMOVED_AT_ONCE)
            for document_id in ids:
                await remove_document(self.session, self.scope, document_id)
            if ids:
                return False
        await self.session.delete(source)
        return True

    async def _require_new(
        self, base_id: UUID, config: dict[str, Any], *, other_than: UUID | None = None
    ) -> None:
        found = await self.repository.reading(base_id, config["url"], config["scope"], other_than)
        if found is not None:
            raise SourceExists(source_id=str(found.id), name=found.name, address=config["url"])

    async def _queue(self, source: Source, request: SyncRequest) -> None:
        source.state = "queued"
        source.error = None
        source.cancel_requested = False
        source.attempt = None
        source.next_run_at = None
        await enqueue_sync(self.session, self.scope.workspace_id, source.id, request)

    async def _view(self, source: Source) -> SourceView:
        await self.session.flush()
        await self.session.refresh(source)
        counts = await self.repository.document_counts([source.id])
        return source_view(source, counts.get(source.id, 0), await self._found(source))

    async def _found(self, source: Source) -> dict[str, int]:
        """What the last run met; for whom documents of the source are hidden, only what they may see."""
        try:
            await require_whole(self.session, self.scope, source.knowledge_base_id, source_id=source.id)
        except HiddenDocuments:
            since = source.last_run_at or source.created_at
            counts = await ItemRepository(self.session, self.scope, source.id).counts(since)
            return {"found": sum(counts.values()), **counts}
        return source.counts


def website_config(config: WebsiteConfig) -> dict[str, Any]:
    """Settings as they are kept. Raises `AddressInvalid` and `SelectorInvalid`."""
    if config.selector:
        check_selector(config.selector)
    kept = config.model_copy(update={"url": start_address(config.url), "selector": config.selector or None})
    return kept.model_dump()


def source_view(source: Source, documents: int, counts: dict[str, int]) -> SourceView:
    hidden = ("keep_documents",)
    return SourceView(
        id=source.id,
        knowledge_base_id=source.knowledge_base_id,
        kind=cast(Any, source.kind),
        name=source.name,
        config={key: value for key, value in source.config.items() if key not in hidden},
        interval_hours=source.interval_hours,
        state=cast(SourceState, source.state),
        counts=SourceCounts.model_validate(counts),
        documents=documents,
        error=None if source.error is None else SourceProblem.model_validate(source.error),
        last_run_at=source.last_run_at,
        next_run_at=source.next_run_at,
        created_at=source.created_at,
        updated_at=source.updated_at,
    )


def item_view(item: SourceItem) -> SourceItemView:
    return SourceItemView(
        id=item.id,
        key=item.key,
        state=cast(ItemState, item.state),
        document_id=item.document_id,
        http_status=item.http_status,
        content_hash=None if item.content_hash is None else item.content_hash.hex(),
        error=None if item.error is None else SourceProblem.model_validate(item.error),
        seen_at=item.seen_at,
    )


async def _checked_split(options: SplitOptions) -> dict[str, Any]:
    await require_usable(options)
    return options.model_dump(exclude_defaults=True)


def _default_name(url: str) -> str:
    parts = urlsplit(start_address(url))
    return (parts.netloc + parts.path.rstrip("/"))[:200]
