"""Evaluation: how good retrieval and answers are on judged test sets.

Owns measures, the reading of published test sets, temporary bases, and the test sets that people keep of
their own bases. Uses retrieval as everyone else does; must not rank anything itself.
"""

from refdesk.evaluation.cases import (
    Case,
    CaseResult,
    Expected,
    TestSetResult,
    Totals,
    judge,
    run_cases,
    totals_of,
)
from refdesk.evaluation.comparing import compare_test_set, judge_answer
from refdesk.evaluation.comparing import router as comparing_router
from refdesk.evaluation.errors import (
    QuestionFileInvalid,
    TestSetEmpty,
    TestSetFull,
    TestSetNameTaken,
    TestSetNotFound,
    TestSetUnreadable,
    TestSetWithoutBases,
)
from refdesk.evaluation.gates import router as calibration_router
from refdesk.evaluation.index_comparison import compare_indexes, compared
from refdesk.evaluation.index_comparison import router as comparison_router
from refdesk.evaluation.metrics import hit, ndcg, percentile, recall, reciprocal_rank
from refdesk.evaluation.retrieval import ModeResult, Ranking, evaluate_retrieval, write_run
from refdesk.evaluation.routes import router
from refdesk.evaluation.running import run_test_set
from refdesk.evaluation.service import TestSets
from refdesk.evaluation.test_sets import JudgedQuery, Passage, RetrievalSet, load_retrieval_set

__all__ = [
    "Case",
    "CaseResult",
    "Expected",
    "JudgedQuery",
    "ModeResult",
    "Passage",
    "QuestionFileInvalid",
    "Ranking",
    "RetrievalSet",
    "TestSetEmpty",
    "TestSetFull",
    "TestSetNameTaken",
    "TestSetNotFound",
    "TestSetResult",
    "TestSetUnreadable",
    "TestSetWithoutBases",
    "TestSets",
    "Totals",
    "calibration_router",
    "compare_indexes",
    "compare_test_set",
    "compared",
    "comparing_router",
    "comparison_router",
    "evaluate_retrieval",
    "hit",
    "judge",
    "judge_answer",
    "load_retrieval_set",
    "ndcg",
    "percentile",
    "recall",
    "reciprocal_rank",
    "router",
    "run_cases",
    "run_test_set",
    "totals_of",
    "write_run",
]
