"""A run's searches as requests to retrieval, and as the run's record tells of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from refdesk.chat.faults import reason_of
from refdesk.chat.profile import RunProfile
from refdesk.retrieval import Hit, RouteSettings, SearchRequest, SearchResult, SearchWarning

# The code of the error behind a warning, at the end of its words.
_CAUSE = re.compile(r"\[([\w-]+)\]$")


def section_of(hit: Hit) -> str:
    """Where in its document a hit stands: the headings above it."""
    titles = [title for title in (*hit.title_chain, hit.title) if title]
    return " › ".join(dict.fromkeys(titles))


def search_request(
    profile: RunProfile, query: str, bases: Sequence[UUID], *, top_n: int | None = None, share: int = 1
) -> SearchRequest:
    """The search of one channel. `share`: of how many channels that give a reranker its candidates."""
    rerank = profile.rerank
    if rerank is not None and share > 1:
        rerank = replace(rerank, candidates=max(profile.top_n, rerank.candidates // share))
    return SearchRequest(
        query=query,
        knowledge_base_ids=bases,
        mode=profile.mode,
        top_n=top_n or profile.top_n,
        similarity=profile.similarity,
        context=profile.context,
        window_chars=profile.window_chars,
        rerank=rerank,
        route=RouteSettings() if profile.route_bases else None,
        strategy=profile.strategy,
        drop=profile.drop,
        diversity=profile.diversity,
        recency=profile.recency,
    )


def search_record(profile: RunProfile, result: SearchResult) -> dict[str, Any]:
    """The figures of a search as the trace has them."""
    record: dict[str, Any] = {
        "candidates": result.candidates,
        "kept": len(result.hits),
        "best": round(result.best, 4),
        "threshold": result.threshold,
        "strategy": result.strategy,
    }
    if result.route is not None:
        record["searched_bases"] = [str(base) for base in result.route.searched]
    if profile.rerank is not None:
        record["reranked"] = result.reranked
    if result.unready:
        record["unready"] = result.unready
    return record


def decision_of(result: SearchResult) -> dict[str, Any] | None:
    """The gate that found nothing good enough, as it is recorded; None where something was found."""
    decision = result.decision
    if decision is None:
        return None
    return {
        "gate": decision.gate,
        "score": round(decision.score, 4),
        "threshold": round(decision.threshold, 4),
        "below": decision.below,
    }


def told(warning: SearchWarning, result: SearchResult, language: str) -> str:
    """A warning of the search in the language of the run."""
    if language == "zh" and warning.code == "still-indexing":
        return f"还有 {result.unready} 份文档正在处理，其内容可能未被找到。"
    if language == "zh":
        cause = _CAUSE.search(warning.message)
        why = f"（{reason_of(cause[1], '', 'zh')}）" if cause else ""
        return f"重排模型没有给出结果{why}，顺序为检索本身的顺序。"
    return warning.message


def record_of(result: SearchResult) -> dict[str, Any]:
    """What was found, as the run keeps it."""
    return {
        "found": result.found,
        "decision": decision_of(result),
        "best": round(result.best, 4),
        "threshold": result.threshold,
        "mode": result.mode,
        "candidates": result.candidates,
        "unready": result.unready,
        "timings_ms": {name: round(value, 2) for name, value in result.timings_ms.items()},
        "hits": [
            {
                "paragraph_id": str(hit.paragraph_id),
                "document_id": str(hit.document_id),
                "knowledge_base_id": str(hit.knowledge_base_id),
                "document": hit.document_name,
                "section": section_of(hit),
                "page": hit.page,
                "text": hit.text,
                "offset": hit.text_start,
                "similarity": round(hit.similarity, 4),
                "score": round(hit.score, 4),
                "rerank_score": hit.rerank_score,
            }
            for hit in result.hits
        ],
    }
