"""Chroma: a server over HTTP, or a folder of this machine."""

import asyncio
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

import httpx
from pydantic import BaseModel, ConfigDict, Field

from refdesk.gateway import Embedder
from refdesk.retrieval.external.addresses import judged_url
from refdesk.retrieval.external.errors import (
    SourceBadAnswer,
    SourceConfigInvalid,
    SourceDocumentNotFound,
    SourceUnreachable,
)
from refdesk.retrieval.external.opening import SourceContext
from refdesk.retrieval.external.passages import best_of_documents, embedded_pieces
from refdesk.retrieval.external.protocol import Capabilities, SourceDocument, SourceHit, Value

# What Chroma calls a document is a piece of one here. The document's own id, title and address lie among the
# metadata of each, under keys no caller can use.
_DOC_ID, _TITLE, _URL = "refdesk:doc_id", "refdesk:title", "refdesk:url"
_OWN = frozenset((_DOC_ID, _TITLE, _URL))
_ROWS_AT_ONCE = 200


class Config(BaseModel):
    """`url` of a server, or `path`, a folder of this machine. `collection` is made if it is not there."""

    model_config = ConfigDict(extra="forbid")

    url: str | None = Field(default=None, max_length=2000)
    path: str | None = Field(default=None, max_length=2000)
    collection: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{1,500}[A-Za-z0-9]$")
    tenant: str = "default_tenant"
    database: str = "default_database"


class ChromaSource:
    """Each call in a thread: the client blocks."""

    capabilities = Capabilities(can_ingest=True, can_update_metadata=True, can_filter=True, by_meaning=True)

    def __init__(self, client: Any, collection: Any, embedder: Embedder) -> None:
        self._client = client
        self._collection = collection
        self._embedder = embedder
        self._turn = asyncio.Semaphore(4)
        # Two changes of one document at once would leave pieces of both.
        self._changing = asyncio.Lock()

    async def ingest(self, document: SourceDocument) -> str:
        if not document.id:
            raise SourceBadAnswer(reason="an id is empty")
        pieces = await embedded_pieces(document, self._embedder)
        metadata = {
            **document.metadata,
            _DOC_ID: document.id,
            _TITLE: document.title,
            _URL: document.url or "",
        }

        def put() -> None:
            # An upsert would keep keys of what was there before.
            self._collection.delete(where={_DOC_ID: document.id})
            for at in range(0, len(pieces), _ROWS_AT_ONCE):
                some = pieces[at : at + _ROWS_AT_ONCE]
                self._collection.add(
                    ids=[f"{document.id}#{piece.number}" for piece in some],
                    documents=[piece.text for piece in some],
                    embeddings=[piece.vector for piece in some],
                    metadatas=[metadata for _ in some],
                )

        async with self._changing:
            await self._call(put)
        return document.id

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        vector = (await self._embedder.embed_queries([query]))[0].tolist()
        tests = [{key: {"$eq": value}} for key, value in (filters or {}).items()]
        where = None if not tests else tests[0] if len(tests) == 1 else {"$and": tests}

        async def ask(limit: int) -> list[SourceHit]:
            found = await self._call(
                lambda: self._collection.query(query_embeddings=[vector], n_results=limit, where=where)
            )
            rows = zip(found["documents"][0], found["metadatas"][0], found["distances"][0], strict=True)
            return [self._hit(*row) for row in rows]

        return await best_of_documents(ask, top_k)

    def _hit(self, text: str | None, metadata: dict[str, Any], distance: float) -> SourceHit:
        own = {key: value for key, value in metadata.items() if key not in _OWN}
        return SourceHit(
            doc_id=str(metadata[_DOC_ID]),
            title=str(metadata.get(_TITLE) or ""),
            text=text or "",
            url=metadata.get(_URL) or None,
            score=float(self._embedder.calibration.calibrate(1.0 - distance)),
            metadata=cast("dict[str, Value]", own),
        )

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        def change() -> bool:
            rows = self._collection.get(where={_DOC_ID: doc_id}, include=[])["ids"]
            if metadata:
                for at in range(0, len(rows), _ROWS_AT_ONCE):
                    some = rows[at : at + _ROWS_AT_ONCE]
                    self._collection.update(ids=some, metadatas=[dict(metadata) for _ in some])
            return bool(rows)

        async with self._changing:
            if not await self._call(change):
                raise SourceDocumentNotFound(doc_id=doc_id)

    async def close(self) -> None:
        close = getattr(self._client, "close", None)
        if close is not None:
            await asyncio.to_thread(close)

    async def _call[T](self, call: Callable[[], T]) -> T:
        errors: Any = import_module("chromadb.errors")

        async with self._turn:
            try:
                return await asyncio.to_thread(call)
            except errors.ChromaError as error:
                raise SourceBadAnswer(reason=type(error).__name__) from error
            except httpx.HTTPError as error:
                raise SourceUnreachable from error


async def open(config: Config, secret: str | None, context: SourceContext) -> ChromaSource:
    """Connects, and makes the collection if it is not there."""
    chromadb: Any = import_module("chromadb")

    assert context.embedder is not None
    if (config.url is None) == (config.path is None):
        raise SourceConfigInvalid(hint="Name either the url of a server or a path.")
    if config.path is not None and not context.allow_local:
        raise SourceConfigInvalid(hint="A folder of this machine cannot be named here.")
    settings = chromadb.Settings(anonymized_telemetry=False)
    where = None
    if config.url is not None:
        where = await judged_url(config.url, allow_private=context.allow_private)

    def connect() -> tuple[Any, Any]:
        client: Any
        if where is not None:
            host, port, secure = where
            client = chromadb.HttpClient(
                host=host,
                port=port,
                ssl=secure,
                headers={"Authorization": f"Bearer {secret}"} if secret else None,
                settings=settings,
                tenant=config.tenant,
                database=config.database,
            )
        else:
            client = chromadb.PersistentClient(path=str(config.path), settings=settings)
        # No embedding function: vectors are always brought along.
        collection = client.get_or_create_collection(
            config.collection, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        return client, collection

    try:
        client, collection = await asyncio.to_thread(connect)
    except ValueError as error:  # what the client makes of a server that does not answer
        raise SourceUnreachable from error
    return ChromaSource(client, collection, context.embedder)
