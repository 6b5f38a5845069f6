"""BM25F (Robertson and Zaragoza 2009) split in two: a document's half is stored, a query's half is asked.

The stored half saturates the term's occurrence in two fields, the text and the chain of titles above it; the
query's half is the term's rarity. Their inner product is the score. Nothing here does I/O.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from refdesk.knowledge.indexing.terms import term_of

K1 = 1.2
B = 0.75

TITLE_WEIGHT = 1.0
"""What a term in the titles adds, once, whatever the length of the text.

All paragraphs of a document share its titles. Counted as part of the text they made its shortest paragraphs
("Contents", "Read more") the best match of every question about it.
"""

LEAST_LENGTH = 0.5
"""Share of the average length below which a text gains nothing from being short."""


def count_terms(tokens: Sequence[str]) -> dict[int, int]:
    """How often each term occurs, in rising order of terms."""
    return dict(sorted(Counter(term_of(token) for token in tokens).items()))


def _norm(length: float, average_length: float) -> float:
    return 1 - B + B * max(length / average_length, LEAST_LENGTH)


def weights(
    counts: NDArray[np.float64], in_title: NDArray[np.bool_], length: int, average_length: float
) -> NDArray[np.float64]:
    """Stored weights of one entry's terms, shape of `counts` and `in_title`; `average_length` is above 0.

    `counts` and `length` are those of the text alone; a term that only the titles hold has the count 0.
    """
    occurrence = counts / _norm(length, average_length) + TITLE_WEIGHT * in_title
    return occurrence * (K1 + 1) / (occurrence + K1)


def counts_of(
    weights_: NDArray[np.float64], in_title: NDArray[np.bool_], length: int, average_length: float
) -> NDArray[np.float64]:
    """The counts that gave these weights: lets an entry be weighted anew without its text."""
    occurrence = weights_ * K1 / (K1 + 1 - weights_)
    return np.rint((occurrence - TITLE_WEIGHT * in_title) * _norm(length, average_length))


def idf(entries: float, frequency: float) -> float:
    """Rarity of a term that `frequency` of `entries` hold; never negative (Lucene's form)."""
    return math.log1p((entries - frequency + 0.5) / (frequency + 0.5))
