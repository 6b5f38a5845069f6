"""What counts as found: calibrated similarity against one threshold, never fused scores.

The embedder brings its own calibration; words are calibrated here, to the same scale: 0.45 is the balance
point of found and not found.
"""

import numpy as np

# Share of the query's rarity that an entry holds → calibrated similarity. Fitted on four judged sets with the
# answering passages and without them: 0.70 is where finding what is there and not finding what is not balance
# (a hard test, since what is left is on the same topic: 69 % against 49 %).
_KNOTS = (
    (0.0, 0.0),
    (0.3, 0.10),
    (0.5, 0.25),
    (0.7, 0.45),
    (0.85, 0.65),
    (1.0, 0.95),
)
_AGREEMENT = 0.5
"""How much the weaker leg adds to the stronger. Over five judged sets, threshold 0.45, with 0 / 0.5 / 1:
found what is there 83 / 91 / 96 %; refused what is missing from a base on the same subject 71 / 58 / 42 %
(three sets), a question on another subject 99 / 98 / 95 %."""

_IDENTIFIER_FLOOR = 0.6
"""A rare code that stands in both is a hit, however much else the question says."""


def combine(dense: float, lexical: float) -> float:
    """Similarity 0–1 of an entry from both legs' calibrated scores; never below the greater of them.

    Two weak signs that agree are worth more than one: a part of the weaker closes a part of the gap that the
    stronger leaves to 1 (a noisy-or of which the weaker side counts half).
    """
    strong, weak = max(dense, lexical), min(dense, lexical)
    return strong + _AGREEMENT * weak * (1.0 - strong)


def calibrate_words(share: float, *, holds_identifier: bool) -> float:
    """Calibrated similarity 0–1 of an entry that holds `share` of the query's rarity."""
    x, y = zip(*_KNOTS, strict=True)
    return max(float(np.interp(share, x, y)), _IDENTIFIER_FLOOR if holds_identifier else 0.0)
