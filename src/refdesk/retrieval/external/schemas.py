"""External sources at the border. A credential goes in and never comes out."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from refdesk.kit.border_types import CleanText, Name

Kind = Literal["chroma", "http", "mariadb", "milvus", "postgres", "weaviate"]


class NewExternalSource(BaseModel):
    """`config` depends on the kind; see the guide to external sources."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    kind: Kind
    config: dict[str, Any]
    credential: SecretStr | None = Field(default=None, description="Password or key; kept sealed.")
    model_id: UUID | None = Field(
        default=None, description="Embedding model of a vector store; null: the workspace's default."
    )
    timeout_s: float = Field(default=10.0, ge=0.1, le=60)


class ExternalSourceView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    kind: str
    config: dict[str, Any]
    has_credential: bool
    model_id: UUID | None
    timeout_s: float
    last_check: dict[str, Any] | None
    created_at: datetime


class SourceCheck(BaseModel):
    """Whether the source answered a search."""

    ok: bool
    code: str | None = Field(description="Code of the error.")
    message: str | None
    hint: str | None
    took_ms: float


class SourceQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: CleanText = Field(min_length=1, max_length=4_000)
    top_k: int = Field(default=3, ge=1, le=100)
    filters: dict[str, str | int | float | bool] = Field(
        default={}, max_length=16, description="Metadata values that hits must have."
    )


class SourceHitView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    doc_id: str
    title: str
    text: str
    score: float = Field(description="0–1 within this source; not comparable with another's.")
    metadata: dict[str, str | int | float | bool]
    url: str | None


class SourceHits(BaseModel):
    """What the source gave, best first."""

    hits: list[SourceHitView]
    took_ms: float
