"""Sources of an archive: web sites and folders with all that is remembered of their pages and files.

Last of an import: a source that is read while its documents are still on their way would make them again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import groupby, islice
from typing import Any
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge.exchange.archive import Archive
from refdesk.knowledge.exchange.placing import document_id, source_id
from refdesk.knowledge.exchange.records import (
    DOCUMENTS,
    SOURCE_ITEMS,
    SOURCES,
    DocumentRecord,
    SourceItemLine,
    SourceRecord,
)
from refdesk.knowledge.exchange.split_guard import SplitGuard
from refdesk.knowledge.filenames import clean_title
from refdesk.knowledge.sources.contents import SPLIT
from refdesk.knowledge.sources.schedule import next_run
from refdesk.knowledge.sources.schemas import WebsiteConfig
from refdesk.knowledge.sources.service import website_config
from refdesk.knowledge.tables import Document, Source, SourceItem

_AT_ONCE = 500


class SourceRows:
    """Adds the sources of one base. `owned` raises where the import may not write any more."""

    def __init__(
        self,
        database: Database,
        scope: Scope,
        base_id: UUID,
        created_by: UUID | None,
        owned: Callable[[AsyncSession], Awaitable[object]],
        guard: SplitGuard,
    ) -> None:
        self._database = database
        self._scope = scope
        self._base_id = base_id
        self._created_by = created_by
        self._owned = owned
        self._guard = guard

    async def save(self, archive: Archive) -> None:
        """Add all sources that are not there yet, each whole in one transaction."""
        records = list(archive.lines(SOURCES, SourceRecord))
        if not records:
            return
        documents: list[list[UUID]] = [[] for _ in records]
        for number, document in enumerate(archive.lines(DOCUMENTS, DocumentRecord)):
            if document.source is not None:
                documents[document.source].append(document_id(self._base_id, number))
        items = groupby(archive.lines(SOURCE_ITEMS, SourceItemLine), key=lambda item: item.s)
        head = next(items, None)
        for number, record in enumerate(records):
            its: Iterator[SourceItemLine] = iter(())
            if head is not None and head[0] == number:
                its = head[1]
            await self._save(number, record, documents[number], its)
            if head is not None and head[0] == number:
                head = next(items, None)

    async def _save(
        self, number: int, record: SourceRecord, documents: list[UUID], items: Iterator[SourceItemLine]
    ) -> None:
        key = source_id(self._base_id, number)
        split = record.split_settings
        if split is not None and await self._guard.refusal(split) is not None:
            record = record.model_copy(update={"split_settings": None})  # then the base's apply
        async with self._database.transaction() as session:
            await self._owned(session)
            if await session.scalar(select(Source.id).where(Source.id == key)) is not None:
                return
            session.add(self._source(key, record))
            await session.flush()
            while batch := await asyncio.to_thread(_some, items):
                await session.execute(
                    insert(SourceItem).on_conflict_do_nothing(), [self._item(key, item) for item in batch]
                )
            for start in range(0, len(documents), _AT_ONCE):
                await session.execute(
                    update(Document)
                    .where(
                        Document.workspace_id == self._scope.workspace_id,
                        Document.id.in_(documents[start : start + _AT_ONCE]),
                    )
                    .values(source_id=key, updated_at=Document.updated_at)
                )

    def _source(self, key: UUID, record: SourceRecord) -> Source:
        config = record.config
        kept = website_config(config) if isinstance(config, WebsiteConfig) else config.model_dump()
        if record.split_settings is not None:
            kept[SPLIT] = record.split_settings.model_dump(exclude_defaults=True)
        return Source(
            id=key,
            workspace_id=self._scope.workspace_id,
            knowledge_base_id=self._base_id,
            kind=record.kind,
            name=clean_title(record.name)[:200],
            config=kept,
            interval_hours=record.interval_hours,
            state=record.state,
            counts=record.counts.model_dump(exclude_defaults=True),
            error=None if record.error is None else record.error.model_dump(mode="json"),
            last_run_at=record.last_run_at,
            next_run_at=next_run(record.interval_hours),
            created_by=self._created_by,
            created_at=record.created_at,
        )

    def _item(self, key: UUID, item: SourceItemLine) -> dict[str, Any]:
        return {
            "id": new_id(),
            "workspace_id": self._scope.workspace_id,
            "source_id": key,
            "key": item.key,
            "document_id": None if item.d is None else document_id(self._base_id, item.d),
            "state": item.state,
            "http_status": item.http_status,
            "etag": item.etag,
            "last_modified": item.last_modified,
            "content_hash": None if item.content_hash is None else bytes.fromhex(item.content_hash),
            "links": item.links,
            "error": None if item.error is None else item.error.model_dump(mode="json"),
            "seen_at": item.seen_at,
        }


def _some(items: Iterator[SourceItemLine]) -> list[SourceItemLine]:
    return list(islice(items, _AT_ONCE))
