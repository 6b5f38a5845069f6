"""Jobs for films at the border."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field

from refdesk.gateway.content import MAX_IMAGE_BYTES
from refdesk.kit.border_types import CleanText, PlainLine


class FilmIn(BaseModel):
    """What to film. `picture` (base64) is the first one; models of kind ITV need it, of TTV take none."""

    model_config = ConfigDict(extra="forbid")

    prompt: CleanText = Field(default="", max_length=8_000)
    picture: Base64Bytes | None = Field(default=None, max_length=MAX_IMAGE_BYTES)
    size: PlainLine | None = Field(default=None, max_length=50)
    seconds: int | None = Field(default=None, ge=1, le=120)


class FilmView(BaseModel):
    """A job as shown. `progress` is 0–1 where the vendor tells it."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    model_id: UUID
    prompt: str
    stage: Literal["queued", "running", "finished", "failed", "cancelled"]
    progress: float | None
    error: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime
