"""Evaluation: how good retrieval is on judged test sets.

Owns measures, the reading of test sets, and temporary bases. Uses retrieval as everyone else does; must not
rank anything itself.
"""

from refdesk.evaluation.errors import TestSetEmpty, TestSetUnreadable
from refdesk.evaluation.metrics import hit, ndcg, percentile, recall, reciprocal_rank
from refdesk.evaluation.retrieval import ModeResult, Ranking, evaluate_retrieval, write_run
from refdesk.evaluation.test_sets import JudgedQuery, Passage, RetrievalSet, load_retrieval_set

__all__ = [
    "JudgedQuery",
    "ModeResult",
    "Passage",
    "Ranking",
    "RetrievalSet",
    "TestSetEmpty",
    "TestSetUnreadable",
    "evaluate_retrieval",
    "hit",
    "load_retrieval_set",
    "ndcg",
    "percentile",
    "recall",
    "reciprocal_rank",
    "write_run",
]
