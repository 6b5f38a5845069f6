"""Similarity on one scale: maps raw cosines to 0–1, so that a threshold means the same everywhere.

Raw cosines cannot be compared between embedders (multilingual-e5 lives in 0.7–0.95, others in 0.2–0.8).
Owns the map, its stored form and the way it is fitted. Must not know where scores are used.

The scale: **0.45** is the balance point of found and not found, **0.9** is a near-duplicate, and a step
of **0.15** is how far a typical answer stands above a good passage that does not answer.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self, TypedDict

import numpy as np
import numpy.typing as npt

type Scores = npt.NDArray[np.float32] | npt.NDArray[np.float64]

FOUND: Final = 0.45
NEAR_DUPLICATE: Final = 0.9
STEP: Final = 0.15

_FAR = 0.1
_WRONG_PASSAGES = 3
_SMALLEST_GAP = 1e-4
_LEAST_BALANCED_ACCURACY = 0.55


class StoredCalibration(TypedDict):
    """The JSON form."""

    kind: str
    knots: list[list[float]]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A strictly increasing piecewise-linear map from raw cosine to calibrated similarity.

    `knots` are (cosine, similarity) in rising order; outside of them the map is constant. Raises
    `ValueError` when they do not rise or leave 0–1.
    """

    knots: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        table = np.array(self.knots, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2 or not np.isfinite(table).all():
            raise ValueError("a calibration needs at least two knots of finite (cosine, similarity)")
        if (np.diff(table, axis=0) <= 0).any():
            raise ValueError("the knots of a calibration must rise")
        if table[0, 1] < 0 or table[-1, 1] > 1:
            raise ValueError("calibrated similarity lies within 0 and 1")

    def calibrate(self, scores: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Calibrated similarity of raw cosines, same shape, float32 within 0–1."""
        return np.interp(np.asarray(scores, dtype=np.float64), *self._axes()).astype(np.float32)

    def invert(self, similarities: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Raw cosines of calibrated similarities: the inverse of `calibrate` between the end knots."""
        x, y = self._axes()
        return np.interp(np.asarray(similarities, dtype=np.float64), y, x).astype(np.float32)

    def to_json(self) -> StoredCalibration:
        """The form that is stored: `{"kind": "piecewise", "knots": [[x, y], …]}`."""
        return {"kind": "piecewise", "knots": [[x, y] for x, y in self.knots]}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Reads the stored form. Raises `ValueError` for another kind or bad knots."""
        if stored.get("kind") != "piecewise":
            raise ValueError(f"unknown kind of calibration: {stored.get('kind')!r}")
        try:
            return cls(tuple((float(x), float(y)) for x, y in stored["knots"]))
        except (KeyError, TypeError) as error:
            raise ValueError("malformed calibration") from error

    def _axes(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        table = np.array(self.knots, dtype=np.float64)
        return table[:, 0], table[:, 1]


def fit(positive: Scores, negative: Scores, *, duplicate: Scores | None = None) -> Calibration:
    """The calibration of an embedder from raw cosines of labelled pairs.

    `positive` are pairs of a question and a passage that answers it, `negative` pairs where it does not
    (related ones above all), `duplicate` pairs of two wordings of one sentence. Raises `ValueError` when
    there are fewer than ten of either, a score is not finite, or the two cannot be told apart.
    """
    positive, negative = _checked(positive), _checked(negative)
    threshold, accuracy = balance_point(positive, negative)
    if accuracy < _LEAST_BALANCED_ACCURACY or np.median(positive) <= np.median(negative):
        raise ValueError("matching and other passages have the same scores")
    near = float(np.quantile(positive, 0.95))
    if duplicate is not None:
        near = max(near, float(np.quantile(_checked(duplicate), 0.75)))
    near = max(near, threshold + 4 * _SMALLEST_GAP)
    # One step: how far a typical answer stands above a good passage that does not answer.
    step = max(float(np.median(positive) - np.quantile(negative, 0.75)), _SMALLEST_GAP)
    above = threshold + min(step, (near - threshold) / 2)
    below = threshold - step
    far = min(float(np.quantile(negative, 0.05)), below - _SMALLEST_GAP)
    x = [min(-1.0, far - _SMALLEST_GAP), far, below, threshold, above, near, max(1.0, near + _SMALLEST_GAP)]
    y = [0.0, _FAR, FOUND - STEP, FOUND, FOUND + STEP, NEAR_DUPLICATE, 1.0]
    return Calibration(tuple((round(a, 5), round(b, 5)) for a, b in zip(x, y, strict=True)))


def balance_point(positive: Scores, negative: Scores) -> tuple[float, float]:
    """The cosine that best parts found from not found, and the balanced accuracy there.

    What is judged is the best passage of a search: when the answer is missing, that is the best of
    several wrong ones. With F the share of negatives below t and T the share of positives above, and k
    wrong passages a search, a missing answer is recognised with F^k, a present one is missed with
    (1 − T)·F^k; the balanced accuracy is (1 + T·F^k) / 2. Both shares are smoothed with a normal kernel
    (Silverman's width), because the maximum of the raw steps jumps about with a few hundred pairs.
    """
    grid = np.linspace(
        float(min(positive.min(), negative.min())), float(max(positive.max(), negative.max())), 512
    )
    missed, rejected = _smoothed_share_below(positive, grid), _smoothed_share_below(negative, grid)
    accuracy = (1.0 + (1.0 - missed) * rejected**_WRONG_PASSAGES) / 2.0
    best = int(np.argmax(accuracy))
    return float(grid[best]), float(accuracy[best])


def default_pairs() -> list[tuple[str, str, bool]]:
    """Question, passage, whether it answers: Chinese, English and mixed, written for Refdesk.

    Two questions a subject, one on its main point and one on a detail; each with the answering passage
    alone and within its surroundings, with two related passages that do not answer, and with one on
    another subject.
    """
    subjects = _subjects()
    pairs: list[tuple[str, str, bool]] = []
    for at, subject in enumerate(subjects):
        other = subjects[(at + 7) % len(subjects)]
        match, context, related = subject["match"], subject["context"], subject["related"]
        whole = _joined(match, context) if at % 2 else _joined(context, match)
        for question in (subject["question"], subject["detail"]):
            pairs += [(question, match, True), (question, whole, True)]
            pairs += [
                (question, passage, False) for passage in (related, _joined(related, context), other["match"])
            ]
    return pairs


def duplicate_pairs() -> list[tuple[str, str]]:
    """Two wordings of the same question."""
    return [(subject["question"], subject["same"]) for subject in _subjects()]


@lru_cache(maxsize=1)
def _subjects() -> list[dict[str, str]]:
    return json.loads(Path(__file__).with_name("builtin_pairs.json").read_text(encoding="utf-8"))


def _joined(first: str, second: str) -> str:
    return first + ("" if first[-1] in "。！？" else " ") + second


def _checked(scores: Scores | Sequence[float]) -> npt.NDArray[np.float64]:
    values = np.asarray(scores, dtype=np.float64).ravel()
    if values.size < 10 or not np.isfinite(values).all():
        raise ValueError("a calibration needs at least ten finite scores of each kind")
    return values


def _smoothed_share_below(scores: Scores, grid: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    width = max(1.06 * float(np.std(scores)) * scores.size**-0.2, 1e-6)
    # The logistic curve stands in for the normal one (largest error 0.01): numpy has no erf.
    distance = (grid[:, None] - scores[None, :]) / (width * 0.5513)
    return (1.0 / (1.0 + np.exp(-np.clip(distance, -40.0, 40.0)))).mean(axis=1)
