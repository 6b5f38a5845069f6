"""The calibration the embedded model ships with.

Owns seven numbers, fitted with `refdesk.gateway.calibration.fit` on the built-in pairs
(`benchmarks/embedding.py --fit` prints them anew); a unit test fits them again and compares. They must
change whenever the model, its conversion or the pairs do.
"""

from typing import Final

from refdesk.gateway.calibration import Calibration

CALIBRATION: Final = Calibration(
    (
        (-1.0, 0.0),
        (0.6962, 0.1),
        (0.8698, 0.3),
        (0.891, 0.45),
        (0.9122, 0.6),
        (0.94403, 0.9),
        (1.0, 1.0),
    )
)
"""This model's cosines are squeezed: unrelated texts have 0.68–0.83, answers 0.79–0.94."""
