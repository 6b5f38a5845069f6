"""Which of the corpus tools an application has."""

from refdesk.chat.agent.builtin.corpus import Corpus
from refdesk.chat.agent.builtin.libraries import libraries_tool
from refdesk.chat.agent.builtin.listing import listing_tools
from refdesk.chat.agent.builtin.reading import reading_tool
from refdesk.chat.agent.builtin.searching import search_tool
from refdesk.chat.language import Language
from refdesk.tools import Tool


def corpus_tools(corpus: Corpus, language: Language) -> list[Tool]:
    """None without a base; choosing among bases only where there are several."""
    if not corpus.base_ids:
        return []
    tools = [search_tool(corpus, language), reading_tool(corpus, language), *listing_tools(corpus, language)]
    return [*tools, libraries_tool(corpus, language)] if len(corpus.base_ids) > 1 else tools
