"""From ranked hits to the ones that are returned: the gate, the drop, diversity, the number asked for.

Pure functions. What is left out is named with its reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from refdesk.gateway import STEP
from refdesk.retrieval.search import DropReason, GateDecision, Hit, SearchRequest

_REPEATS = 0.9
"""Share of terms from which two hits are one text twice."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """`decision` is why nothing passed the gates; None where something did, chosen or not."""

    hits: list[Hit]
    dropped: list[tuple[Hit, DropReason]]
    decision: GateDecision | None

    @property
    def found(self) -> bool:
        return self.decision is None


@dataclass(frozen=True, slots=True)
class _Gates:
    """The gates of one search: `least` of the reranker where it has scored, `best` of all candidates."""

    request: SearchRequest
    least: float | None
    best: float

    def is_near(self, hit: Hit) -> bool:
        return hit.similarity >= self.request.similarity

    def is_ranked(self, hit: Hit) -> bool:
        return self.least is None or (hit.rerank_score is not None and hit.rerank_score >= self.least)

    def is_beside_the_best(self, hit: Hit) -> bool:
        return self.request.drop is None or hit.similarity > self.best - width(self.request.drop, hit.step)

    def decision(self, hits: Sequence[Hit], candidates: int) -> GateDecision | None:
        near = [hit for hit in hits if self.is_near(hit)]
        if not near:
            return GateDecision("absolute", self.best, self.request.similarity, candidates)
        ranked = [hit for hit in near if self.is_ranked(hit)]
        if not ranked:
            scores = [hit.rerank_score for hit in near if hit.rerank_score is not None]
            least = self.least or 0.0
            return GateDecision("rerank", max(scores, default=least), least, len(near))
        if any(self.is_beside_the_best(hit) for hit in ranked):
            return None
        nearest = max(ranked, key=lambda hit: hit.similarity)
        needed = self.best - width(self.request.drop or 0.0, nearest.step)
        return GateDecision("relative", nearest.similarity, needed, len(ranked))


def choose(hits: Sequence[Hit], request: SearchRequest, *, candidates: int | None = None) -> Chosen:
    """The hits to return, best first, and the others with the reason each was left out.

    `candidates` counts all paragraphs that the legs proposed, of which `hits` holds the nearest.
    """
    best = max((hit.similarity for hit in hits), default=0.0)
    gates = _Gates(request, _least_rerank_score(hits, request), best)
    dropped: list[tuple[Hit, DropReason]] = []
    kept: list[Hit] = []
    for hit in hits:
        if request.apply_gate and not gates.is_near(hit):
            dropped.append((hit, "below_threshold"))
        elif request.apply_gate and not gates.is_ranked(hit):
            dropped.append((hit, "below_rerank_score"))
        elif not gates.is_beside_the_best(hit):
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
    return Chosen(chosen, dropped, gates.decision(hits, len(hits) if candidates is None else candidates))


def width(drop: float, step: float) -> float:
    """How far below the best `drop` is where `step` counts as 0.15."""
    return drop if step == STEP else drop * step / STEP


def _least_rerank_score(hits: Sequence[Hit], request: SearchRequest) -> float | None:
    """The gate of the reranker; none where it failed: an order without it has no such scores."""
    if request.rerank is None or all(hit.rerank_score is None for hit in hits):
        return None
    return request.rerank.min_score


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
