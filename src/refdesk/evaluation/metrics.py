"""Measures of a ranking against judged relevance, as trec_eval defines them. Pure functions.

A ranking is ids, best first, each once; `relevance` gives the ids that are relevant, with a grade above 0.
"""

import math
from collections.abc import Mapping, Sequence


def ndcg(ranking: Sequence[str], relevance: Mapping[str, float], depth: int = 10) -> float:
    """Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002), linear gain as in trec_eval."""
    gain = sum(relevance.get(key, 0.0) / math.log2(rank + 1) for rank, key in enumerate(ranking[:depth], 1))
    ideal = sorted(relevance.values(), reverse=True)[:depth]
    best = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(ideal, 1))
    return gain / best if best else 0.0


def recall(ranking: Sequence[str], relevance: Mapping[str, float], depth: int = 100) -> float:
    """Share of the relevant ids among the first `depth`."""
    return len(relevance.keys() & set(ranking[:depth])) / len(relevance) if relevance else 0.0


def hit(ranking: Sequence[str], relevance: Mapping[str, float], depth: int = 5) -> float:
    """1 if any of the first `depth` is relevant, else 0."""
    return float(any(key in relevance for key in ranking[:depth]))


def reciprocal_rank(ranking: Sequence[str], relevance: Mapping[str, float], depth: int = 10) -> float:
    """1 / rank of the first relevant id among the first `depth`, else 0."""
    return next((1 / rank for rank, key in enumerate(ranking[:depth], 1) if key in relevance), 0.0)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0
