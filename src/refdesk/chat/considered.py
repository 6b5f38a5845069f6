"""What a search considered, as the trace shows it: each candidate's scores, and why it was left out.

Goes into a stage's or span's detail under `CONSIDERED`, which is for the record only: the trace checks each
document again when it is read.
"""

from typing import Any

from refdesk.retrieval import Hit, LegScore, SearchResult

CONSIDERED = "considered"
MOST = 40
EXCERPT_CHARS = 160


def considered(result: SearchResult) -> list[dict[str, Any]]:
    """The kept ones in their order, then the nearest of those left out with the reason; at most 40."""
    kept = [candidate_record(hit, None) for hit in result.hits]
    return (kept + [candidate_record(hit, reason) for hit, reason in result.dropped])[:MOST]


def candidate_record(hit: Hit, dropped: str | None) -> dict[str, Any]:
    """One candidate; `dropped` is the code of the reason, None for one that was kept."""
    titles = [title for title in (*hit.title_chain, hit.title) if title]
    return {
        "paragraph_id": str(hit.paragraph_id),
        "document_id": str(hit.document_id),
        "document": hit.document_name,
        "section": " › ".join(dict.fromkeys(titles)),
        "text": hit.text[:EXCERPT_CHARS],
        "similarity": round(hit.similarity, 4),
        "score": round(hit.score, 4),
        "rerank_score": hit.rerank_score,
        "dense": _leg(hit.dense),
        "lexical": _leg(hit.lexical),
        "dropped": dropped,
    }


def _leg(leg: LegScore | None) -> dict[str, Any] | None:
    if leg is None:
        return None
    return {"raw": round(leg.raw, 4), "calibrated": round(leg.calibrated, 4), "rank": leg.rank}
