"""Column shorthands for mapped classes: ids, timestamps, JSON, and the workspace every row belongs to."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from sqlalchemy import DateTime, ForeignKey, LargeBinary, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import mapped_column
from sqlalchemy.types import Text

from refdesk.kit.ids import new_id

Id = Annotated[UUID, mapped_column(Uuid, primary_key=True, default=new_id)]
WorkspaceId = Annotated[
    UUID, mapped_column(Uuid, ForeignKey("workspaces.id", ondelete="CASCADE"), index=True, nullable=False)
]
CreatedAt = Annotated[
    datetime, mapped_column(DateTime(timezone=True), server_default=func.now(), nullable=False)
]
UpdatedAt = Annotated[
    datetime,
    mapped_column(DateTime(timezone=True), server_default=func.now(), onupdate=func.now(), nullable=False),
]
Timestamp = Annotated[datetime, mapped_column(DateTime(timezone=True))]
Json = Annotated[dict[str, Any], mapped_column(JSONB, default=dict, nullable=False)]
JsonList = Annotated[list[Any], mapped_column(JSONB, default=list, nullable=False)]
OptionalJson = Annotated[dict[str, Any], mapped_column(JSONB, nullable=True)]
# What the cipher sealed: `kit.sealed_columns` finds all of these when the master key changes.
Sealed = Annotated[bytes, mapped_column(LargeBinary, info={"sealed": True}, nullable=True)]
TextArray = Annotated[list[str], mapped_column(ARRAY(Text), default=list, nullable=False)]
