"""Desks with a base of a few documents, and what tests of terms do with them."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from refdesk.kit.database import Database
from refdesk.knowledge.terms import Terms
from refdesk.knowledge.terms.jobs import reindex_terms
from refdesk.knowledge.terms.schemas import TermDraft, TermPage
from refdesk.retrieval import Retriever, SearchRequest, SearchResult
from refdesk.testing.desk import Desk, make_desk
from refdesk.testing.recount import kept, recount


@dataclass
class TermDesk:
    """A desk with one base."""

    desk: Desk
    base_id: UUID

    async def add(self, *texts: str, title: str = "Notes") -> UUID:
        """A document with one paragraph a text, indexed."""
        data = "\n".join(f"## {title} {n}\n\n{text}\n" for n, text in enumerate(texts)).encode()
        document_id = await self.desk.file(self.base_id, data)
        assert (await self.desk.process(document_id)).state == "ready"
        return document_id

    async def term(self, word: str, *synonyms: str) -> UUID:
        async with self.desk.database.transaction() as session:
            draft = TermDraft(word=word, synonyms=list(synonyms))
            return (await Terms(session, self.desk.scope).create(self.base_id, draft)).id

    async def delete(self, term_id: UUID) -> None:
        async with self.desk.database.transaction() as session:
            await Terms(session, self.desk.scope).delete(term_id)

    async def follow(self) -> None:
        """Run the background job."""
        await reindex_terms(self.desk.context, str(self.desk.workspace_id), str(self.base_id))

    async def page(self) -> TermPage:
        async with self.desk.database.transaction() as session:
            return await Terms(session, self.desk.scope).page(self.base_id, limit=100, cursor=None, q=None)

    async def search(self, query: str, mode: str = "keywords", **options: object) -> SearchResult:
        request = SearchRequest(query, [self.base_id], mode=mode, **options)  # type: ignore[arg-type]
        retriever = Retriever(self.desk.database, self.desk.gateway, self.desk.settings)
        return await retriever.search(self.desk.scope, request)

    async def check_statistics(self) -> None:
        """What is kept of words is what counting the entries gives."""
        rows = await self.desk.rows("SELECT id FROM indexes WHERE knowledge_base_id = :b", b=self.base_id)
        async with self.desk.database.transaction() as session:
            for (index_id,) in rows:
                assert await kept(session, index_id) == await recount(session, index_id)

    async def texts(self, query: str, mode: str = "keywords") -> list[str]:
        return [hit.content for hit in (await self.search(query, mode)).hits]


@pytest.fixture
async def shelf(database: Database) -> TermDesk:
    """A base of its own for each test."""
    desk = await make_desk(database)
    return TermDesk(desk, (await desk.base()).id)
