"""A knowledge base of this Refdesk as a source, for one caller: the same contract as everybody else's."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.errors import NotFound
from refdesk.kit.settings import Settings
from refdesk.knowledge import HandedDocuments, HandedText, MetaInvalid
from refdesk.retrieval.external.errors import (
    SourceBadAnswer,
    SourceDocumentNotFound,
    SourceFilterInvalid,
)
from refdesk.retrieval.external.guarded import GuardedSource
from refdesk.retrieval.external.passages import best_of_documents
from refdesk.retrieval.external.protocol import Capabilities, SourceDocument, SourceHit, Value
from refdesk.retrieval.search import SearchRequest
from refdesk.retrieval.service import Retriever

# How often it is looked whether a document is ready; a short one takes about half a second.
_LOOK_AGAIN_S = 0.1


class BuiltinSource:
    """One base. What the caller may not see does not exist here, and what they may not change stays."""

    capabilities = Capabilities(can_ingest=True, can_update_metadata=True, can_filter=True, by_meaning=True)

    def __init__(
        self, database: Database, retriever: Retriever, settings: Settings, scope: Scope, base_id: UUID
    ) -> None:
        self._retriever = retriever
        self._settings = settings
        self._scope = scope
        self._base_id = base_id
        self._documents = HandedDocuments(database, scope, settings, base_id)

    async def ingest(self, document: SourceDocument) -> str:
        """Returns when searches find it. Where the deadline comes first, it is imported nevertheless."""
        if not document.id or not document.text.strip():
            raise SourceBadAnswer(reason="an id or a text is empty")
        handed = HandedText(document.id, document.title, document.text, document.metadata, document.url)
        try:
            document_id = await self._documents.put(handed)
        except MetaInvalid as error:
            raise SourceFilterInvalid(**error.details) from error
        while True:
            present = (await self._documents.read([document_id])).get(document_id)
            if present is None:
                raise SourceDocumentNotFound(doc_id=document.id)
            if present.state == "ready":
                return document.id
            if present.state in ("failed", "cancelled"):
                reason = (present.error or {}).get("code", present.state)
                raise SourceBadAnswer(reason=f"the document could not be imported: {reason}")
            await asyncio.sleep(_LOOK_AGAIN_S)

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        wanted = await self._documents.matching(filters) if filters else None
        if wanted == []:
            return []
        request = SearchRequest(
            query=query[: self._settings.max_question_chars],
            knowledge_base_ids=[self._base_id],
            document_ids=wanted,
            apply_gate=False,
        )

        async def ask(limit: int) -> list[SourceHit]:
            return await self._pieces(replace(request, top_n=limit))

        return await best_of_documents(ask, top_k)

    async def _pieces(self, request: SearchRequest) -> list[SourceHit]:
        result = await self._retriever.search(self._scope, request)
        documents = await self._documents.read(list({hit.document_id for hit in result.hits}))
        return [
            SourceHit(
                doc_id=document.id,
                title=document.title,
                text=hit.content,
                score=hit.score,
                metadata=_flat(document.meta),
                url=document.url,
            )
            for hit in result.hits
            if (document := documents.get(hit.document_id)) is not None
        ]

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        try:
            await self._documents.set_metadata(doc_id, metadata)
        except NotFound as error:
            raise SourceDocumentNotFound(doc_id=doc_id) from error
        except MetaInvalid as error:
            raise SourceFilterInvalid(**error.details) from error

    async def close(self) -> None:
        """Everything belongs to the process."""


def _flat(meta: Mapping[str, Any]) -> dict[str, Value]:
    """Lists of texts as one text: a source's metadata hold single values."""
    told: dict[str, Value] = {}
    for key, value in meta.items():
        if isinstance(value, (str, int, float, bool)):
            told[key] = value
        elif isinstance(value, list):
            told[key] = ", ".join(map(str, cast("list[Any]", value)))
    return told


def open_base(
    database: Database,
    retriever: Retriever,
    settings: Settings,
    scope: Scope,
    base_id: UUID,
    *,
    timeout_s: float = 30.0,
) -> GuardedSource:
    """The base as a source for this caller; `timeout_s` is also how long `ingest` waits until it is found."""
    source = BuiltinSource(database, retriever, settings, scope, base_id)
    return GuardedSource(source, timeout_s=timeout_s)
