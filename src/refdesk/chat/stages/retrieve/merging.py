"""Several searches become one: channels of one question, then the questions of one run.

Two channels are fused by rank, the intent-directed one first, since their fused scores are on scales of their
own; where a reranker scored both, its scores decide. Some places belong to the global channel whatever the
intent says: an intent may be wrong.
"""

from collections.abc import Sequence
from dataclasses import replace

from refdesk.retrieval import Hit, SearchResult

# Reciprocal rank fusion (Cormack et al. 2009); the directed channel counts this much more.
RRF_K, DIRECTED_WEIGHT = 60, 1.5
# The share of the places that only the global channel can take, one at least.
RESERVED = 0.2


def merge_channels(directed: SearchResult, everywhere: SearchResult, top_n: int) -> SearchResult:
    """The directed channel's hits and those of all bases as one result of at most `top_n`."""
    if not directed.found:
        return everywhere
    if not everywhere.found:
        return directed
    weights: dict[object, float] = {}
    for weight, result in ((DIRECTED_WEIGHT, directed), (1.0, everywhere)):
        for rank, hit in enumerate(result.hits, 1):
            weights[hit.paragraph_id] = weights.get(hit.paragraph_id, 0.0) + weight / (RRF_K + rank)
    hits = list({hit.paragraph_id: hit for hit in (*everywhere.hits, *directed.hits)}.values())
    if directed.reranked and everywhere.reranked:
        hits.sort(key=lambda hit: -(hit.rerank_score if hit.rerank_score is not None else float("-inf")))
    else:
        hits.sort(key=lambda hit: -weights[hit.paragraph_id])
    within = {hit.paragraph_id for hit in directed.hits}
    kept = _with_reserved(hits, [hit for hit in hits if hit.paragraph_id not in within], top_n)
    left = [(hit, "beyond_top_n") for hit in hits if hit not in kept]
    return replace(
        _together([directed, everywhere]),
        hits=kept,
        dropped=[*left, *directed.dropped, *everywhere.dropped],
        reranked=directed.reranked and everywhere.reranked,
    )


def _with_reserved(hits: Sequence[Hit], outside: Sequence[Hit], top_n: int) -> list[Hit]:
    kept = list(hits[:top_n])
    reserved = max(1, int(top_n * RESERVED)) if top_n > 1 else 0
    missing = min(reserved, len(outside)) - sum(hit in outside for hit in kept)
    if missing <= 0:
        return kept
    more = [hit for hit in outside if hit not in kept][:missing]
    return [*kept[: top_n - len(more)], *more]


def combine(results: Sequence[SearchResult]) -> SearchResult | None:
    """The searches of a run as one, for its record: each paragraph once, in the order of the questions."""
    if len(results) < 2:
        return results[0] if results else None
    found = [result for result in results if result.found]
    distinct: dict[object, Hit] = {}
    for result in found:
        for hit in result.hits:
            distinct.setdefault(hit.paragraph_id, hit)
    return replace(
        _together(results),
        hits=list(distinct.values()),
        dropped=[
            (hit, why)
            for result in results
            for hit, why in result.dropped
            if hit.paragraph_id not in distinct
        ],
    )


def _together(results: Sequence[SearchResult]) -> SearchResult:
    """The figures of several searches as those of one."""
    found = any(result.found for result in results)
    nearest = max(results, key=lambda result: result.best)
    timings: dict[str, float] = {}
    for result in results:
        for name, value in result.timings_ms.items():
            timings[name] = max(timings.get(name, 0.0), value)
    return replace(
        nearest,
        found=found,
        decision=None if found else nearest.decision,
        advice=None if found else nearest.advice,
        candidates=sum(result.candidates for result in results),
        timings_ms=timings,
        unready=max(result.unready for result in results),
        warnings=tuple({one.code: one for result in results for one in result.warnings}.values()),
    )
