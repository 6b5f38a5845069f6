"""`search_documents`: a query to the bases, what is near enough of it, and what is not (A6, A7, A11)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from refdesk.chat.agent.builtin.corpus import SNIPPET_CHARS, Corpus, as_result, digest_of, shown_passage
from refdesk.chat.agent.builtin.wording import NOTHING_RELEVANT, WORDS, parameters_of
from refdesk.chat.agent.cleaning import search_form
from refdesk.chat.agent.sources import Passage
from refdesk.chat.language import Language
from refdesk.chat.searching import section_of
from refdesk.retrieval import RouteSettings, SearchRequest, SearchResult
from refdesk.tools import Tool, ToolCaller, ToolResult, ToolSpec

DROP = 0.15
"""A result this much less similar than the best is left out, where the application says nothing else."""

TOP_K, MOST = 3, 5
_IDS = {"type": "array", "items": {"type": "string"}, "maxItems": 20}


@dataclass(frozen=True, slots=True)
class SearchDocuments:
    """Its executor."""

    corpus: Corpus

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        profile = self.corpus.profile
        query = search_form(str(arguments["query"]), profile.agent.code_names).query
        bases = self._chosen(arguments.get("library_ids"))
        request = SearchRequest(
            query=query,
            knowledge_base_ids=bases,
            mode=profile.mode,
            top_n=int(arguments.get("top_k", TOP_K)),
            similarity=profile.similarity,
            drop=profile.drop if profile.drop is not None else DROP,
            context="window",
            window_chars=min(profile.window_chars, SNIPPET_CHARS),
            rerank=profile.rerank,
            route=RouteSettings() if profile.route_bases and bases == profile.knowledge_base_ids else None,
            strategy=profile.strategy,
            diversity=profile.diversity,
            recency=profile.recency,
        )
        if documents := _ids(arguments.get("document_ids")):
            request = replace(request, document_ids=documents)
        result = await self.corpus.retriever.search(caller.scope, request)
        return self._told(query, result, caller.language)

    def _chosen(self, wanted: Any) -> tuple[UUID, ...]:
        """The bases to search: those asked for that are the application's, else all of it."""
        chosen = set(_ids(wanted))
        return tuple(base for base in self.corpus.base_ids if base in chosen) or self.corpus.base_ids

    def _told(self, query: str, result: SearchResult, language: Language) -> ToolResult:
        book = self.corpus.book
        if book is not None:
            book.best = max(book.best, result.best)
            book.candidates += result.candidates
        if not result.found:
            note = NOTHING_RELEVANT[language]
            return as_result({"results": [], "note": note}, subject=query, digest=note)
        found: list[tuple[int | None, Passage]] = []
        for hit in result.hits:
            passage = Passage.of(hit, section_of(hit))
            found.append((book.add(passage) if book is not None else None, passage))
        data = {"results": [shown_passage(passage, n) for n, passage in found]}
        return as_result(data, subject=query, digest=digest_of(found))


def _ids(values: Any) -> list[UUID]:
    """The ids among these; what is none is left out."""
    found: list[UUID] = []
    for value in values or ():
        try:
            found.append(UUID(str(value)))
        except ValueError:
            continue
    return found


def search_tool(corpus: Corpus, language: Language) -> Tool:
    """The tool; where there are several bases, a search can be narrowed to some."""
    words = WORDS["search_documents"][language]
    properties: dict[str, Mapping[str, Any]] = {
        "query": {"type": "string", "minLength": 1, "maxLength": 500},
        "top_k": {"type": "integer", "minimum": 1, "maximum": MOST, "default": TOP_K},
        "document_ids": _IDS,
    }
    if len(corpus.base_ids) > 1:
        properties["library_ids"] = _IDS
    spec = ToolSpec(
        id="builtin:search_documents",
        name="search_documents",
        description=words.description,
        parameters=parameters_of(words, properties, ("query",)),
        origin="builtin",
        title=words.title,
        read_only=True,
    )
    return Tool(spec, SearchDocuments(corpus))
