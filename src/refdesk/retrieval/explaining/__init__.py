"""Why a search did not bring a document: computed over its entries, in the search's own snapshot.

Owns the reasons and the exact scores and ranks behind them. Must not rank otherwise than the search does: it
looks into one (`Inside`) and never repeats its arithmetic.
"""

from refdesk.retrieval.explaining.explainer import Explainer
from refdesk.retrieval.explaining.schemas import ExplainRequest, ExplanationView
from refdesk.retrieval.explaining.values import Explanation, Reason

__all__ = ["ExplainRequest", "Explainer", "Explanation", "ExplanationView", "Reason"]
