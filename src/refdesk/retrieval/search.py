"""What is asked of a search and what comes back: values only."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

DropReason = Literal["below_threshold", "beyond_top_n"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question to bases of one workspace.

    `mode` is the name of a registered mode. `similarity` is calibrated: 0.45 is the balance point of found
    and not found on every embedder. `document_ids` narrows the search. Without `apply_gate` nothing is
    dropped for its similarity, but `found` still tells what the gate says.
    """

    query: str
    knowledge_base_ids: Sequence[UUID]
    mode: str = "blend"
    top_n: int = 5
    similarity: float = 0.45
    document_ids: Sequence[UUID] | None = None
    apply_gate: bool = True


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
    for the paragraph itself as the answer to a question this near.
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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in order, and the numbers that decided. `best` is the greatest similarity of all candidates.

    `candidates` counts paragraphs that either leg proposed; `dropped` are the nearest of those left out.
    """

    hits: list[Hit]
    found: bool
    best: float
    threshold: float
    candidates: int
    mode: str
    dropped: list[tuple[Hit, DropReason]] = field(default_factory=list[tuple[Hit, DropReason]])
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
