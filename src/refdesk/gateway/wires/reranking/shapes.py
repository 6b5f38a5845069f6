"""The dialects of rerank servers: where they listen, what they take, what they answer.

Cohere v2 (`/v2/rerank`), Jina (`/v1/rerank`) and vLLM with its many likes (`/v1/rerank`, also `/rerank`)
answer `{"results": [{"index", "relevance_score"}]}`; Text Embeddings Inference (`/rerank`) takes `texts` and
answers a bare list of `{"index", "score"}`. All list the best first: a score belongs to the text of its
`index`.
"""

import math
import re
from collections.abc import Sequence
from typing import Any, Literal, cast

from refdesk.gateway.errors import ModelBadResponse

type Shape = Literal["cohere", "jina", "tei", "vllm"]

SHAPES: tuple[Shape, ...] = ("vllm", "cohere", "tei", "jina")
"""In the order they are tried: the first is understood by most."""

DEFAULT_SHAPE: Shape = "vllm"

_PATHS: dict[Shape, str] = {
    "cohere": "/v2/rerank",
    "jina": "/v1/rerank",
    "tei": "/rerank",
    "vllm": "/v1/rerank",
}
_VERSIONED = re.compile(r"/v\d+(?:beta\d*)?$")


def path_of(shape: Shape, base_url: str) -> str:
    """What comes behind the base URL, which may be the server's root, end with a version, or be the whole
    address."""
    base = base_url.rstrip("/")
    if base.endswith(("/rerank", "/reranks")):  # DashScope's has an s
        return ""
    return "/rerank" if _VERSIONED.search(base) else _PATHS[shape]


def body_of(shape: Shape, model_name: str, query: str, texts: Sequence[str]) -> dict[str, Any]:
    """The request that asks for a score of every text."""
    if shape == "tei":
        return {"query": query, "texts": list(texts), "truncate": True}
    body: dict[str, Any] = {
        "model": model_name,
        "query": query,
        "documents": list(texts),
        "top_n": len(texts),
    }
    if shape == "jina":
        body["return_documents"] = False
    return body


def scores_of(answer: Any, count: int) -> list[float]:
    """One finite score a text, in the order asked. Raises `ModelBadResponse` for anything else: an order made
    from half an answer would be worse than none."""
    results: Any = cast("dict[str, Any]", answer).get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list):
        raise ModelBadResponse("The server's answer holds no scores.")
    scores: list[float | None] = [None] * count
    for item in cast("list[Any]", results):
        index, score = _scored(item)
        if not 0 <= index < count or scores[index] is not None:
            raise ModelBadResponse(
                f"The server scored a text that was not asked for, or one twice ({index})."
            )
        scores[index] = score
    known = [score for score in scores if score is not None]
    if len(known) != count:
        raise ModelBadResponse(f"The server scored {len(known)} of {count} texts.")
    return known


def _scored(item: Any) -> tuple[int, float]:
    try:
        score = item["relevance_score"] if "relevance_score" in item else item["score"]
        index = item["index"]
    except (KeyError, TypeError) as error:
        raise ModelBadResponse("The server's answer holds no scores.") from error
    numbers = isinstance(index, int) and isinstance(score, int | float) and not isinstance(score, bool)
    if not numbers or not math.isfinite(cast(float, score)):
        raise ModelBadResponse("The server sent scores that are not numbers.")
    return cast(int, index), float(cast(float, score))
