"""What is asked of a search and what comes back: values only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal
from uuid import UUID

from refdesk.gateway import STEP
from refdesk.retrieval.routing import Route, RouteSettings

DropReason = Literal[
    "below_threshold", "below_rerank_score", "far_below_best", "repeats_another", "beyond_top_n"
]

GateName = Literal["absolute", "rerank", "relative"]

Context = Literal["paragraph", "window"]
"""What is returned of a paragraph: all of it, or what stands around the piece it was found by."""


@dataclass(frozen=True, slots=True)
class RerankChoice:
    """A model that puts the first `candidates` of the fused order in an order of its own.

    `min_score`, on that model's own scale, is a gate of its own. After `timeout_s` the fused order stays.
    """

    model_id: UUID
    candidates: int = 50
    min_score: float | None = None
    timeout_s: float = 3.0


@dataclass(frozen=True, slots=True)
class SearchWarning:
    """Something that was asked for and could not be done."""

    code: str
    message: str


def still_indexing(unready: int) -> SearchWarning | None:
    """The warning that so many documents are not ready; None if all are."""
    if not unready:
        return None
    documents = "1 document is" if unready == 1 else f"{unready} documents are"
    return SearchWarning(
        "still-indexing", f"{documents} still being read or indexed; what they say may be missing here."
    )


_HAN = re.compile(r"[\u3400-\u9fff]")


def advice_to(query: str) -> str:
    """What whoever answers is told of a search that found nothing, in the language of its query."""
    if _HAN.search(query):
        return "该查询未检索到足够相关的内容，请考虑直接回答未知"
    return "Nothing relevant enough was found for this query; consider answering that it is not known."


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question to bases of one workspace.

    `mode` is the name of a registered mode. `similarity` is calibrated: 0.45 is the balance point of found
    and not found on every embedder. `document_ids` narrows the search. Without `apply_gate` nothing is
    dropped for its similarity, but `found` still tells what the gate says.

    `strategy` is the name of a registered strategy, or `auto` for the one that the question's form asks for.
    `drop`: hits whose similarity is that much below the best are left out. `diversity` 0–1: how much a hit
    loses by saying what a better one says already. `recency` 0–1: how much the newest documents gain.
    `route`: choose first which of the bases to search; None searches all.

    `context`: what is returned of a hit, the whole `paragraph` or a `window` of `window_chars` characters
    around the piece it was found by. `index_id`: search this index of the one base instead of its active
    one. `ignore_questions`: leave out what attached questions would find, to measure with these questions.
    """

    query: str
    knowledge_base_ids: Sequence[UUID]
    mode: str = "blend"
    top_n: int = 5
    similarity: float = 0.45
    document_ids: Sequence[UUID] | None = None
    apply_gate: bool = True
    strategy: str = "hybrid-search"
    drop: float | None = None
    diversity: float = 0.0
    recency: float = 0.0
    rerank: RerankChoice | None = None
    route: RouteSettings | None = None
    context: Context = "paragraph"
    window_chars: int = 1200
    index_id: UUID | None = None
    ignore_questions: bool = False


@dataclass(frozen=True, slots=True)
class LegScore:
    """What one leg says of a hit: `raw` (cosine, or BM25), `calibrated` 0–1, `rank` among the candidates."""

    raw: float
    calibrated: float
    rank: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A paragraph that was found, by its best entry.

    `score` (fused, 0–1) is for the order only. `similarity` combines the legs' calibrated scores:
    what is shown and what the gate judges. `piece` is the span of `content` that the best entry holds.
    `by_question`: that entry is a question attached to the paragraph. `returns_directly`: its document asks
    for the paragraph itself as the answer to a question this near. `dated`: when what the document says took
    effect, was published, or (if neither is known) was added here. `terms`: the hashed terms of its entry.
    `rerank_score`: what the reranker gave it, on that model's own scale. `passage` is the span of `content`
    that was asked for, None for all of it. `combined` is the similarity before the gates fitted for its
    embedder, `step` the distance below the best that counts as 0.15 (both the same where none were fitted).
    `position` is the paragraph's place in its document.
    """

    paragraph_id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    document_name: str
    title: str
    title_chain: tuple[str, ...]
    content: str
    page: int | None
    boxes: list[Any]
    score: float
    similarity: float
    dense: LegScore | None
    lexical: LegScore | None
    piece: tuple[int, int]
    by_question: bool = False
    returns_directly: bool = False
    dated: date | None = None
    terms: frozenset[int] = field(default=frozenset(), repr=False)
    rerank_score: float | None = None
    passage: tuple[int, int] | None = None
    combined: float | None = None
    step: float = STEP
    position: int = 0

    @property
    def text(self) -> str:
        """What was asked for of the paragraph; it begins at `text_start` of `content`."""
        return self.content if self.passage is None else self.content[slice(*self.passage)]

    @property
    def text_start(self) -> int:
        return 0 if self.passage is None else self.passage[0]


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Why nothing counts as found: the first gate that let nothing through, of those in their order.

    `score` is the best that came to it and `threshold` what it would have needed: similarities for `absolute`
    and `relative`, the reranker's own scores for `rerank`. `below` counts the paragraphs it turned down.
    """

    gate: GateName
    score: float
    threshold: float
    below: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits in order before anything is left out of them. `candidates` and `unready` as in `SearchResult`."""

    hits: list[Hit]
    candidates: int
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    unready: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in order, and the numbers that decided. `best` is the greatest similarity of all candidates.

    `decision` tells which gate found nothing good enough, and `advice` what to make of that, for whoever
    answers; None where something was found.
    `candidates` counts paragraphs that either leg proposed; `dropped` are the nearest of those left out.
    `strategy` is the one that was used. `reranked` tells whether a reranker made the order.
    `route` tells which bases were searched, if that was chosen. `unready` counts documents of the bases asked
    that the caller may see and that are still being read or indexed, so that the search missed them in part.
    """

    hits: list[Hit]
    found: bool
    best: float
    threshold: float
    candidates: int
    mode: str
    strategy: str = "hybrid-search"
    dropped: list[tuple[Hit, DropReason]] = field(default_factory=list[tuple[Hit, DropReason]])
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    reranked: bool = False
    warnings: tuple[SearchWarning, ...] = ()
    route: Route | None = None
    decision: GateDecision | None = None
    advice: str | None = None
    unready: int = 0
