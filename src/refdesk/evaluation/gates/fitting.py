"""Gates from looks: fitted on one half of the questions, judged on the other. Pure functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from refdesk.evaluation.gates.looks import Look, Seen, Unanswerable
from refdesk.evaluation.gates.splitting import LEAST_SCORES, auroc, balanced_accuracy, interval, split
from refdesk.gateway import FOUND, GateFit, Gates, Scale

GateKind = Literal["both", "meaning"]
GateName = Literal["both", "meaning", "drop_both", "drop_meaning", "rerank"]
_DROPS: dict[GateKind, GateName] = {"both": "drop_both", "meaning": "drop_meaning"}

GAPS_A_QUESTION: Final = 10
"""Hits a question whose distance to the best is looked at."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of the two kinds, for one half: where something answers and where nothing does."""

    upper: list[float] = field(default_factory=list[float])
    lower: list[float] = field(default_factory=list[float])

    @property
    def counts(self) -> tuple[int, int]:
        return len(self.upper), len(self.lower)

    @property
    def suffices(self) -> bool:
        return min(self.counts) >= LEAST_SCORES


@dataclass(frozen=True, slots=True)
class Fitted:
    """Gates with the better of before and after in each place, and how each was fitted and judged."""

    gates: Gates
    fits: tuple[GateFit, ...]


def scores_of(
    looks: Sequence[Look], value: Callable[[Seen], float | None], unanswerable: Unanswerable
) -> Scores:
    """The best value of each search: with its answer, and of questions without one or with it left out."""
    scores = Scores()
    for look in looks:
        if look.has_answer:
            scores.upper.append(_best(look.seen, value))
        if unanswerable == "left-out" and look.has_answer:
            scores.lower.append(_best([one for one in look.seen if not one.relevant], value))
        elif unanswerable == "named" and not look.has_answer:
            scores.lower.append(_best(look.seen, value))
    return scores


def halves(looks: Sequence[Look]) -> tuple[list[Look], list[Look]]:
    """The questions to fit on and those to judge by."""
    return [look for look in looks if not look.judges], [look for look in looks if look.judges]


def fit_embedder(looks: Sequence[Look], unanswerable: Unanswerable, before: Gates) -> Fitted:
    """Both scales of an embedder. A gate that is worse than before where it is judged stays as it was.

    Raises `ValueError` with fewer than `LEAST_SCORES` questions of a kind in a half.
    """
    fits: list[GateFit] = []
    scales: dict[GateKind, Scale] = {}
    wanted: tuple[tuple[GateKind, Callable[[Seen], float], Scale], ...] = (
        ("both", _both, before.both),
        ("meaning", _meaning, before.meaning),
    )
    for name, value, old in wanted:
        fitting, judging = (scores_of(half, value, unanswerable) for half in halves(looks))
        threshold = split(fitting.upper, fitting.lower)
        low, high = interval(fitting.upper, fitting.lower)
        balance = Scale.within(threshold, old.drop).balance
        fit = _judged(name, old.balance, balance, (low, high), fitting, judging, judging)
        scale = Scale(balance if fit.is_better else old.balance, old.drop)
        fits.append(fit)
        drop = _fit_drop(name, looks, value, old, scale)
        if drop is not None:
            fits.append(drop)
            scale = Scale(scale.balance, drop.after if drop.is_better else old.drop)
        scales[name] = scale
    return Fitted(Gates(meaning=scales["meaning"], both=scales["both"]), tuple(fits))


def fit_reranker(looks: Sequence[Look], unanswerable: Unanswerable, before: float | None) -> GateFit:
    """The least score of a reranker. Raises `ValueError` as `fit_embedder` does."""
    fitting, judging = (_finite(scores_of(half, _rerank, unanswerable)) for half in halves(looks))
    threshold = split(fitting.upper, fitting.lower)
    return _judged(
        "rerank", before, threshold, interval(fitting.upper, fitting.lower), fitting, judging, judging
    )


def _both(seen: Seen) -> float:
    return seen.both


def _meaning(seen: Seen) -> float:
    return seen.meaning


def _rerank(seen: Seen) -> float | None:
    return seen.rerank


def _best(seen: Sequence[Seen], value: Callable[[Seen], float | None]) -> float:
    """The greatest value; -inf for a reranker that had nothing to score, 0 for a search without hits."""
    values = [found for one in seen if (found := value(one)) is not None]
    return max(values, default=0.0 if value is not _rerank else -np.inf)


def _finite(scores: Scores) -> Scores:
    return Scores(*([one for one in kind if np.isfinite(one)] for kind in (scores.upper, scores.lower)))


def _fit_drop(
    name: GateKind, looks: Sequence[Look], value: Callable[[Seen], float], old: Scale, new: Scale
) -> GateFit | None:
    """The distance below the best that parts hits that answer from others; None where there are too few.

    Only hits that pass the gate of similarity count: the others are left out for that. The best itself does
    not: it is never dropped, and where one passage a question is labelled it would make the best drop none.
    """
    fitting, judging = (_nearness(half, value, new) for half in halves(looks))
    judged_before = _nearness(halves(looks)[1], value, old)
    if not (fitting.suffices and judging.suffices and judged_before.suffices):
        return None
    drop = Scale.within(FOUND, -split(fitting.upper, fitting.lower)).drop
    low, high = interval(fitting.upper, fitting.lower)
    fit = _judged(_DROPS[name], -old.drop, -drop, (low, high), fitting, judging, judged_before)
    return fit.model_copy(
        update={"before": old.drop, "after": round(drop, 4), "low": round(-high, 4), "high": round(-low, 4)}
    )


def _nearness(looks: Sequence[Look], value: Callable[[Seen], float], scale: Scale) -> Scores:
    """Distances to the best, as shown and negative, of hits that answer and of others."""
    scores = Scores()
    for look in looks:
        shown = [(scale.show(value(one)), one.relevant) for one in look.seen]
        passing = sorted((one for one in shown if one[0] >= FOUND), reverse=True)[:GAPS_A_QUESTION]
        if not look.has_answer or not passing:
            continue
        best = passing[0][0]
        for similarity, relevant in passing[1:]:
            (scores.upper if relevant else scores.lower).append(similarity - best)
    return scores


def _judged(
    gate: GateName,
    before: float | None,
    after: float,
    between: tuple[float, float],
    fitting: Scores,
    judging: Scores,
    judging_before: Scores,
) -> GateFit:
    if not judging.suffices:
        raise ValueError(f"a gate is judged on at least {LEAST_SCORES} scores of each kind")
    old = float("-inf") if before is None else before
    balanced_before = balanced_accuracy(judging_before.upper, judging_before.lower, old)
    balanced_after = balanced_accuracy(judging.upper, judging.lower, after)
    return GateFit(
        gate=gate,
        before=before,
        after=round(after, 4),
        low=round(between[0], 4),
        high=round(between[1], 4),
        auroc=round(auroc(judging.upper, judging.lower), 4),
        balanced_before=round(balanced_before, 4),
        balanced_after=round(balanced_after, 4),
        kept_before=round(float(np.mean(np.array(judging_before.upper) >= old)), 4),
        kept_after=round(float(np.mean(np.array(judging.upper) >= after)), 4),
        turned_down_before=round(float(np.mean(np.array(judging_before.lower) < old)), 4),
        turned_down_after=round(float(np.mean(np.array(judging.lower) < after)), 4),
        fitted=fitting.counts,
        judged=judging.counts,
        is_better=balanced_after >= balanced_before,
    )
