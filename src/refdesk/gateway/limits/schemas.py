"""Limits at the border."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, model_validator

from refdesk.gateway.limits.rules import Dimension, Measure, WindowKind
from refdesk.kit.border_types import Name, PlainLine

MAX_WINDOW_S = 366 * 24 * 3600

# Sent as numbers: sums of money of at most 15 digits, which JSON's doubles hold.
Amount = Annotated[Decimal, PlainSerializer(float, return_type=float)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="ISO 4217 code, such as USD or CNY.")]


class LimitParts(BaseModel):
    """What a limit consists of.

    `measure` is counted in windows of `window_s` seconds (`window_kind` `seconds`), or by the day or month
    of the workspace's time zone. The five narrowing members say which calls it is for; none is any. `per`
    counts each user, key, application, path or model apart. A soft limit (`is_hard` false) only warns.
    """

    model_config = ConfigDict(extra="forbid")

    name: Name
    measure: Literal["requests", "tokens", "money"]
    amount: Amount = Field(ge=0, le=Decimal(10) ** 12, max_digits=20, decimal_places=8)
    currency: Currency | None = None
    window_kind: Literal["seconds", "day", "month"] = "seconds"
    window_s: int | None = Field(default=None, ge=1, le=MAX_WINDOW_S)
    is_hard: bool = True
    is_active: bool = True
    per: list[Dimension] = Field(default_factory=list[Dimension], max_length=5)
    user_id: UUID | None = None
    api_key_id: UUID | None = None
    application_id: UUID | None = None
    path: PlainLine | None = Field(default=None, min_length=1, max_length=32)
    model_id: UUID | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.window_kind == "seconds") != (self.window_s is not None):
            raise ValueError("window_s goes with window_kind seconds, and only with it")
        if (self.measure == "money") != (self.currency is not None):
            raise ValueError("currency goes with measure money, and only with it")
        if self.measure != "money" and self.amount != int(self.amount):
            raise ValueError("amount must be a whole number of requests or tokens")
        return self


class LimitDraft(LimitParts):
    """A new limit."""


class LimitChange(LimitParts):
    """All of a limit anew; its counters stay unless what is counted changes."""


class LimitView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    measure: Measure
    amount: Amount
    currency: str | None
    window_kind: WindowKind
    window_s: int | None
    is_hard: bool
    is_active: bool
    per: list[Dimension]
    user_id: UUID | None
    api_key_id: UUID | None
    application_id: UUID | None
    path: str | None
    model_id: UUID | None
    created_at: datetime
    updated_at: datetime


class LimitStandingView(BaseModel):
    """What one of those that are counted apart has used in the present window. The ids that name it are
    set as the limit counts `per` them; a limit for all has one standing without any."""

    user_id: UUID | None = None
    api_key_id: UUID | None = None
    application_id: UUID | None = None
    path: str | None = None
    model_id: UUID | None = None
    used: Amount
    window_start: datetime


class LimitStanding(BaseModel):
    """How much of a limit is used, most first; at most 1,000 of those counted apart."""

    limit: LimitView
    standings: Sequence[LimitStandingView]


class QueueView(BaseModel):
    """Calls that hold a model's permits, and calls that wait for one."""

    model_id: UUID
    concurrency: int
    held: int
    waiting: int
