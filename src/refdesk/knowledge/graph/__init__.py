"""A small knowledge graph beside a base's paragraphs: what things are called, and how they belong together.

Owns `knowledge_graphs`, `graph_readings`, `graph_mentions` and `graph_relations`: reading relations from
paragraphs by rules or by a language model, following changes, and paths between entities, each edge with the
paragraphs that tell it. Must not rank paragraphs or answer questions; rooms above put paths beside hits.
"""

from refdesk.knowledge.graph import jobs as jobs
from refdesk.knowledge.graph.describing import EdgeView, EntityRef, Evidence
from refdesk.knowledge.graph.errors import (
    GraphBuilding,
    GraphEntityNotFound,
    GraphModelNeeded,
    GraphNotFound,
    GraphNotRunning,
    GraphQuestionEmpty,
)
from refdesk.knowledge.graph.paths import FoundPaths, GraphPath, find_paths
from refdesk.knowledge.graph.presence import has_graph
from refdesk.knowledge.graph.queueing import keep_graph_up
from refdesk.knowledge.graph.repository import GraphRepository
from refdesk.knowledge.graph.routes import router
from refdesk.knowledge.graph.schemas import PathsView
from refdesk.knowledge.graph.service import Graphs
from refdesk.knowledge.queueing import after_indexing

after_indexing.append(keep_graph_up)

__all__ = [
    "EdgeView",
    "EntityRef",
    "Evidence",
    "FoundPaths",
    "GraphBuilding",
    "GraphEntityNotFound",
    "GraphModelNeeded",
    "GraphNotFound",
    "GraphNotRunning",
    "GraphPath",
    "GraphQuestionEmpty",
    "GraphRepository",
    "Graphs",
    "PathsView",
    "find_paths",
    "has_graph",
    "jobs",
    "keep_graph_up",
    "router",
]
