"""Shapes of applications at the border. Settings are validated here and stored as they are here."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from refdesk.apps.stage_schemas import ApplicationPrompts, PipelineSettings
from refdesk.apps.tables import Application
from refdesk.kit.border_types import CleanText, Name, clean_input
from refdesk.retrieval import RerankSettings

Suggestion = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), BeforeValidator(clean_input)
]


class ApplicationSettings(PipelineSettings):
    """How an application searches and answers. `similarity` is calibrated: 0.45 parts found from not."""

    model_config = ConfigDict(extra="forbid")

    purpose: Name | None = Field(
        default=None,
        max_length=64,
        description="Without a model of its own, the application is served by the model of this purpose.",
    )
    mode: Literal["embedding", "keywords", "blend"] = "blend"
    top_n: int = Field(default=5, ge=1, le=50, description="Paragraphs given to the answer.")
    similarity: float = Field(default=0.45, ge=0, le=1, description="Below this nothing counts as found.")
    rerank: RerankSettings | None = Field(
        default=None, description="A reranker over the order of the search; null: none."
    )
    route_bases: bool = Field(
        default=False, description="Of many knowledge bases, search only those that suit the question."
    )
    strategy: str = Field(
        default="hybrid-search",
        max_length=100,
        description="How to search: a name that `GET /api/v1/strategies` lists; `auto`: by the kind of"
        " question.",
    )
    drop: float | None = Field(
        default=0.15,
        gt=0,
        le=1,
        description="Leave out what is this much less similar than the best; null: nothing for that.",
    )
    diversity: float = Field(default=0, ge=0, le=1, description="Prefer paragraphs that say something else.")
    recency: float = Field(default=0, ge=0, le=1, description="Prefer newer documents.")
    context: Literal["paragraph", "window"] = Field(
        default="paragraph", description="Evidence: whole paragraphs, or a window around the piece found."
    )
    window_chars: int = Field(default=1200, ge=200, le=20_000, description="Size of a window, in characters.")
    max_context_chars: int = Field(
        default=8_000, ge=200, le=200_000, description="Most characters of evidence in the prompt."
    )
    empty_reply: CleanText | None = Field(
        default=None, max_length=4_000, description="Reply when nothing is found; null: the built-in one."
    )
    opening_words: CleanText = Field(
        default="", max_length=4_000, description="Shown before the first question."
    )
    suggested_questions: list[Suggestion] = Field(default=[], max_length=20)
    complete_question: bool = Field(
        default=True, description="Complete a follow-up question from the conversation (needs a model)."
    )
    history_turns: int = Field(default=8, ge=0, le=50, description="Earlier turns the model sees.")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1, le=200_000)
    language: Literal["zh", "en"] | None = Field(
        default=None, description="Language of prompts and notices; null: that of the question."
    )


class ApplicationCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Name
    description: CleanText = Field(default="", max_length=4_000)
    knowledge_base_ids: list[UUID] = Field(default=[], max_length=100)
    model_id: UUID | None = None
    prompts: ApplicationPrompts = ApplicationPrompts()
    settings: ApplicationSettings = ApplicationSettings()


class ApplicationPatch(BaseModel):
    """Only what is sent is changed; `prompts` and `settings` are merged field by field."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    description: CleanText | None = Field(default=None, max_length=4_000)
    knowledge_base_ids: list[UUID] | None = Field(default=None, max_length=100)
    model_id: UUID | None = None
    prompts: ApplicationPrompts | None = None
    settings: ApplicationSettings | None = None


class ApplicationOut(BaseModel):
    """An application as anybody who may ask it sees it."""

    id: UUID
    name: str
    description: str
    knowledge_base_ids: list[UUID]
    model_id: UUID | None = Field(description="Null: the workspace's default model, or quoting without one.")
    prompts: ApplicationPrompts
    settings: ApplicationSettings
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, row: Application, knowledge_base_ids: list[UUID]) -> Self:
        return cls(
            id=row.id,
            name=row.name,
            description=row.description,
            knowledge_base_ids=knowledge_base_ids,
            model_id=row.model_id,
            prompts=ApplicationPrompts.model_validate(row.prompts),
            settings=ApplicationSettings.model_validate(row.settings),
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
