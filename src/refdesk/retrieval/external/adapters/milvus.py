"""Milvus through its own client, which a cluster and Milvus Lite take alike. A row is a document's piece."""

import asyncio
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib import import_module
from typing import Any, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field

from refdesk.gateway import Embedder
from refdesk.retrieval.external.addresses import judged_url
from refdesk.retrieval.external.errors import (
    SourceAuthentication,
    SourceBadAnswer,
    SourceConfigInvalid,
    SourceDocumentNotFound,
    SourceUnreachable,
)
from refdesk.retrieval.external.opening import SourceContext
from refdesk.retrieval.external.passages import best_of_documents, embedded_pieces
from refdesk.retrieval.external.protocol import Capabilities, SourceDocument, SourceHit, Value

_FIELDS = ["id", "doc_id", "piece", "title", "text", "url", "metadata"]
_MOST_BYTES = {"id": 500, "title": 2_000, "address": 2_000}
"""Of a document; the fields have a little more room. A piece's text has room in any case."""
_ROWS_AT_ONCE = 200
"""Rows of a request: 7 MB with vectors of 8,192 numbers. Milvus takes 64 MB."""


class Config(BaseModel):
    """`collection` is made if it is not there. `uri`: the server, or a `.db` file of Milvus Lite."""

    model_config = ConfigDict(extra="forbid")

    uri: str = Field(min_length=1, max_length=2000)
    collection: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,200}$")
    db_name: str = Field(default="default", max_length=200)


class MilvusSource:
    """Each call in a thread; one at a time for Milvus Lite, whose file has one writer."""

    capabilities = Capabilities(can_ingest=True, can_update_metadata=True, can_filter=True, by_meaning=True)

    def __init__(self, client: Any, config: Config, embedder: Embedder, *, is_local: bool) -> None:
        self._client = client
        self._collection = config.collection
        self._embedder = embedder
        self._turn = asyncio.Semaphore(1 if is_local else 8)
        # Two changes of one document at once would leave pieces of both.
        self._changing = asyncio.Lock()

    async def ingest(self, document: SourceDocument) -> str:
        if not document.id:
            raise SourceBadAnswer(reason="an id is empty")
        for name, value in (("id", document.id), ("title", document.title), ("address", document.url or "")):
            if len(value.encode()) > _MOST_BYTES[name]:
                raise SourceBadAnswer(reason=f"the {name} is longer than {_MOST_BYTES[name]} bytes")
        pieces = await embedded_pieces(document, self._embedder)
        rows = [
            {
                "id": _row_id(document.id, piece.number),
                "doc_id": document.id,
                "piece": piece.number,
                "title": document.title,
                "text": piece.text,
                "url": document.url or "",
                "metadata": dict(document.metadata),
                "vector": piece.vector,
            }
            for piece in pieces
        ]
        left_over = f"doc_id == {_literal(document.id)} and piece >= {len(rows)}"

        def put() -> None:
            for at in range(0, len(rows), _ROWS_AT_ONCE):
                self._client.upsert(self._collection, rows[at : at + _ROWS_AT_ONCE])
            # Not before: where the new pieces fail to arrive, the document is still there.
            self._client.delete(self._collection, filter=left_over)

        async with self._changing:
            await self._call(put)
        return document.id

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        vector = (await self._embedder.embed_queries([query]))[0].tolist()
        # Keys are of a safe form (`protocol.KEY`).
        tests = [f'metadata["{key}"] == {_literal(value)}' for key, value in (filters or {}).items()]

        async def ask(limit: int) -> list[SourceHit]:
            found: Any = await self._call(
                lambda: self._client.search(
                    self._collection,
                    data=[vector],
                    limit=limit,
                    output_fields=_FIELDS,
                    filter=" and ".join(tests),
                    consistency_level="Strong",
                )
            )
            return [self._hit(dict(hit)) for hit in cast("list[Any]", found[0] if found else [])]

        return await best_of_documents(ask, top_k)

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        async with self._changing:
            if not await self._call(lambda: self._set_metadata(doc_id, metadata)):
                raise SourceDocumentNotFound(doc_id=doc_id)

    def _set_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> bool:
        """Whether there is such a document. A row can only be replaced as a whole."""
        at = 0
        while True:
            # Not `get`: the client puts ids into the expression as they are, quotes and all.
            found = self._client.query(
                self._collection,
                filter=f"doc_id == {_literal(doc_id)} and piece >= {at} and piece < {at + _ROWS_AT_ONCE}",
                output_fields=[*_FIELDS, "vector"],
                consistency_level="Strong",
            )
            rows = [{name: row[name] for name in (*_FIELDS, "vector")} for row in found]
            if not rows:
                return at > 0
            for row in rows:
                row["metadata"] = {**row["metadata"], **metadata}
            self._client.upsert(self._collection, rows)
            at += _ROWS_AT_ONCE

    async def close(self) -> None:
        await asyncio.to_thread(self._client.close)

    def _hit(self, found: dict[str, Any]) -> SourceHit:
        entity = dict(found.get("entity") or found)
        return SourceHit(
            doc_id=str(entity["doc_id"]),
            title=entity["title"],
            text=entity["text"],
            url=entity["url"] or None,
            score=float(self._embedder.calibration.calibrate(float(found["distance"]))),
            metadata=cast("dict[str, Value]", dict(entity["metadata"])),
        )

    async def _call[T](self, call: Callable[[], T]) -> T:
        errors: Any = import_module("pymilvus.exceptions")

        async with self._turn:
            try:
                return await asyncio.to_thread(call)
            except errors.MilvusException as error:
                raise _meaning(error) from error


def _row_id(doc_id: str, piece: int) -> str:
    """The same piece of the same document always gives the same one, of a length that fits."""
    return f"{sha256(doc_id.encode()).hexdigest()}-{piece}"


def _literal(value: Value) -> str:
    """A value in Milvus's expressions, whose literals are those of JSON. Milvus Lite takes no parameters."""
    return orjson.dumps(value).decode()


def _meaning(error: Exception) -> Exception:
    told = str(error).lower()
    if "auth" in told or "permission" in told:
        return SourceAuthentication()
    if "connect" in told or "unavailable" in told or "deadline" in told:
        return SourceUnreachable()
    return SourceBadAnswer(reason=type(error).__name__)


async def open(config: Config, secret: str | None, context: SourceContext) -> MilvusSource:
    """Connects, and makes the collection if it is not there."""
    pymilvus: Any = import_module("pymilvus")
    errors: Any = import_module("pymilvus.exceptions")

    assert context.embedder is not None
    embedder = context.embedder
    is_local = "://" not in config.uri
    if is_local and not context.allow_local:
        raise SourceConfigInvalid(hint="The address must be http:// or https://.")
    if not is_local:
        await judged_url(config.uri, allow_private=context.allow_private)

    def connect() -> Any:
        arguments: dict[str, Any] = {"uri": config.uri, "timeout": context.timeout_s}
        if secret:
            arguments["token"] = secret
        if not is_local:
            arguments["db_name"] = config.db_name
        client: Any = pymilvus.MilvusClient(**arguments)
        if not client.has_collection(config.collection):
            schema: Any = pymilvus.MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("id", pymilvus.DataType.VARCHAR, is_primary=True, max_length=128)
            schema.add_field("doc_id", pymilvus.DataType.VARCHAR, max_length=512)
            schema.add_field("piece", pymilvus.DataType.INT64)
            schema.add_field("title", pymilvus.DataType.VARCHAR, max_length=2_048)
            schema.add_field("text", pymilvus.DataType.VARCHAR, max_length=8_192)
            schema.add_field("url", pymilvus.DataType.VARCHAR, max_length=2_048)
            schema.add_field("metadata", pymilvus.DataType.JSON)
            schema.add_field("vector", pymilvus.DataType.FLOAT_VECTOR, dim=embedder.dimensions)
            index: Any = pymilvus.MilvusClient.prepare_index_params()
            index.add_index("vector", index_type="AUTOINDEX", metric_type="IP")
            client.create_collection(config.collection, schema=schema, index_params=index)
        return client

    try:
        client = await asyncio.to_thread(connect)
    except errors.MilvusException as error:
        raise _meaning(error) from error
    return MilvusSource(client, config, embedder, is_local=is_local)
