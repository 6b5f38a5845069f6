"""`list_documents` and `get_document_meta`: which documents there are, and what is known of one (A8)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from refdesk.chat.agent.builtin.corpus import Corpus, as_result
from refdesk.chat.agent.builtin.wording import WORDS, parameters_of
from refdesk.chat.language import Language
from refdesk.kit.errors import NotFound
from refdesk.knowledge import Document, DocumentFilter, DocumentRepository, effective_metadata
from refdesk.tools import Tool, ToolCaller, ToolResult, ToolSpec

LISTED, MOST_LISTED = 20, 50
# What of a document's metadata tells its date, most telling first.
_DATES = ("effective_date", "published_at", "date", "updated")
_KEPT = ("doc_type", "department", "author", "language")


@dataclass(frozen=True, slots=True)
class ListDocuments:
    corpus: Corpus

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        limit = int(arguments.get("limit", LISTED))
        wanted = DocumentFilter(q=arguments.get("name"), states=("ready",), is_active=True)
        rows: list[Document] = []
        total = 0
        async with self.corpus.database.transaction() as session:
            repository = DocumentRepository(session, caller.scope)
            for base_id in self.corpus.base_ids:
                left = max(limit - len(rows), 1)
                found, count = await repository.page(base_id, limit=left, before=None, wanted=wanted)
                rows += found
                total += count
        shown = [
            {"doc_name": row.name, "document_id": str(row.id), "library_id": str(row.knowledge_base_id)}
            for row in rows[:limit]
        ]
        names = "、".join(f"《{one['doc_name']}》" for one in shown[:10])
        return as_result({"documents": shown, "total": total}, digest=names)


@dataclass(frozen=True, slots=True)
class GetDocumentMeta:
    corpus: Corpus

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        wanted = str(arguments["document"])
        documents = await self.corpus.documents(caller.scope, wanted)
        if not documents:
            raise NotFound("There is no such document.")
        shown = [meta_of(document) for document in documents]
        digest = "；".join(f"《{one['title']}》{one['date']}，{one['version']}" for one in shown)
        data = shown[0] if len(shown) == 1 else {"documents": shown}
        return as_result(data, subject=wanted, digest=digest)


def meta_of(document: Document) -> dict[str, Any]:
    """Title, date and version: as the document says, else its name, when it was changed here, and the number
    of its version here."""
    meta = effective_metadata(document.found_meta, document.meta)
    date = next((meta[key] for key in _DATES if meta.get(key)), document.updated_at.date().isoformat())
    return {
        "title": meta.get("title") or document.name,
        "date": date,
        "version": meta.get("version") or document.version,
        "updated_at": document.updated_at.isoformat(timespec="seconds"),
        "doc_name": document.name,
        "document_id": str(document.id),
        **{key: meta[key] for key in _KEPT if meta.get(key)},
    }


def listing_tools(corpus: Corpus, language: Language) -> list[Tool]:
    listing, meta = WORDS["list_documents"][language], WORDS["get_document_meta"][language]
    of_listing: dict[str, Mapping[str, Any]] = {
        "name": {"type": "string", "maxLength": 200},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST_LISTED, "default": LISTED},
    }
    return [
        Tool(
            ToolSpec(
                id="builtin:get_document_meta",
                name="get_document_meta",
                description=meta.description,
                parameters=parameters_of(
                    meta, {"document": {"type": "string", "minLength": 1}}, ("document",)
                ),
                origin="builtin",
                title=meta.title,
                read_only=True,
            ),
            GetDocumentMeta(corpus),
        ),
        Tool(
            ToolSpec(
                id="builtin:list_documents",
                name="list_documents",
                description=listing.description,
                parameters=parameters_of(listing, of_listing),
                origin="builtin",
                title=listing.title,
                read_only=True,
            ),
            ListDocuments(corpus),
        ),
    ]
