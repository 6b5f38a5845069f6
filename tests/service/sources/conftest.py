"""A desk whose crawl may read sites on this machine, and such a site."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from refdesk.kit.database import Database
from refdesk.kit.http import Resolver, system_resolver
from refdesk.kit.settings import Settings
from refdesk.knowledge.jobs import process_document
from refdesk.knowledge.schemas import KnowledgeBaseView
from refdesk.knowledge.sources import Sources, loading
from refdesk.knowledge.sources.schemas import NewWebsite, SourceView, SyncRequest, WebsiteConfig
from refdesk.knowledge.sources.website import WebsiteRun
from refdesk.testing.desk import Desk, make_desk
from refdesk.testing.web_site import WebSite, web_site


@dataclass
class Reader:
    """A desk with a base, and what the tests do with its sources."""

    desk: Desk
    base: KnowledgeBaseView

    async def add(self, url: str, **config: Any) -> UUID:
        body = NewWebsite(kind="website", config=WebsiteConfig(url=url, **config))
        async with self.desk.database.transaction() as session:
            return (await Sources(session, self.desk.scope).create(self.base.id, body)).id

    async def read(self, source_id: UUID, resolver: Resolver = system_resolver, **how: bool) -> SourceView:
        """Run the queued job, and that of every document it made."""
        scope = self.desk.scope
        await WebsiteRun(self.desk.context, scope, source_id, resolver=resolver, **how).run()
        rows = await self.desk.rows(
            "SELECT id FROM documents WHERE source_id = :id AND state = 'queued' AND deleted_at IS NULL",
            id=source_id,
        )
        for (document_id,) in rows:
            await process_document(self.desk.context, str(self.desk.workspace_id), str(document_id))
        return await self.view(source_id)

    async def crawl(self, url: str, **config: Any) -> SourceView:
        return await self.read(await self.add(url, **config))

    async def forget(self, source_id: UUID) -> None:
        """Delete the source, so that its address can be read by another one."""
        async with self.desk.database.transaction() as session:
            await Sources(session, self.desk.scope).delete(source_id, keep_documents=False)

    async def again(self, source_id: UUID, **how: bool) -> SourceView:
        async with self.desk.database.transaction() as session:
            await Sources(session, self.desk.scope).sync(source_id, SyncRequest(**how))
        return await self.read(source_id, system_resolver, **how)

    async def view(self, source_id: UUID) -> SourceView:
        async with self.desk.database.transaction() as session:
            return await Sources(session, self.desk.scope).view(source_id)

    async def names(self, source_id: UUID) -> list[str]:
        """Names of the documents the source has."""
        rows = await self.desk.rows(
            "SELECT name FROM documents WHERE source_id = :id AND deleted_at IS NULL ORDER BY name",
            id=source_id,
        )
        return [row[0] for row in rows]

    async def items(self, source_id: UUID) -> dict[str, Any]:
        """Items by the path of their address, as (state, code of the error)."""
        rows = await self.desk.rows(
            "SELECT key, state, error->>'code' FROM source_items WHERE source_id = :id", id=source_id
        )
        return {key.split("/", 3)[-1] if "://" in key else key: (state, code) for key, state, code in rows}

    async def text(self, source_id: UUID) -> str:
        rows = await self.desk.rows(
            "SELECT p.content FROM paragraphs p JOIN documents d ON d.id = p.document_id"
            " WHERE d.source_id = :id AND d.deleted_at IS NULL ORDER BY d.name, p.position",
            id=source_id,
        )
        return "\n".join(row[0] for row in rows)


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "RETRY_DELAYS_S", (0.0, 0.0))


@pytest.fixture
async def desk(database: Database) -> Desk:
    settings = Settings(index_batch_size=16, crawl_private_addresses=True, crawl_page_timeout_s=2.0)
    return await make_desk(database, settings)


@pytest.fixture
async def reader(desk: Desk) -> Reader:
    return Reader(desk, await desk.base())


@pytest.fixture
async def site() -> AsyncIterator[WebSite]:
    async with web_site() as running:
        yield running
