"""Weaviate through its own client: both its HTTP and its gRPC address must be reachable.

An object is a piece of a document.
"""

import asyncio
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast
from uuid import NAMESPACE_URL, uuid5

import orjson
from pydantic import BaseModel, ConfigDict, Field

from refdesk.gateway import Embedder
from refdesk.retrieval.external.addresses import judged_address, judged_url
from refdesk.retrieval.external.errors import (
    SourceAuthentication,
    SourceBadAnswer,
    SourceDocumentNotFound,
    SourceUnreachable,
)
from refdesk.retrieval.external.opening import SourceContext
from refdesk.retrieval.external.passages import best_of_documents, embedded_pieces
from refdesk.retrieval.external.protocol import Capabilities, SourceDocument, SourceHit, Value

_ROWS_AT_ONCE = 100


class Config(BaseModel):
    """`collection` is made if it is not there, without a vectorizer: vectors are brought along."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(max_length=2000, description="HTTP address.")
    grpc_host: str | None = Field(default=None, max_length=255, description="Empty: the host of the url.")
    grpc_port: int = Field(default=50051, ge=1, le=65535)
    grpc_secure: bool = False
    collection: str = Field(pattern=r"^[A-Z][A-Za-z0-9_]{0,200}$")


class WeaviateSource:
    """Metadata lies as JSON in one property, and as `key=value` texts in another, which filters look at."""

    capabilities = Capabilities(can_ingest=True, can_update_metadata=True, can_filter=True, by_meaning=True)

    def __init__(self, client: Any, collection: Any, embedder: Embedder) -> None:
        self._client = client
        self._collection = collection
        self._embedder = embedder
        # Two changes of one document at once would leave pieces of both.
        self._changing = asyncio.Lock()

    async def ingest(self, document: SourceDocument) -> str:
        data: Any = import_module("weaviate.classes.data")

        if not document.id:
            raise SourceBadAnswer(reason="an id is empty")
        pieces = await embedded_pieces(document, self._embedder)
        shared = {
            "doc_id": document.id,
            "title": document.title,
            "url": document.url or "",
            **_stored(document.metadata),
        }
        rows = [
            data.DataObject(
                uuid=_place(document.id, piece.number),
                properties={**shared, "piece": piece.number, "text": piece.text},
                vector=piece.vector,
            )
            for piece in pieces
        ]
        try:
            async with self._changing:
                # An object of an id that is there already is replaced.
                for at in range(0, len(rows), _ROWS_AT_ONCE):
                    done = await self._collection.data.insert_many(rows[at : at + _ROWS_AT_ONCE])
                    if done.has_errors:
                        raise SourceBadAnswer(reason="not all pieces were taken")
                # Not before: where the new pieces fail to arrive, the document is still there.
                await self._collection.data.delete_many(where=_pieces_of(document.id, len(rows)))
        except SourceBadAnswer:
            raise
        except Exception as error:
            raise _meaning(error) from error
        return document.id

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        asking: Any = import_module("weaviate.classes.query")

        vector = (await self._embedder.embed_queries([query]))[0].tolist()
        wanted = _pairs(filters or {})

        async def ask(limit: int) -> list[SourceHit]:
            found = await self._collection.query.near_vector(
                near_vector=vector,
                limit=limit,
                filters=asking.Filter.by_property("facts").contains_all(wanted) if wanted else None,
                return_metadata=asking.MetadataQuery(distance=True),
            )
            return [self._hit(item.properties, item.metadata.distance) for item in found.objects]

        try:
            return await best_of_documents(ask, top_k)
        except Exception as error:
            raise _meaning(error) from error

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        try:
            async with self._changing:
                is_there = await self._set_metadata(doc_id, metadata)
        except Exception as error:
            raise _meaning(error) from error
        if not is_there:
            raise SourceDocumentNotFound(doc_id=doc_id)

    async def _set_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> bool:
        """Whether there is such a document; all its pieces get the metadata."""
        at = 0
        while True:
            found = await self._collection.query.fetch_objects(
                filters=_pieces_of(doc_id, at, at + _ROWS_AT_ONCE), limit=_ROWS_AT_ONCE
            )
            for piece in found.objects:
                kept = orjson.loads(str(piece.properties.get("metadata") or "{}"))
                await self._collection.data.update(uuid=piece.uuid, properties=_stored({**kept, **metadata}))
            if not found.objects:
                return at > 0
            at += _ROWS_AT_ONCE

    async def close(self) -> None:
        await self._client.close()

    def _hit(self, properties: Mapping[str, Any], distance: float | None) -> SourceHit:
        return SourceHit(
            doc_id=str(properties["doc_id"]),
            title=str(properties["title"]),
            text=str(properties["text"]),
            url=str(properties["url"]) or None,
            score=float(self._embedder.calibration.calibrate(1.0 - (distance or 0.0))),
            metadata=cast("dict[str, Value]", orjson.loads(str(properties["metadata"]))),
        )


def _place(doc_id: str, piece: int) -> str:
    """Weaviate's ids are UUIDs: the same piece of the same document always gives the same one."""
    return str(uuid5(NAMESPACE_URL, f"refdesk:{piece}:{doc_id}"))


def _pieces_of(doc_id: str, first: int, end: int | None = None) -> Any:
    """The filter for a document's pieces from `first` up to, not including, `end`."""
    asking: Any = import_module("weaviate.classes.query")
    found = asking.Filter.by_property("doc_id").equal(doc_id)
    found = found & asking.Filter.by_property("piece").greater_or_equal(first)
    return found if end is None else found & asking.Filter.by_property("piece").less_than(end)


def _pairs(metadata: Mapping[str, Value]) -> list[str]:
    return [f"{key}={orjson.dumps(value).decode()}" for key, value in metadata.items()]


def _stored(metadata: Mapping[str, Value]) -> dict[str, Any]:
    return {"metadata": orjson.dumps(dict(metadata)).decode(), "facts": _pairs(metadata)}


def _meaning(error: Exception) -> Exception:
    told = str(error).lower()
    if "401" in told or "403" in told or "unauthenticated" in told:
        return SourceAuthentication()
    if "connect" in told or "unavailable" in told:
        return SourceUnreachable()
    return SourceBadAnswer(reason=type(error).__name__)


async def open(config: Config, secret: str | None, context: SourceContext) -> WeaviateSource:
    """Connects, and makes the collection if it is not there."""
    weaviate: Any = import_module("weaviate")
    made: Any = import_module("weaviate.classes.config")
    init: Any = import_module("weaviate.classes.init")

    assert context.embedder is not None
    host, port, secure = await judged_url(config.url, allow_private=context.allow_private)
    grpc_host = config.grpc_host or host
    await judged_address(grpc_host, config.grpc_port, allow_private=context.allow_private)
    client: Any = weaviate.use_async_with_custom(
        http_host=host,
        http_port=port,
        http_secure=secure,
        grpc_host=grpc_host,
        grpc_port=config.grpc_port,
        grpc_secure=config.grpc_secure,
        auth_credentials=init.Auth.api_key(secret) if secret else None,
        additional_config=init.AdditionalConfig(
            timeout=init.Timeout(init=context.timeout_s, query=context.timeout_s, insert=context.timeout_s)
        ),
    )
    try:
        await client.connect()
        if not await client.collections.exists(config.collection):
            texts = [
                made.Property(name=name, data_type=made.DataType.TEXT) for name in ("title", "text", "url")
            ]
            exact = {"tokenization": made.Tokenization.FIELD}
            await client.collections.create(
                config.collection,
                vector_config=made.Configure.Vectors.self_provided(
                    vector_index_config=made.Configure.VectorIndex.hnsw(
                        distance_metric=made.VectorDistances.COSINE
                    )
                ),
                properties=[
                    *texts,
                    made.Property(name="doc_id", data_type=made.DataType.TEXT, **exact),
                    made.Property(name="piece", data_type=made.DataType.INT),
                    made.Property(
                        name="metadata", data_type=made.DataType.TEXT, index_searchable=False, **exact
                    ),
                    made.Property(name="facts", data_type=made.DataType.TEXT_ARRAY, **exact),
                ],
            )
    except Exception as error:
        await client.close()
        raise _meaning(error) from error
    return WeaviateSource(client, client.collections.get(config.collection), context.embedder)
