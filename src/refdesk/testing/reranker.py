"""A stand-in for a reranker: in the process, instant, and as wrong as a test wants it."""

from collections.abc import Callable, Sequence
from uuid import UUID

from refdesk.kit.ids import new_id
from refdesk.testing.scripted_reranker import shared_words


class ScriptedReranker:
    """A `Reranker` by a function of question and text. Keeps its calls; each raises `fail_with`, if given."""

    model_name = "scripted-reranker"

    def __init__(self, score: Callable[[str, str], float] = shared_words) -> None:
        self.model_id: UUID = new_id()
        self.score = score
        self.least_score: float | None = None
        self.calls: list[list[str]] = []
        self.fail_with: Exception | None = None

    async def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        self.calls.append(list(texts))
        if self.fail_with is not None:
            raise self.fail_with
        return [self.score(query, text) for text in texts]
