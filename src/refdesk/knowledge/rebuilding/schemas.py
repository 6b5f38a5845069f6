"""Index builds at the border."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.knowledge.indexing.tables import IndexBuild

BuildState = Literal["queued", "building", "built", "switched", "failed", "cancelled"]


class IndexBuildCreate(BaseModel):
    """Which embedding model the other index is to be made with."""

    model_config = ConfigDict(extra="forbid")

    model_id: UUID


class LegFigures(BaseModel):
    """How well one index finds what the questions expect."""

    hit_at_5: float = Field(description="Share of questions with something expected in the first 5.")
    ndcg_at_10: float
    p50_ms: float


class ModeComparison(BaseModel):
    """Both indexes in one search mode, on the same questions."""

    mode: str
    active: LegFigures
    other: LegFigures
    only_active: int = Field(description="Questions that only the active index answers in the first 5.")
    only_other: int
    disagreement: float = Field(description="Share of the first 5 hits that the two do not have in common.")


class IndexComparison(BaseModel):
    """Figures of the active and the other index on the base's test questions."""

    questions: int
    available: int = Field(description="Test questions there are; the most that are run is 500.")
    attached: int = Field(description="Of the questions run, those attached to paragraphs.")
    active_model_id: UUID
    other_model_id: UUID
    modes: list[ModeComparison]
    error: dict[str, Any] | None = Field(default=None, description="Why there are no figures.")
    compared_at: datetime


class IndexBuildView(BaseModel):
    """Another index of a knowledge base. `switched`: it is the active one, and the former one is kept.

    For whom documents of the base are hidden from, progress is in percent, `behind` is 0 or 1, and there is
    no comparison: all that counts hidden paragraphs.
    """

    id: UUID
    knowledge_base_id: UUID
    model_id: UUID
    previous_model_id: UUID | None = Field(description="Of the former index, where one is kept.")
    state: BuildState
    progress_done: int
    progress_total: int
    behind: int = Field(description="Paragraphs that the index which is not active still has to take in.")
    comparison: IndexComparison | None
    error: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(
        cls, build: IndexBuild, *, behind: int, previous_model_id: UUID | None, counts: bool = True
    ) -> "IndexBuildView":
        done, total = build.progress_done, build.progress_total
        if not counts:
            done, total, behind = 100 * done // max(total, 1), 100 if total else 0, min(behind, 1)
        return cls.model_validate(
            {
                "id": build.id,
                "knowledge_base_id": build.knowledge_base_id,
                "model_id": build.model_id,
                "previous_model_id": previous_model_id,
                "state": build.state,
                "progress_done": done,
                "progress_total": total,
                "behind": behind,
                "comparison": build.comparison if counts else None,
                "error": build.error,
                "created_at": build.created_at,
                "updated_at": build.updated_at,
            }
        )
