"""Usage and prices at the border."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from refdesk.kit.border_types import CleanText, PlainLine

type By = Literal["total", "hour", "day", "model", "application", "user", "api_key", "path"]

Number = Annotated[Decimal, PlainSerializer(float, return_type=float)]
PriceNumber = Annotated[Number, Field(ge=0, le=Decimal(10) ** 9, decimal_places=6)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="ISO 4217 code, such as USD or CNY.")]


class Filters(BaseModel):
    """Which calls are meant. Times are ISO 8601; `until` is not part of the range."""

    since: datetime
    until: datetime
    model_id: UUID | None = None
    application_id: UUID | None = None
    user_id: UUID | None = None
    api_key_id: UUID | None = None
    path: PlainLine | None = Field(default=None, max_length=32)
    failed: bool | None = Field(default=None, description="Only calls that failed, or only others.")


class Cost(BaseModel):
    currency: str
    amount: Number


class Figures(BaseModel):
    """What calls of one day, model, application, person came to.

    `key` is the day or hour (its start, ISO 8601), an id or a path; null holds calls without one. `errors`
    counts calls that failed, whoever's fault; `availability` is the share of tries, earlier ones included,
    that did not fail by the model's fault: its SLA. Latencies are those of calls that succeeded, exact
    within 5 percent, in milliseconds; null where there were none.
    """

    key: str | None
    name: str | None = None
    calls: int
    errors: int
    error_rate: float
    availability: float | None
    cached_answers: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    units: float
    costs: Sequence[Cost]
    p50_ms: int | None
    p95_ms: int | None
    first_token_ms: int | None


class FiguresView(BaseModel):
    """Figures by `by` in the time zone of the workspace. `is_own`: only the caller's own calls are in it."""

    by: By
    time_zone: str
    is_own: bool
    total: Figures
    items: Sequence[Figures]


class CallView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    at: datetime
    model_id: UUID
    kind: str
    path: str
    user_id: UUID | None
    api_key_id: UUID | None
    application_id: UUID | None
    run_id: UUID | None
    request_id: str | None
    is_attempt: bool
    is_cached: bool
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    units: Number
    first_token_ms: int | None
    latency_ms: int
    attempts: int
    switched_from: UUID | None
    code: str
    fault: str
    cost: Number | None
    currency: str | None


class UsageSettingsView(BaseModel):
    """`time_zone` is where days and months of limits, prices and figures begin; `keep_days` how long single
    calls are kept, 0 for ever."""

    model_config = ConfigDict(from_attributes=True, extra="forbid")

    time_zone: PlainLine = Field(default="UTC", max_length=64)
    keep_days: int = Field(default=180, ge=0, le=36_500)


class PriceParts(BaseModel):
    """Per million tokens, per unit of what is not tokens (picture, second, character), per call. Without
    `cached_per_million` tokens the vendor had read before cost as others."""

    model_config = ConfigDict(extra="forbid")

    model_id: UUID
    valid_from: date
    currency: Currency
    input_per_million: PriceNumber = Decimal(0)
    cached_per_million: PriceNumber | None = None
    output_per_million: PriceNumber = Decimal(0)
    per_unit: PriceNumber = Decimal(0)
    per_call: PriceNumber = Decimal(0)


class PriceView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    model_id: UUID
    valid_from: date
    currency: str
    input_per_million: Number
    cached_per_million: Number | None
    output_per_million: Number
    per_unit: Number
    per_call: Number
    updated_at: datetime


class PriceImport(BaseModel):
    """A file of prices as text, with the columns of the export."""

    model_config = ConfigDict(extra="forbid")

    csv: CleanText = Field(max_length=1_000_000)


class PriceImportResult(BaseModel):
    added: int
    changed: int
    unchanged: int
