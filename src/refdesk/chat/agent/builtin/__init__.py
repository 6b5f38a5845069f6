"""The tools that read the corpus, for an agent and for whoever speaks the Model Context Protocol.

One module a tool; `wording` holds what models read of them. A tool sees the bases of its application, what
its caller may see of them, and nothing else.
"""

from refdesk.chat.agent.builtin.box import corpus_tools, graph_tools
from refdesk.chat.agent.builtin.corpus import Corpus

__all__ = ["Corpus", "corpus_tools", "graph_tools"]
