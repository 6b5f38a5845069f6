"""Parting two kinds of scores by a threshold, and how well that goes. Pure functions of arrays."""

from typing import Final

import numpy as np
import numpy.typing as npt

type Scores = npt.NDArray[np.float64]

LEAST_SCORES: Final = 10
"""Scores of each kind below which nothing is fitted, nor judged."""

_ALIKE = 1e-9
"""Scores that differ by less are one."""


def split(upper: npt.ArrayLike, lower: npt.ArrayLike, *, points: int = 512) -> float:
    """The threshold of the best balanced accuracy: the mean share of each kind on its side.

    What reaches it counts as of the upper kind. Both shares are smoothed, because the best of the raw
    steps of a few dozen scores jumps about. Raises `ValueError` with fewer than `LEAST_SCORES` of a kind.
    """
    above, below = _checked(upper), _checked(lower)
    ends = np.concatenate((above, below))
    grid = np.linspace(float(ends.min()), float(ends.max()), points)
    if grid[-1] - grid[0] < _ALIKE:
        return float(grid[0])
    return float(grid[int(np.argmax(_share_below(below, grid) - _share_below(above, grid)))])


def balanced_accuracy(upper: npt.ArrayLike, lower: npt.ArrayLike, threshold: float) -> float:
    """Mean of the share of `upper` at or above the threshold and of `lower` below it."""
    above, below = np.asarray(upper, dtype=np.float64), np.asarray(lower, dtype=np.float64)
    return float((np.mean(above >= threshold) + np.mean(below < threshold)) / 2)


def auroc(upper: npt.ArrayLike, lower: npt.ArrayLike) -> float:
    """Probability that a score of the upper kind is above one of the lower; equal ones count half."""
    above, below = np.asarray(upper, dtype=np.float64), np.sort(np.asarray(lower, dtype=np.float64))
    less = np.searchsorted(below, above, side="left")
    not_more = np.searchsorted(below, above, side="right")
    return float(np.mean((less + not_more) / 2) / below.size)


def interval(upper: npt.ArrayLike, lower: npt.ArrayLike, *, rounds: int = 100) -> tuple[float, float]:
    """Between which thresholds nine of ten fits lie when the same scores are drawn anew (bootstrap)."""
    above, below = _checked(upper), _checked(lower)
    dice = np.random.default_rng(0)  # the same scores give the same interval
    fits = [
        split(dice.choice(above, above.size), dice.choice(below, below.size), points=256)
        for _ in range(rounds)
    ]
    return float(np.quantile(fits, 0.05)), float(np.quantile(fits, 0.95))


def _share_below(scores: Scores, grid: Scores) -> Scores:
    """The share of scores below each value of an even grid, smoothed with a kernel of Silverman's width.

    The scores are put on the grid first, so that a bootstrap of thousands of them takes no longer.
    """
    step = float(grid[1] - grid[0])
    counts = np.bincount(np.rint((scores - grid[0]) / step).astype(int), minlength=grid.size)
    width = max(1.06 * float(np.std(scores)) * scores.size**-0.2, step)
    # The logistic curve stands in for the normal one (largest error 0.01): numpy has no erf.
    distance = (grid[:, None] - grid[None, :]) / (width * 0.5513)
    return (1.0 / (1.0 + np.exp(-np.clip(distance, -40.0, 40.0)))) @ counts / scores.size


def _checked(scores: npt.ArrayLike) -> Scores:
    values = np.asarray(scores, dtype=np.float64).ravel()
    if values.size < LEAST_SCORES or not np.isfinite(values).all():
        raise ValueError(f"a gate needs at least {LEAST_SCORES} finite scores of each kind")
    return values
