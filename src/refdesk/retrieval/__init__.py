"""Retrieval: from a question to the paragraphs that answer it, with the numbers that decided.

Owns the legs, their fusion, the gate, modes, strategies, reranking and the choice of bases. Reads the index
and never writes; knows no conversation, prompt or application.
"""

from refdesk.retrieval.errors import (
    EmbeddingChanged,
    KnowledgeBaseNotFound,
    NothingToExplain,
    QueryEmpty,
    QueryTooLong,
    UnknownMode,
    UnknownStrategy,
)
from refdesk.retrieval.explaining import Explainer, Explanation
from refdesk.retrieval.external.routes import router as external_router
from refdesk.retrieval.external.service import ExternalSourceRepository, ExternalSources, allows_sql
from refdesk.retrieval.external.tables import ExternalSource
from refdesk.retrieval.modes import Mode, get_mode, mode_names, register
from refdesk.retrieval.routes import RetrieverDep, router
from refdesk.retrieval.routing import BaseScore, Route, RouteSettings
from refdesk.retrieval.schemas import (
    GateDecisionView,
    HitTestRequest,
    HitTestResult,
    HitView,
    RerankSettings,
    SearchSettings,
)
from refdesk.retrieval.search import (
    DropReason,
    GateDecision,
    GateName,
    Hit,
    LegScore,
    Ranking,
    RerankChoice,
    SearchRequest,
    SearchResult,
    SearchWarning,
)
from refdesk.retrieval.service import Embedders, Retriever
from refdesk.retrieval.strategies import check_strategy_name

__all__ = [
    "BaseScore",
    "DropReason",
    "Embedders",
    "EmbeddingChanged",
    "Explainer",
    "Explanation",
    "ExternalSource",
    "ExternalSourceRepository",
    "ExternalSources",
    "GateDecision",
    "GateDecisionView",
    "GateName",
    "Hit",
    "HitTestRequest",
    "HitTestResult",
    "HitView",
    "KnowledgeBaseNotFound",
    "LegScore",
    "Mode",
    "NothingToExplain",
    "QueryEmpty",
    "QueryTooLong",
    "Ranking",
    "RerankChoice",
    "RerankSettings",
    "Retriever",
    "RetrieverDep",
    "Route",
    "RouteSettings",
    "SearchRequest",
    "SearchResult",
    "SearchSettings",
    "SearchWarning",
    "UnknownMode",
    "UnknownStrategy",
    "allows_sql",
    "check_strategy_name",
    "external_router",
    "get_mode",
    "mode_names",
    "register",
    "router",
]
