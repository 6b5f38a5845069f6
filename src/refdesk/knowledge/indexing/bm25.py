"""BM25 (Robertson and Zaragoza 2009) split in two: a document's half is stored, a query's half is asked.

The stored half saturates the term's count by the entry's length; the query's half is the term's rarity.
Their inner product is the score. Nothing here does I/O.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from refdesk.knowledge.indexing.terms import term_of

K1 = 1.2
B = 0.75


def count_terms(tokens: Sequence[str]) -> dict[int, int]:
    """How often each term occurs, in rising order of terms."""
    return dict(sorted(Counter(term_of(token) for token in tokens).items()))


def _penalty(lengths: NDArray[np.float64] | float, average_length: float) -> NDArray[np.float64] | float:
    return K1 * (1 - B + B * lengths / average_length)


def weights(counts: NDArray[np.float64], length: int, average_length: float) -> NDArray[np.float64]:
    """Stored weights of one entry's terms, shape of `counts`; `average_length` is above 0."""
    return counts * (K1 + 1) / (counts + _penalty(float(length), average_length))


def counts_of(weights_: NDArray[np.float64], length: int, average_length: float) -> NDArray[np.float64]:
    """The counts that gave these weights: lets an entry be weighted anew without its text."""
    return np.rint(weights_ * _penalty(float(length), average_length) / (K1 + 1 - weights_))


def idf(entries: float, frequency: float) -> float:
    """Rarity of a term that `frequency` of `entries` hold; never negative (Lucene's form)."""
    return math.log1p((entries - frequency + 0.5) / (frequency + 0.5))
