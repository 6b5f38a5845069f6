"""Comparisons: one test set asked of several modes and settings, and what each answer was and cost.

Owns which variants there are, the job that asks, and the judging of answers. Asks the way people ask, with
the runs of `chat`, and must not answer anything itself.
"""

from refdesk.evaluation.comparing.jobs import COMPARE, compare_test_set
from refdesk.evaluation.comparing.judging import Judged, judge_answer
from refdesk.evaluation.comparing.routes import router

__all__ = ["COMPARE", "Judged", "compare_test_set", "judge_answer", "router"]
