"""What an explanation consists of: values only."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from refdesk.gateway import STEP
from refdesk.retrieval.search import DropReason, SearchResult

KeptOut = Literal[
    "found",
    "other_base",
    "filtered",
    "not_routed",
    "draft",
    "document_inactive",
    "paragraph_inactive",
    "failed",
    "cancelled",
    "not_indexed",
    "empty",
    "access_changing",
    "not_a_candidate",
    "ranked_out",
]
"""The first thing that kept it out, in the order in which a search comes upon them. `ranked_out`: a candidate
that the strategy or the reranker put behind all that are looked at. `not_routed`: its base was not chosen
among the many that were asked."""

Reason = KeptOut | DropReason

Note = Literal[
    "restricted",
    "partly_indexed",
    "older_revision",
    "some_inactive",
    "missed_by_graph",
    "only_frequent_words",
    "ranks_not_counted",
]
"""What one should know besides. `restricted`: not everybody may see the document. `missed_by_graph`: by
meaning it is near enough, but the approximate index did not come upon it. `only_frequent_words`: it holds
only words of the question that too many entries hold to be looked up."""


@dataclass(frozen=True, slots=True)
class LegStanding:
    """One leg's view of the best entry. `rank` among all paragraphs that the caller could find with these
    settings, compared one by one; None where that took too long or the leg has no score for it."""

    raw: float
    calibrated: float
    rank: int | None


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A word of the question. `weight`: its share of the question's rarity. `known`: whether any entry holds
    it; `looked_up`: whether candidates are sought by it; `held`: whether the entry holds it."""

    word: str
    weight: float
    known: bool
    looked_up: bool
    held: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """How the document's or paragraph's best entry stands in the search.

    `place` is its paragraph's place among the `candidates` in fused order, None if it is no candidate. `step`
    as in `Hit`.
    """

    paragraph_id: UUID
    kind: int
    piece: tuple[int, int]
    similarity: float
    dense: LegStanding | None
    lexical: LegStanding | None
    words: Sequence[AskedWord]
    score: float | None
    place: int | None
    candidates: int
    limit: int
    notes: Sequence[Note] = ()
    step: float = STEP


@dataclass(frozen=True, slots=True)
class Subject:
    """The document or paragraph that is asked after. Counts are of paragraphs."""

    document_id: UUID
    document_name: str
    knowledge_base_id: UUID
    state: str
    is_draft: bool
    is_active: bool
    is_restricted: bool
    paragraphs: int
    active: int
    indexed: int
    outdated: int
    paragraph_id: UUID | None = None
    paragraph_active: bool = True


@dataclass(frozen=True, slots=True)
class ParagraphText:
    """What is shown of the paragraph that comes nearest."""

    id: UUID
    position: int
    title: str
    title_chain: tuple[str, ...]
    content: str
    page: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why something is not among the hits, or at which `rank` it is."""

    reason: Reason
    subject: Subject
    result: SearchResult
    rank: int | None = None
    standing: Standing | None = None
    paragraph: ParagraphText | None = None
    notes: list[Note] = field(default_factory=list[Note])
