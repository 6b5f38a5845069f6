"""`find_paths`: how things belong together, each step with the passage that tells it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from refdesk.chat.agent.builtin.corpus import Corpus, as_result
from refdesk.chat.agent.builtin.wording import WORDS, parameters_of
from refdesk.chat.agent.sources import Passage
from refdesk.chat.language import Language
from refdesk.knowledge.graph import EdgeView, Evidence, find_paths
from refdesk.tools import Tool, ToolCaller, ToolResult, ToolSpec

MOST_PATHS = 8
EVIDENCE = 2
"""Passages shown of one step."""


@dataclass(frozen=True, slots=True)
class FindPaths:
    corpus: Corpus

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        names = [str(name) for name in arguments["entities"]]
        async with self.corpus.database.transaction() as session:
            found = await find_paths(
                session, caller.scope, self.corpus.base_ids, entities=names, limit=MOST_PATHS
            )
        paths = [[self._step(edge) for edge in path.edges] for path in found.paths]
        digest = "；".join(f"{s['from']} {s['relation']} {s['to']}" for path in paths for s in path)
        return as_result({"paths": paths}, subject="、".join(names), digest=digest[:200])

    def _step(self, edge: EdgeView) -> dict[str, Any]:
        return {
            "from": edge.source.name,
            "relation": edge.label or edge.kind,
            "to": edge.target.name,
            "told_in": [self._told(one) for one in edge.paragraphs[:EVIDENCE]],
        }

    def _told(self, one: Evidence) -> dict[str, Any]:
        titles = [title for title in (*one.title_chain, one.title) if title]
        passage = Passage(
            paragraph_id=one.paragraph_id,
            document_id=one.document_id,
            knowledge_base_id=one.knowledge_base_id,
            document=one.document_name,
            section=" › ".join(dict.fromkeys(titles)),
            page=one.page,
            text=one.quote,
            offset=one.start,
            similarity=1.0,
        )
        book = self.corpus.book
        known = {"n": book.add(passage)} if book is not None else {"paragraph_id": str(one.paragraph_id)}
        return known | {"doc_name": one.document_name, "quote": one.quote}


def paths_tool(corpus: Corpus, language: Language) -> Tool:
    words = WORDS["find_paths"][language]
    names = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 6}
    spec = ToolSpec(
        id="builtin:find_paths",
        name="find_paths",
        description=words.description,
        parameters=parameters_of(words, {"entities": names}, ("entities",)),
        origin="builtin",
        title=words.title,
        read_only=True,
    )
    return Tool(spec, FindPaths(corpus))
