"""Gates fitted for a model on questions of one's own: where found begins, how far below the best is too far.

Owns their values and their stored form; `evaluation` fits them. The scale that people see stays (see
`calibration`): 0.45 parts found from not found and 0.15 is a step, whatever was fitted. What changes is which
similarity is shown as 0.45, so one threshold goes on serving bases of several embedders (decision 13). Must
not know how a similarity comes about.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np

from refdesk.gateway.calibration import FOUND, NEAR_DUPLICATE, STEP

_LEAST_BALANCE, _MOST_BALANCE = 0.05, 0.85
_LEAST_DROP, _MOST_DROP = 0.03, 0.6


@dataclass(frozen=True, slots=True)
class Scale:
    """From combined similarity to what is shown; the default changes nothing.

    `balance` is the similarity shown as 0.45; 0, 0.9 (a near-duplicate) and 1 stay what they are and between
    these the map is linear. `drop` is the distance, as shown, that counts as a step of 0.15.
    """

    balance: float = FOUND
    drop: float = STEP

    def __post_init__(self) -> None:
        if not _LEAST_BALANCE <= self.balance <= _MOST_BALANCE or not _LEAST_DROP <= self.drop <= _MOST_DROP:
            raise ValueError("a fitted gate lies outside of what a scale can take")

    @classmethod
    def within(cls, balance: float, drop: float) -> Self:
        """The scale with these values, or the nearest to them that a scale can have."""
        return cls(min(max(balance, _LEAST_BALANCE), _MOST_BALANCE), min(max(drop, _LEAST_DROP), _MOST_DROP))

    def show(self, similarity: float) -> float:
        """The shown similarity, 0–1; rises strictly with `similarity`."""
        if self.balance == FOUND:
            return similarity
        return float(np.interp(similarity, *self._axes()))

    def undo(self, shown: float) -> float:
        """The similarity that is shown as `shown`."""
        if self.balance == FOUND:
            return shown
        x, y = self._axes()
        return float(np.interp(shown, y, x))

    def to_json(self) -> dict[str, float]:
        return {"balance": round(self.balance, 4), "drop": round(self.drop, 4)}

    def _axes(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (0.0, self.balance, NEAR_DUPLICATE, 1.0), (0.0, FOUND, NEAR_DUPLICATE, 1.0)


@dataclass(frozen=True, slots=True)
class Gates:
    """What was fitted for an embedding model: a scale for searches by `meaning` alone and one for `both`.

    Searches by words alone use no embedder and have no gates of one.
    """

    meaning: Scale = field(default_factory=Scale)
    both: Scale = field(default_factory=Scale)

    def scale(self, *, with_words: bool) -> Scale:
        return self.both if with_words else self.meaning

    def to_json(self) -> dict[str, Any]:
        return {"kind": "embedder", "meaning": self.meaning.to_json(), "both": self.both.to_json()}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> Self:
        """Reads the stored form; nothing stored is the default. Raises `ValueError` for bad values."""
        if stored is None:
            return cls()
        try:
            meaning, both = (
                Scale(float(stored[name]["balance"]), float(stored[name]["drop"]))
                for name in ("meaning", "both")
            )
        except (KeyError, TypeError) as error:
            raise ValueError("malformed gates") from error
        return cls(meaning, both)


DEFAULT_GATES: Final = Gates()


def least_score_of(stored: Mapping[str, Any] | None) -> float | None:
    """The least score fitted for a reranker, on its own scale; None where nothing was."""
    if stored is None:
        return None
    try:
        return float(stored["least_score"])
    except (KeyError, TypeError) as error:
        raise ValueError("malformed gates") from error
