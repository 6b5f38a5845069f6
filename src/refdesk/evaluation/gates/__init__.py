"""Gates of models fitted on test sets: where found begins, how far below the best is too far.

Owns the fit, what it is fitted on and how it is judged; the gateway keeps what came of it with the model.
"""

from refdesk.evaluation.gates.fitting import Fitted, fit_embedder, fit_reranker, scores_of
from refdesk.evaluation.gates.looks import Look, Question, Seen, look_up
from refdesk.evaluation.gates.routes import router
from refdesk.evaluation.gates.schemas import CalibrationProgress, CalibrationRequest, CalibrationResult
from refdesk.evaluation.gates.service import Plan, calibrate, plan_of

__all__ = [
    "CalibrationProgress",
    "CalibrationRequest",
    "CalibrationResult",
    "Fitted",
    "Look",
    "Plan",
    "Question",
    "Seen",
    "calibrate",
    "fit_embedder",
    "fit_reranker",
    "look_up",
    "plan_of",
    "router",
    "scores_of",
]
