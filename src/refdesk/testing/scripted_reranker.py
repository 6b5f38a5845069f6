"""Replies of a rerank server for `scripted_model`: every dialect, and everything that goes wrong with one.

The good reply scores a text by how many of the query's words it holds, so that orders can be foretold.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from refdesk.testing.scripted_http import Reply, Request, Send, body

type Shape = Literal["cohere", "jina", "tei", "vllm"]
type Scorer = Callable[[str, str], float]

_PATHS: dict[str, tuple[str, ...]] = {
    "cohere": ("/v2/rerank",),
    "jina": ("/v1/rerank",),
    "tei": ("/rerank",),
    "vllm": ("/v1/rerank", "/rerank"),
}


def shared_words(query: str, text: str) -> float:
    """Share of the query's words, or characters where it has no spaces, that the text holds."""
    wanted = set(query.lower().split() if " " in query else query.lower())
    return len([word for word in wanted if word in text.lower()]) / max(len(wanted), 1)


def reranks(shape: Shape, score: Scorer = shared_words) -> Reply:
    """A server of one dialect: the best first, 404 elsewhere, 422 for another dialect's request."""

    async def reply(request: Request, send: Send) -> None:
        if request.path not in _PATHS[shape]:
            await body({"error": "Not Found"}, status=404)(request, send)
            return
        name = "texts" if shape == "tei" else "documents"
        asked: dict[str, Any] = request.body or {}
        if name not in asked:
            await body({"error": f"missing field `{name}`"}, status=422)(request, send)
            return
        scores = [score(asked["query"], text) for text in asked[name]]
        await body(answer(shape, scores))(request, send)

    return reply


async def reranks_any(request: Request, send: Send) -> None:
    """A server of whatever dialect it is asked in."""
    shape: Shape = "tei" if "texts" in request.body else "cohere"
    texts = request.body["texts" if shape == "tei" else "documents"]
    scores = [shared_words(request.body["query"], text) for text in texts]
    await body(answer(shape, scores))(request, send)


def answer(shape: Shape, scores: Sequence[float | None]) -> Any:
    """What a server of the dialect answers for these scores, in the order of the texts."""
    name = "score" if shape == "tei" else "relevance_score"
    rows = [{"index": index, name: score} for index, score in enumerate(scores)]
    rows.sort(key=lambda row: -(row[name] or 0.0))
    return rows if shape == "tei" else {"id": "scripted", "results": rows}


def rows(*pairs: tuple[Any, Any]) -> Reply:
    """An answer of these indexes and scores, whatever was asked."""
    return body({"results": [{"index": index, "relevance_score": score} for index, score in pairs]})
