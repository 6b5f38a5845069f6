"""A workspace with knowledge bases whose paragraphs are really indexed: the setting of retrieval's tests.

Writes rows the short way (no files, no jobs) and entries the ordinary way, through `IndexWriter`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import insert

from refdesk.accounts import Scope
from refdesk.accounts.tables import Workspace
from refdesk.gateway import Reranker
from refdesk.gateway.tables import Model
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.indexing import (
    IndexWriter,
    KnowledgeIndex,
    ParagraphText,
    create_index,
    prepare_entries,
)
from refdesk.knowledge.tables import Document, KnowledgeBase, Paragraph
from refdesk.retrieval import Retriever, SearchRequest, SearchResult
from refdesk.testing.embedder import FixedEmbedders, HashingEmbedder


@dataclass(frozen=True, slots=True)
class ShelvedBase:
    """A base, its active index and the embedder it was made with."""

    id: UUID
    index: KnowledgeIndex
    embedder: HashingEmbedder


@dataclass(frozen=True, slots=True)
class ShelvedDocument:
    """A document and its paragraphs, in order."""

    id: UUID
    paragraphs: tuple[ParagraphText, ...]


class Library:
    """A new workspace in `database`; everything is committed."""

    def __init__(self, database: Database, settings: Settings | None = None) -> None:
        self.database = database
        self.settings = settings or Settings()
        self.workspace_id = new_id()
        self.scope = Scope.system(self.workspace_id)
        self._embedders: list[HashingEmbedder] = []
        self.rerankers: list[Reranker] = []

    @property
    def retriever(self) -> Retriever:
        return Retriever(
            self.database, FixedEmbedders(*self._embedders, rerankers=self.rerankers), self.settings
        )

    async def open(self) -> "Library":
        async with self.database.transaction() as session:
            session.add(Workspace(id=self.workspace_id, name=f"Library {self.workspace_id}"))
        return self

    async def embedder(self, dimensions: int = 64) -> HashingEmbedder:
        """Another embedding model of the workspace."""
        model_id = new_id()
        async with self.database.transaction() as session:
            session.add(
                Model(
                    id=model_id,
                    workspace_id=self.workspace_id,
                    kind="EMBEDDING",
                    provider="embedded",
                    name=f"hashing {model_id}",
                    model_name="hashing",
                    parameters={},
                    dimensions=dimensions,
                )
            )
        self._embedders.append(HashingEmbedder(model_id, dimensions))
        return self._embedders[-1]

    async def base(self, embedder: HashingEmbedder | None = None) -> ShelvedBase:
        """An empty base with an active index."""
        embedder = embedder or (self._embedders[0] if self._embedders else await self.embedder())
        base_id = new_id()
        async with self.database.transaction() as session:
            base = KnowledgeBase(
                id=base_id,
                workspace_id=self.workspace_id,
                name=f"Base {base_id}",
                embedding_model_id=embedder.model_id,
                settings={},
                meta={},
            )
            session.add(base)
            await session.flush()
            index = await create_index(session, self.scope, base_id, embedder.model_id, embedder.dimensions)
            base.active_index_id = index.id
        return ShelvedBase(base_id, index, embedder)

    async def add(
        self,
        base: ShelvedBase,
        texts: Sequence[str],
        *,
        titles: Sequence[str] = (),
        acl_id: int = 0,
        is_indexed: bool = True,
        meta: dict[str, str] | None = None,
    ) -> ShelvedDocument:
        """A document with one paragraph a text, indexed unless told otherwise."""
        document_id = new_id()
        paragraphs = [ParagraphText(new_id(), document_id, titles, text, 1, True, acl_id) for text in texts]
        async with self.database.transaction() as session:
            session.add(
                Document(
                    id=document_id,
                    workspace_id=self.workspace_id,
                    knowledge_base_id=base.id,
                    name=f"document {document_id}",
                    state="ready",
                    acl_id=acl_id,
                    paragraph_count=len(texts),
                    warnings=[],
                    meta=meta or {},
                    split_settings={},
                )
            )
            await session.flush()
            await session.execute(
                insert(Paragraph),
                [
                    {
                        "id": paragraph.id,
                        "workspace_id": self.workspace_id,
                        "knowledge_base_id": base.id,
                        "document_id": document_id,
                        "position": position,
                        "title_chain": list(titles),
                        "content": paragraph.content,
                        "boxes": [],
                    }
                    for position, paragraph in enumerate(paragraphs)
                ],
            )
        if is_indexed:
            await self.index(base, paragraphs)
        return ShelvedDocument(document_id, tuple(paragraphs))

    async def add_many(self, base: ShelvedBase, documents: Sequence[tuple[Sequence[str], int]]) -> None:
        """Many documents at once, each its texts and its access list: for benchmarks, 50 times as quick."""
        ids = [new_id() for _ in documents]
        fixed: dict[str, Any] = {"workspace_id": self.workspace_id, "knowledge_base_id": base.id}
        rows: list[dict[str, Any]] = [
            fixed
            | {
                "id": key,
                "name": f"document {key}",
                "state": "ready",
                "acl_id": acl_id,
                "paragraph_count": len(texts),
                "warnings": [],
                "meta": {},
                "found_meta": {},
                "split_settings": {},
            }
            for key, (texts, acl_id) in zip(ids, documents, strict=True)
        ]
        paragraphs = [
            ParagraphText(new_id(), key, (), text, 1, True, acl_id)
            for key, (texts, acl_id) in zip(ids, documents, strict=True)
            for text in texts
        ]
        async with self.database.transaction() as session:
            await session.execute(insert(Document), rows)
            await session.execute(
                insert(Paragraph),
                [
                    fixed
                    | {
                        "id": one.id,
                        "document_id": one.document_id,
                        "position": position,
                        "title_chain": [],
                        "content": one.content,
                        "boxes": [],
                    }
                    for position, one in enumerate(paragraphs)
                ],
            )
        await self.index(base, paragraphs)

    async def index(self, base: ShelvedBase, paragraphs: Sequence[ParagraphText]) -> None:
        """Write the paragraphs' entries, replacing what was there."""
        prepared = prepare_entries(paragraphs)
        vectors = await base.embedder.embed_passages(prepared.texts)
        async with self.database.transaction() as session:
            await IndexWriter(session, self.scope, base.index).write(prepared, vectors)

    async def search(
        self, query: str, *bases: ShelvedBase, mode: str = "blend", top_n: int = 5, **options: object
    ) -> SearchResult:
        """A search as the retriever does it."""
        request = SearchRequest(
            query,
            [base.id for base in bases],
            mode=mode,
            top_n=top_n,
            **options,  # pyright: ignore
        )
        return await self.retriever.search(self.scope, request)
