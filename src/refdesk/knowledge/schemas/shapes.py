"""What the other modules build on: strict input, partial change, an error within a list."""

from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

State = Literal["queued", "parsing", "splitting", "draft", "indexing", "ready", "failed", "cancelled"]
Tally = dict[State, int]
Access = Literal["everyone", "inherited", "restricted"]
"""Everyone who may view the base, the people of a folder above, or those of a list of its own."""


class Input(BaseModel):
    """Base of what comes in: a field that is not known is refused, not passed over."""

    model_config = ConfigDict(extra="forbid")


class Change(Input):
    """Base of what changes a thing: a field that is left out stays; null is for fields that can be empty."""

    nullable: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="after")
    def _require_values(self) -> Self:
        for name in sorted(self.model_fields_set - self.nullable):
            if getattr(self, name) is None:
                raise ValueError(f"{name} must not be null; leave it out to keep it")
        return self


class Problem(BaseModel):
    """An error as it appears inside a list of outcomes."""

    code: str
    message: str
    hint: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)
