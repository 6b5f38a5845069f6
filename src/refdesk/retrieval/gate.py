"""What counts as found: calibrated similarity against one threshold, never fused scores.

The embedder brings its own calibration; words are calibrated here, to the same scale: 0.45 is the balance
point of found and not found.
"""

import numpy as np
from numpy.typing import NDArray

# Share of the query's rarity that an entry holds → calibrated similarity. An exact code holds nearly all of
# its query; a match of polite words holds a few per cent; natural questions lie between.
_KNOTS = (
    (0.0, 0.0),
    (0.35, 0.20),
    (0.65, 0.45),
    (0.85, 0.70),
    (1.0, 0.95),
)


def calibrate_share(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Calibrated similarity 0–1 of shares 0–1, same shape."""
    x, y = zip(*_KNOTS, strict=True)
    return np.interp(shares, x, y)
