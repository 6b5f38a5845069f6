"""What the hit test takes and gives."""

from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field

from refdesk.kit.border_types import CleanText
from refdesk.knowledge.splitting import display_title
from refdesk.retrieval.highlighting import places_of, words_to_mark
from refdesk.retrieval.routing import RouteReason, RouteSettings
from refdesk.retrieval.search import (
    Context,
    DropReason,
    GateName,
    Hit,
    RerankChoice,
    SearchRequest,
    SearchResult,
)


class RerankSettings(BaseModel):
    """A reranker over the order of the search."""

    model_config = ConfigDict(extra="forbid")

    model_id: UUID = Field(description="A model of the kind RERANKER.")
    candidates: int = Field(default=50, ge=1, le=200, description="How many paragraphs it puts in order.")
    min_score: float | None = Field(
        default=None, description="Leave out what scores less, on the model's own scale."
    )
    timeout_s: float = Field(
        default=3.0, ge=0.1, le=60, description="After that the order of the search stays."
    )

    def to_choice(self) -> RerankChoice:
        return RerankChoice(**self.model_dump())


class RouteOptions(BaseModel):
    """How to choose among many bases. All are searched where there are at most `few`."""

    model_config = ConfigDict(extra="forbid")

    margin: float = Field(
        default=0.8, gt=0, le=2.5, description="How far below the best (scores: 0–2.5) a base is searched."
    )
    few: int = Field(default=5, ge=1, le=1000)
    at_least: int = Field(default=3, ge=1, le=1000, description="Bases that are searched in any case.")
    most_share: float = Field(default=0.5, gt=0, le=1, description="Share of the bases searched at most.")
    model_id: UUID | None = Field(
        default=None, description="A language model asked too, with the bases' names and descriptions."
    )

    def to_settings(self) -> RouteSettings:
        return RouteSettings(**self.model_dump())


class SearchSettings(BaseModel):
    """How to search: everything but the question and where. A field that is not known is refused."""

    model_config = ConfigDict(extra="forbid")

    mode: str = Field(default="blend", description="`embedding`, `keywords` or `blend`.")
    top_n: int = Field(default=5, ge=1, le=100)
    similarity: float = Field(default=0.45, ge=0, le=1, description="Calibrated threshold, 0–1.")
    document_ids: Annotated[list[UUID], Field(max_length=1000)] | None = Field(
        default=None, description="Search only these documents."
    )
    apply_gate: bool = Field(default=True, description="Leave out what lies below the threshold.")
    strategy: str = Field(
        default="hybrid-search",
        description="`auto`, or a name that `GET /api/v1/strategies` lists.",
    )
    drop: float | None = Field(
        default=None, gt=0, le=1, description="Leave out what is this much less similar than the best."
    )
    diversity: float = Field(default=0, ge=0, le=1, description="Prefer hits that say something else.")
    recency: float = Field(default=0, ge=0, le=1, description="Prefer newer documents.")
    context: Context = Field(
        default="paragraph", description="Return whole paragraphs, or a `window` around the piece found."
    )
    window_chars: int = Field(default=1200, ge=200, le=20_000, description="Size of a window, in characters.")
    rerank: RerankSettings | None = None
    route: bool | RouteOptions = Field(
        default=False, description="Choose first which of the bases to search, by what they hold."
    )

    def chosen(self) -> dict[str, Any]:
        """The settings as members of a `SearchRequest`."""
        settings = {name: getattr(self, name) for name in SearchSettings.model_fields}
        route = RouteOptions() if self.route is True else self.route or None
        return settings | {
            "rerank": None if self.rerank is None else self.rerank.to_choice(),
            "route": None if route is None else route.to_settings(),
        }


class HitTestRequest(SearchSettings):
    """A question to one or more knowledge bases."""

    query: CleanText = Field(min_length=1)
    knowledge_base_ids: Annotated[list[UUID], Field(min_length=1, max_length=1000)]

    def to_search(self) -> SearchRequest:
        return SearchRequest(query=self.query, knowledge_base_ids=self.knowledge_base_ids, **self.chosen())


class StrategyView(BaseModel):
    """A strategy that a search can take. `auto` chooses one by the kind of question."""

    model_config = ConfigDict(from_attributes=True)

    name: str = Field(description="What `strategy` of a search or an application takes.")
    is_built_in: bool = Field(description="Whether it is one of ours, not of an installed package.")
    descriptions: dict[str, str] = Field(
        description="What it does, a sentence a language (`en`, `zh`); empty: not told."
    )


class LegScoreView(BaseModel):
    """What one leg says of a hit."""

    model_config = ConfigDict(from_attributes=True)

    raw: float = Field(description="Cosine, or the BM25 score.")
    calibrated: float = Field(description="On the scale that thresholds are set on, 0–1.")
    rank: int


class HitView(BaseModel):
    """A paragraph that was found."""

    paragraph_id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    document_name: str
    title: str
    title_chain: list[str]
    content: str
    page: int | None
    boxes: list[Any]
    score: float = Field(description="Fused score, for the order only, 0–1.")
    similarity: float = Field(description="Both legs' calibrated scores together, 0–1.")
    dense: LegScoreView | None
    lexical: LegScoreView | None
    piece: tuple[int, int] = Field(description="Span of `content` that the best entry holds.")
    passage: tuple[int, int] | None = Field(
        description="Span of `content` that an answer is given; null for all of it."
    )
    by_question: bool = Field(description="Found by a question attached to the paragraph.")
    returns_directly: bool = Field(description="The paragraph itself is the answer to a question this near.")
    rerank_score: float | None = Field(description="The reranker's score, on that model's own scale.")
    dated: date | None = Field(description="When the document took effect, was published or was added.")
    words: list[tuple[int, int]] = Field(
        default_factory=list[tuple[int, int]], description="Spans of `content` with words of the question."
    )

    @computed_field(description="The title without its number (第六章, 1.2), where room is scarce.")
    @property
    def display_title(self) -> str:
        return display_title(self.title)

    @classmethod
    def of(cls, hit: Hit, marked: frozenset[str] = frozenset()) -> "HitView":
        view = cls.model_validate(hit, from_attributes=True)
        view.words = places_of(marked, hit.content)
        return view


class DroppedView(BaseModel):
    """A candidate that was left out."""

    hit: HitView
    reason: DropReason


class SearchWarningView(BaseModel):
    """Something that was asked for and could not be done."""

    model_config = ConfigDict(from_attributes=True)

    code: str
    message: str


class GateDecisionView(BaseModel):
    """Why nothing counts as found: the first gate that let nothing through."""

    model_config = ConfigDict(from_attributes=True)

    gate: GateName = Field(
        description="`absolute`: the similarity; `rerank`: the reranker's score; `relative`: the distance to"
        " the best."
    )
    score: float = Field(description="The best that came to this gate; the reranker's own for `rerank`.")
    threshold: float = Field(description="What it would have needed.")
    below: int = Field(description="Paragraphs that this gate turned down.")


class RoutedBaseView(BaseModel):
    """A base that was or was not searched. The numbers count only what the caller may see."""

    model_config = ConfigDict(from_attributes=True)

    knowledge_base_id: UUID
    is_searched: bool
    reason: RouteReason
    score: float | None = Field(description="0–2.5, for the order and the cut only.")
    nearness: float | None = Field(description="Of its nearest centroid: 1 for the best base, 0 the mean.")
    words: float | None = Field(description="Share of the question's rare words it holds at all.")


class RouteView(BaseModel):
    """Which bases were searched, and why."""

    model_config = ConfigDict(from_attributes=True)

    bases: list[RoutedBaseView]
    warning: str | None = Field(description="Code of what failed when a model was asked.")


class HitTestResult(BaseModel):
    """What a search found, and the numbers that decided."""

    hits: list[HitView]
    found: bool
    decision: GateDecisionView | None = Field(description="Null where something was found.")
    advice: str | None = Field(
        description="To whoever answers: that nothing relevant enough was found. Null where something was."
    )
    best: float = Field(description="Greatest similarity of all candidates.")
    threshold: float
    candidates: int = Field(description="Paragraphs that the legs proposed.")
    mode: str
    strategy: str = Field(description="The strategy that was used.")
    dropped: list[DroppedView]
    timings_ms: dict[str, float]
    reranked: bool = Field(description="Whether a reranker made the order.")
    warnings: list[SearchWarningView]
    route: RouteView | None = Field(description="Null where all bases were searched.")
    unready: int = Field(
        description="Documents of these bases that are still being read or indexed; a warning says the same."
    )

    @classmethod
    def of(cls, result: SearchResult, query: str) -> "HitTestResult":
        marked = words_to_mark(query)
        return cls(
            hits=[HitView.of(hit, marked) for hit in result.hits],
            found=result.found,
            decision=None if result.decision is None else GateDecisionView.model_validate(result.decision),
            advice=result.advice,
            best=result.best,
            threshold=result.threshold,
            candidates=result.candidates,
            mode=result.mode,
            strategy=result.strategy,
            dropped=[
                DroppedView(hit=HitView.of(hit, marked), reason=reason) for hit, reason in result.dropped
            ],
            timings_ms=result.timings_ms,
            reranked=result.reranked,
            warnings=[SearchWarningView.model_validate(warning) for warning in result.warnings],
            route=None if result.route is None else RouteView.model_validate(result.route),
            unready=result.unready,
        )
