"""The agent: a model that decides for itself whether, how often and for what to search (A1–A15).

Owns the loop, its messages and their compaction, the tools that read the corpus, and what of a conversation's
tool traffic is remembered. Knows no vendor and no kind of tool server.
"""

from refdesk.chat.agent.builtin import Corpus, corpus_tools, graph_tools
from refdesk.chat.agent.calling import plan
from refdesk.chat.agent.running import run_agent

__all__ = ["Corpus", "corpus_tools", "graph_tools", "plan", "run_agent"]
