"""The order of a reranker over the fused one, or the fused one where it fails: asking never makes it worse.

What a reranker reads is the piece that was found, under its titles: most read 512 tokens, and the answer of a
long paragraph may stand behind them. It gets the head of the strategy's order; the others keep their places
behind (decision 12).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID

import structlog

from refdesk.accounts import Scope
from refdesk.gateway import ModelError, Purpose, Reranker
from refdesk.kit.errors import AppError
from refdesk.retrieval.search import Hit, RerankChoice, SearchWarning

log = structlog.get_logger(__name__)

MAX_TEXT_CHARS = 4_000


class Rerankers(Protocol):
    """Where rerankers come from: the gateway, or a test's stand-in."""

    async def reranker(self, scope: Scope, model_id: UUID, purpose: Purpose = ...) -> Reranker: ...


@dataclass(frozen=True, slots=True)
class Reranked:
    """Hits in their order. `done` tells whether it is the reranker's; if not, `warning` tells why.

    `least_score`: the gate that was fitted for the reranker.
    """

    hits: list[Hit]
    done: bool
    warning: SearchWarning | None = None
    least_score: float | None = None


async def rerank(
    models: Rerankers, scope: Scope, query: str, hits: Sequence[Hit], choice: RerankChoice
) -> Reranked:
    """The hits with the first `candidates` of them in the reranker's order; the scores stay falling."""
    head = list(hits[: choice.candidates])
    if not head:
        return Reranked([], done=False)
    try:
        model = await models.reranker(scope, choice.model_id, Purpose("search"))
        scores = await model.rerank(query, [text_of(hit) for hit in head], timeout_s=choice.timeout_s)
    except AppError as error:
        log.info("retrieval.rerank_failed", code=error.code, model_id=str(choice.model_id))
        return Reranked(list(hits), done=False, warning=_warning(error))
    places = sorted(range(len(head)), key=lambda i: -scores[i])  # stable: equal ones stay as they were
    ordered = [
        replace(head[i], score=head[place].score, rerank_score=scores[i]) for place, i in enumerate(places)
    ]
    return Reranked([*ordered, *hits[choice.candidates :]], done=True, least_score=model.least_score)


def text_of(hit: Hit) -> str:
    """What the reranker reads of a hit."""
    titles = " > ".join(dict.fromkeys(title for title in (*hit.title_chain, hit.title) if title))
    start, end = hit.piece
    body = hit.content if hit.by_question else hit.content[start:end] or hit.content
    return (f"{titles}\n{body}" if titles else body)[:MAX_TEXT_CHARS]


def _warning(error: AppError) -> SearchWarning:
    code = "rerank-failed" if isinstance(error, ModelError) else "reranker-unusable"
    return SearchWarning(code, f"Not reranked, the order is that of the search: {error.text} [{error.code}]")
