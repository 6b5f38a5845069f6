"""From ranked hits to the ones that are returned: the gate, the drop, diversity, the number asked for.

Pure functions. What is left out is named with its reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from refdesk.retrieval.search import DropReason, Hit, SearchRequest

_REPEATS = 0.9
"""Share of terms from which two hits are one text twice."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """`found` tells whether any hit passed the gate, chosen or not."""

    hits: list[Hit]
    dropped: list[tuple[Hit, DropReason]]
    found: bool


def choose(hits: Sequence[Hit], request: SearchRequest) -> Chosen:
    """The hits to return, best first, and the others with the reason each was left out."""
    best = max((hit.similarity for hit in hits), default=0.0)
    least = _least_rerank_score(hits, request)
    dropped: list[tuple[Hit, DropReason]] = []
    kept: list[Hit] = []
    for hit in hits:
        if request.apply_gate and hit.similarity < request.similarity:
            dropped.append((hit, "below_threshold"))
        elif request.apply_gate and _below_rerank(hit, least):
            dropped.append((hit, "below_rerank_score"))
        elif request.drop is not None and hit.similarity <= best - request.drop:
            dropped.append((hit, "far_below_best"))
        else:
            kept.append(hit)
    ordered = diverse(kept, request.diversity, request.top_n)
    chosen = ordered[: request.top_n]
    for hit in ordered[request.top_n :]:
        repeats = request.diversity > 0 and any(overlap(hit, other) >= _REPEATS for other in chosen)
        dropped.append((hit, "repeats_another" if repeats else _beyond(hit, request)))
    order = {hit.paragraph_id: place for place, hit in enumerate(hits)}
    dropped.sort(key=lambda pair: order[pair[0].paragraph_id])
    found = any(hit.similarity >= request.similarity and not _below_rerank(hit, least) for hit in hits)
    return Chosen(chosen, dropped, found)


def _least_rerank_score(hits: Sequence[Hit], request: SearchRequest) -> float | None:
    """The gate of the reranker; none where it failed: an order without it has no such scores."""
    if request.rerank is None or all(hit.rerank_score is None for hit in hits):
        return None
    return request.rerank.min_score


def _below_rerank(hit: Hit, least: float | None) -> bool:
    return least is not None and (hit.rerank_score is None or hit.rerank_score < least)


def _beyond(hit: Hit, request: SearchRequest) -> DropReason:
    return "beyond_top_n" if hit.similarity >= request.similarity else "below_threshold"


def overlap(one: Hit, other: Hit) -> float:
    """How much of their terms two hits share, 0–1 (Jaccard)."""
    union = len(one.terms | other.terms)
    return len(one.terms & other.terms) / union if union else 0.0


def diverse(hits: Sequence[Hit], weight: float, wanted: int) -> list[Hit]:
    """Maximal marginal relevance: each next hit is the best after what it repeats of those before it is taken
    off. Only the first `wanted` are chosen so; the others follow in their order."""
    if weight <= 0 or len(hits) < 2:
        return list(hits)
    left, taken = list(hits), list[Hit]()
    repeated = [0.0] * len(left)
    while left and len(taken) < wanted:
        at = max(range(len(left)), key=lambda i: (1 - weight) * left[i].score - weight * repeated[i])
        hit = left.pop(at)
        repeated.pop(at)
        taken.append(hit)
        repeated = [max(value, overlap(hit, other)) for value, other in zip(repeated, left, strict=True)]
    return taken + left


def newer_first(hits: Sequence[Hit], weight: float) -> list[Hit]:
    """Hits ordered by score and freshness; the scores are of both.

    Freshness is the rank of a hit's date among the dates that occur, newest 1 and oldest 0: a single old
    document does not make all others equally new.
    """
    dates = sorted({hit.dated for hit in hits if hit.dated is not None})
    if weight <= 0 or len(dates) < 2:
        return list(hits)
    freshness = {day: place / (len(dates) - 1) for place, day in enumerate(dates)}

    def both(hit: Hit) -> float:
        return (1 - weight) * hit.score + weight * (freshness[hit.dated] if hit.dated is not None else 0.0)

    return sorted((replace(hit, score=both(hit)) for hit in hits), key=lambda hit: -hit.score)


def date_of(said: str | None) -> date | None:
    """The day in a metadata value (`2024-03-01`, `2024-03`, `2024`), or None if there is none."""
    parts = (said or "").strip()[:10].replace("/", "-").split("-")
    try:
        numbers = [int(part) for part in parts if part]
        return date(*[*numbers, 1, 1][:3]) if 0 < len(numbers) <= 3 else None
    except ValueError:
        return None
