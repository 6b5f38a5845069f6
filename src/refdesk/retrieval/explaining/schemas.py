"""What an explanation takes and gives over HTTP."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from refdesk.retrieval.explaining.values import Explanation, Note, Reason
from refdesk.retrieval.schemas import HitTestRequest
from refdesk.retrieval.search import SearchRequest


class ExplainRequest(HitTestRequest):
    """A search and the document, or the paragraph, that is missing among its hits."""

    document_id: UUID | None = None
    paragraph_id: UUID | None = None

    @model_validator(mode="after")
    def _one_subject(self) -> "ExplainRequest":
        if (self.document_id is None) == (self.paragraph_id is None):
            raise ValueError("give either document_id or paragraph_id")
        return self

    def search(self) -> SearchRequest:
        """The search that is explained."""
        own = set(ExplainRequest.model_fields) - set(HitTestRequest.model_fields)
        return HitTestRequest(**self.model_dump(exclude=own)).to_search()


class _View(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class LegStandingView(_View):
    """One leg's view of the best entry."""

    raw: float = Field(description="Cosine, or the BM25 score.")
    calibrated: float
    rank: int | None = Field(
        description="Among all paragraphs that could be found, compared one by one; null if not counted."
    )


class AskedWordView(_View):
    """A word of the question."""

    word: str
    weight: float = Field(description="Share of the question's rarity.")
    known: bool = Field(description="Some entry of the bases holds it.")
    looked_up: bool = Field(description="Candidates are sought by it.")
    held: bool = Field(description="The entry holds it, or a synonym.")


class StandingView(_View):
    """How the best entry stands."""

    similarity: float
    dense: LegStandingView | None
    lexical: LegStandingView | None
    words: list[AskedWordView]
    score: float | None = Field(description="Fused; null if it is no candidate.")
    place: int | None = Field(description="Among the candidates in fused order; null if it is none.")
    candidates: int
    limit: int = Field(description="Entries that each leg proposes.")
    piece: tuple[int, int]
    kind: int


class SubjectView(_View):
    """What was asked after. Counts are of paragraphs."""

    document_id: UUID
    document_name: str
    knowledge_base_id: UUID
    state: str
    is_draft: bool
    is_active: bool
    paragraphs: int
    active: int
    indexed: int
    outdated: int
    paragraph_id: UUID | None


class NearestView(_View):
    """The paragraph that comes nearest."""

    id: UUID
    position: int
    title: str
    title_chain: list[str]
    content: str
    page: int | None


class ExplanationView(BaseModel):
    """Why something is not among the hits, or where it is."""

    reason: Reason
    rank: int | None = Field(description="Among the hits, if it is there.")
    subject: SubjectView
    paragraph: NearestView | None
    standing: StandingView | None
    notes: list[Note]
    threshold: float
    best: float = Field(description="Greatest similarity of the search.")
    top_n: int
    drop: float | None

    @classmethod
    def of(cls, found: Explanation, request: SearchRequest) -> "ExplanationView":
        return cls(
            reason=found.reason,
            rank=found.rank,
            subject=SubjectView.model_validate(found.subject),
            paragraph=NearestView.model_validate(found.paragraph) if found.paragraph else None,
            standing=StandingView.model_validate(found.standing) if found.standing else None,
            notes=found.notes,
            threshold=request.similarity,
            best=found.result.best,
            top_n=request.top_n,
            drop=request.drop,
        )
