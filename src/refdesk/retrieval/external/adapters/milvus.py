"""Milvus through its own client, which a cluster and Milvus Lite take alike."""

import asyncio
from collections.abc import Callable, Mapping
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
from refdesk.retrieval.external.protocol import Capabilities, SourceDocument, SourceHit, Value

_FIELDS = ["id", "title", "text", "url", "metadata"]
_MAX_TEXT_BYTES = 65_000
"""Below Milvus's own limit of 65,535 bytes a text."""


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

    async def ingest(self, document: SourceDocument) -> str:
        if not document.id or len(document.id.encode()) > 500:
            raise SourceBadAnswer(reason="an id is empty or longer than 500 bytes")
        text = document.text.encode()[:_MAX_TEXT_BYTES].decode(errors="ignore")
        vectors = await self._embedder.embed_passages([f"{document.title}\n{text}".strip() or "-"])
        row = {
            "id": document.id,
            "title": document.title.encode()[:2_000].decode(errors="ignore"),
            "text": text,
            "url": (document.url or "")[:2_000],
            "metadata": dict(document.metadata),
            "vector": vectors[0].tolist(),
        }
        await self._call(lambda: self._client.upsert(self._collection, [row]))
        return document.id

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        vector = (await self._embedder.embed_queries([query]))[0].tolist()
        # Keys are of a safe form (`protocol.KEY`).
        tests = [f'metadata["{key}"] == {_literal(value)}' for key, value in (filters or {}).items()]
        found: Any = await self._call(
            lambda: self._client.search(
                self._collection,
                data=[vector],
                limit=top_k,
                output_fields=_FIELDS,
                filter=" and ".join(tests),
                consistency_level="Strong",
            )
        )
        return [self._hit(dict(hit)) for hit in cast("list[Any]", found[0] if found else [])]

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        def change() -> bool:
            # Not `get`: the client puts ids into the expression as they are, quotes and all.
            rows = self._client.query(
                self._collection,
                filter=f"id == {_literal(doc_id)}",
                output_fields=[*_FIELDS, "vector"],
                consistency_level="Strong",
            )
            if not rows:
                return False
            row = dict(rows[0])
            self._client.upsert(
                self._collection,
                [
                    {
                        **{name: row[name] for name in (*_FIELDS, "vector")},
                        "metadata": {**row["metadata"], **metadata},
                    }
                ],
            )
            return True

        if not await self._call(change):
            raise SourceDocumentNotFound(doc_id=doc_id)

    async def close(self) -> None:
        await asyncio.to_thread(self._client.close)

    def _hit(self, found: dict[str, Any]) -> SourceHit:
        entity = dict(found.get("entity") or found)
        return SourceHit(
            doc_id=str(found.get("id", entity.get("id"))),
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
            schema.add_field("id", pymilvus.DataType.VARCHAR, is_primary=True, max_length=512)
            schema.add_field("title", pymilvus.DataType.VARCHAR, max_length=2_048)
            schema.add_field("text", pymilvus.DataType.VARCHAR, max_length=65_535)
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
