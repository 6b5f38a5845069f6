"""Settings of a table or view of an existing database, which is only read."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Column = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^\x00]+$")]


class TableConfig(BaseModel):
    """Where the table is and what its columns mean. Names are used as they are written, quoted."""

    model_config = ConfigDict(extra="forbid")

    host: str = Field(min_length=1, max_length=255)
    port: int = Field(ge=1, le=65535)
    database: Column
    user: Column
    table: Column
    id_column: Column
    text_columns: list[Column] = Field(min_length=1, max_length=16)
    title_column: Column | None = None
    url_column: Column | None = None
    metadata_columns: list[Column] = Field(default=[], max_length=32, description="May be filtered by.")

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if len(set(self.metadata_columns)) != len(self.metadata_columns):
            raise ValueError("a metadata column is named twice")
        return self
