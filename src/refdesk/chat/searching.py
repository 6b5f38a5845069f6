"""Stage `retrieve`: the search, its record for the trace and its `sources` event."""

from typing import Any

from refdesk.chat.considered import CONSIDERED, considered
from refdesk.chat.context import RunContext
from refdesk.retrieval import Hit, RouteSettings, SearchRequest, SearchResult, SearchWarning


def section_of(hit: Hit) -> str:
    """Where in its document a hit stands: the headings above it."""
    titles = [title for title in (*hit.title_chain, hit.title) if title]
    return " › ".join(dict.fromkeys(titles))


async def retrieve(context: RunContext, query: str) -> SearchResult:
    """Search the profile's bases for `query`."""
    profile = context.profile
    async with context.recorder.stage("retrieve") as detail:
        detail["query"] = query
        result = await context.searcher.search(
            context.scope,
            SearchRequest(
                query=query,
                knowledge_base_ids=profile.knowledge_base_ids,
                mode=profile.mode,
                top_n=profile.top_n,
                similarity=profile.similarity,
                context=profile.context,
                window_chars=profile.window_chars,
                rerank=profile.rerank,
                route=RouteSettings() if profile.route_bases else None,
                strategy=profile.strategy,
                drop=profile.drop,
                diversity=profile.diversity,
                recency=profile.recency,
            ),
        )
        detail |= {
            "bases": len(profile.knowledge_base_ids),
            "candidates": result.candidates,
            "kept": len(result.hits),
            "best": round(result.best, 4),
            "threshold": result.threshold,
            "strategy": result.strategy,
            CONSIDERED: considered(result),
        }
        if result.route is not None:
            detail["searched_bases"] = [str(base) for base in result.route.searched]
        if profile.rerank is not None:
            detail["reranked"] = result.reranked
        if result.unready:
            detail["unready"] = result.unready
        for warning in result.warnings:
            context.recorder.warning(warning.code, _told(warning, result, context.language))
        context.recorder.sources(_record(result))
    return result


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


def _told(warning: SearchWarning, result: SearchResult, language: str) -> str:
    if language == "zh" and warning.code == "still-indexing":
        return f"还有 {result.unready} 份文档正在处理，其内容可能未被找到。"
    if language == "zh":
        return f"重排模型没有给出结果，顺序为检索本身的顺序。（{warning.message}）"
    return warning.message


def _record(result: SearchResult) -> dict[str, Any]:
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
