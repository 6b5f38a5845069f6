"""Knowledge graphs at the border."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import CleanText, PlainLine
from refdesk.kit.web import Page

Method = Literal["rules", "model"]
GraphState = Literal["none", "queued", "building", "ready", "failed", "cancelled"]
EntityKind = Literal["thing", "code", "value"]


class GraphBuild(BaseModel):
    """How a graph is to be built. What was read by the same method and model is not read again."""

    model_config = ConfigDict(extra="forbid")

    method: Method = "rules"
    model_id: UUID | None = Field(
        default=None, description="Of a language model; without one the workspace's default."
    )
    follows: bool | None = Field(
        default=None,
        description="Whether what is new or edited is read by itself; null: by rules yes, by a model no.",
    )


class GraphChange(BaseModel):
    """What can be changed of a graph."""

    model_config = ConfigDict(extra="forbid")

    follows: bool


class GraphEstimate(BaseModel):
    """What a build would read, and about what it would cost. By rules there are no calls and no cost."""

    method: Method
    model_id: UUID | None
    paragraphs: int = Field(description="Not read yet as they are now by this method and model.")
    characters: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None = Field(description="Null where the model has no price.")
    currency: str | None


class GraphView(BaseModel):
    """The graph of a knowledge base. Numbers are of what you may see.

    For whom documents of the base are hidden from, progress is in percent, `pending` 0 or 1, and there are
    neither tokens nor cost.
    """

    state: GraphState
    method: Method | None
    model_id: UUID | None
    follows: bool
    progress_done: int
    progress_total: int
    pending: int = Field(description="Paragraphs that were added or edited and are not read yet.")
    entities: int
    relations: int
    paragraphs: int = Field(description="That tell a relation.")
    skipped: int = Field(description="Paragraphs of which the model gave no usable answer.")
    input_tokens: int
    output_tokens: int
    cost: Decimal | None
    currency: str | None
    error: dict[str, Any] | None
    updated_at: datetime | None


NO_GRAPH = GraphView(
    state="none",
    method=None,
    model_id=None,
    follows=False,
    progress_done=0,
    progress_total=0,
    pending=0,
    entities=0,
    relations=0,
    paragraphs=0,
    skipped=0,
    input_tokens=0,
    output_tokens=0,
    cost=None,
    currency=None,
    error=None,
    updated_at=None,
)


class EntityView(BaseModel):
    """An entity, as it is mostly called."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    kind: EntityKind
    also: tuple[str, ...] = Field(description="Other names of it in what was read.")


class ListedEntityView(BaseModel):
    """An entity in a list."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    kind: EntityKind
    paragraphs: int = Field(description="That name it, of those you may see.")


class EvidenceView(BaseModel):
    """A place that tells a relation; `start` and `end` are offsets in the paragraph's content."""

    model_config = ConfigDict(from_attributes=True)

    paragraph_id: UUID
    document_id: UUID
    document_name: str
    knowledge_base_id: UUID
    title: str
    title_chain: tuple[str, ...]
    page: int | None
    quote: str
    start: int
    end: int


class RelationView(BaseModel):
    """A relation from source to target, with the first of the paragraphs that tell it."""

    model_config = ConfigDict(from_attributes=True)

    source: EntityView
    target: EntityView
    kind: str = Field(description="`attribute`, `supports`, `part_of`, …; of an attribute `label` names it.")
    label: str = Field(description="What the text calls it.")
    told: int = Field(description="In how many paragraphs.")
    paragraphs: tuple[EvidenceView, ...]


class GraphPart(BaseModel):
    """A part of the graph, to be drawn or listed."""

    model_config = ConfigDict(from_attributes=True)

    centre: EntityView | None
    entities: tuple[EntityView, ...]
    edges: tuple[RelationView, ...]
    truncated: bool = Field(description="There is more than is shown.")


class PathsRequest(BaseModel):
    """Paths between entities, by name or as a question names them."""

    model_config = ConfigDict(extra="forbid")

    entities: list[PlainLine] = Field(default=[], max_length=8, description="Names; else `question` is read.")
    question: CleanText | None = Field(default=None, max_length=2_000)
    max_hops: int = Field(default=3, ge=1, le=4)
    limit: int = Field(default=10, ge=1, le=50)


class PathView(BaseModel):
    """Entities in order and the edges between them; an edge may run either way."""

    model_config = ConfigDict(from_attributes=True)

    entities: tuple[EntityView, ...]
    edges: tuple[RelationView, ...]


class PathsView(BaseModel):
    """Paths, the shortest first."""

    model_config = ConfigDict(from_attributes=True)

    entities: tuple[EntityView, ...] = Field(description="Those that were found in what was asked.")
    paths: tuple[PathView, ...]
    truncated: bool = Field(description="An entity on the way has more relations than were read.")


class EntityPage(Page[ListedEntityView]):
    """Entities of a graph, the often named first."""
