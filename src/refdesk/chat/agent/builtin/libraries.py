"""`route_libraries`: which of the application's bases most likely hold a subject (A24)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from refdesk.chat.agent.builtin.corpus import Corpus, as_result
from refdesk.chat.agent.builtin.wording import WORDS, parameters_of
from refdesk.chat.agent.cleaning import search_form
from refdesk.chat.language import Language
from refdesk.knowledge import KnowledgeBaseRepository
from refdesk.retrieval import RouteSettings, SearchRequest
from refdesk.tools import Tool, ToolCaller, ToolResult, ToolSpec

MOST_SHOWN = 10
# An agent that asks wants a choice also of a few, unlike a search.
SETTINGS = RouteSettings(few=1, at_least=1)


@dataclass(frozen=True, slots=True)
class RouteLibraries:
    corpus: Corpus

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        profile = self.corpus.profile
        query = search_form(str(arguments["query"]), profile.agent.code_names).query
        route = await self.corpus.retriever.route(
            caller.scope,
            SearchRequest(
                query=query, knowledge_base_ids=self.corpus.base_ids, mode=profile.mode, route=SETTINGS
            ),
        )
        chosen = [base for base in route.bases if base.is_searched][:MOST_SHOWN]
        async with self.corpus.database.transaction() as session:
            repository = KnowledgeBaseRepository(session, caller.scope)
            rows = {
                row.id: row for row in await repository.get_many([base.knowledge_base_id for base in chosen])
            }
        shown = [
            {
                "library_id": str(base.knowledge_base_id),
                "name": rows[base.knowledge_base_id].name,
                "description": rows[base.knowledge_base_id].description,
                "score": round(base.score, 2) if base.score is not None else None,
            }
            for base in chosen
        ]
        names = "、".join(str(one["name"]) for one in shown)
        return as_result({"libraries": shown}, subject=query, digest=names)


def libraries_tool(corpus: Corpus, language: Language) -> Tool:
    words = WORDS["route_libraries"][language]
    spec = ToolSpec(
        id="builtin:route_libraries",
        name="route_libraries",
        description=words.description,
        parameters=parameters_of(words, {"query": {"type": "string", "minLength": 1}}, ("query",)),
        origin="builtin",
        title=words.title,
        read_only=True,
    )
    return Tool(spec, RouteLibraries(corpus))
