"""Which of the corpus tools an application has."""

from refdesk.accounts import Scope
from refdesk.chat.agent.builtin.corpus import Corpus
from refdesk.chat.agent.builtin.libraries import libraries_tool
from refdesk.chat.agent.builtin.listing import listing_tools
from refdesk.chat.agent.builtin.paths import paths_tool
from refdesk.chat.agent.builtin.reading import reading_tool
from refdesk.chat.agent.builtin.searching import search_tool
from refdesk.chat.language import Language
from refdesk.knowledge.graph import has_graph
from refdesk.tools import Tool


async def graph_tools(corpus: Corpus, scope: Scope, language: Language) -> list[Tool]:
    """The search for paths, where a base has a graph."""
    if not corpus.base_ids:
        return []
    async with corpus.database.transaction() as session:
        present = await has_graph(session, scope, corpus.base_ids)
    return [paths_tool(corpus, language)] if present else []


def corpus_tools(corpus: Corpus, language: Language) -> list[Tool]:
    """None without a base; choosing among bases only where there are several."""
    if not corpus.base_ids:
        return []
    tools = [search_tool(corpus, language), reading_tool(corpus, language), *listing_tools(corpus, language)]
    return [*tools, libraries_tool(corpus, language)] if len(corpus.base_ids) > 1 else tools
