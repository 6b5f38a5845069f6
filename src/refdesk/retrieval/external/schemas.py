"""External sources at the border. A credential goes in and never comes out."""

from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

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


class SourceDraft(NewExternalSource):
    """Settings to try before they are saved."""

    source_id: UUID | None = Field(
        default=None, description="A saved source whose credential is used where none is given."
    )


class ExternalSourceChange(BaseModel):
    """What changes; a field that is left out stays. The kind and the embedding model are fixed."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    config: dict[str, Any] | None = Field(default=None, description="All settings, in place of the former.")
    credential: SecretStr | None = Field(
        default=None,
        description="Null removes it. With another address it must be given again or removed.",
    )
    timeout_s: float | None = Field(default=None, ge=0.1, le=60)

    @model_validator(mode="after")
    def _require_values(self) -> Self:
        for name in ("name", "config", "timeout_s"):
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"{name} must not be null; leave it out to keep it")
        return self


class SourceKind(BaseModel):
    """A kind of source, and whether this server has what it needs."""

    kind: Kind
    is_installed: bool = Field(description="Whether the client library is there.")
    install: str | None = Field(description="The command that brings it; null where none is needed.")
    needs_embedder: bool = Field(description="Whether it stores vectors of an embedding model.")


class SourceKinds(BaseModel):
    """All kinds, in alphabetical order."""

    items: list[SourceKind]


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
    details: dict[str, Any] = Field(description="What the source or the check of the settings told.")
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
