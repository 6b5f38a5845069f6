"""Fallback rules as data, in the form they are entered, stored and exported in (X12)."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import CleanText, PlainLine

MAX_RULES = 20
MAX_TIMES = 10
MAX_WAIT_MS = 60_000


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid")

    condition: CleanText = Field(
        min_length=1, max_length=1_000, description="CEL, as `response_code == 503 || latency > 5000`."
    )


class SwitchToModel(_Rule):
    """Ask another model. `retry_times`: how often the failing one is asked again before, so that with 2 three
    failures in a row switch. `target_model_id` is a model's id or its name."""

    action: Literal["switch_to_model"]
    target_model_id: PlainLine = Field(min_length=1, max_length=200)
    retry_times: int = Field(default=0, ge=0, le=MAX_TIMES)


class RateLimit(_Rule):
    """Wait `delay_ms`, or longer if the vendor says so, and ask the same model again."""

    action: Literal["rate_limit"]
    delay_ms: int = Field(default=1_000, ge=0, le=MAX_WAIT_MS)
    retry_times: int = Field(default=1, ge=1, le=MAX_TIMES)


class Retry(_Rule):
    """Ask the same model again, after `backoff_ms`, then twice as long, and so on; `Retry-After` of the
    vendor is honoured."""

    action: Literal["retry"]
    retry_times: int = Field(default=2, ge=1, le=MAX_TIMES)
    backoff_ms: int = Field(default=500, ge=0, le=MAX_WAIT_MS)


class Reject(_Rule):
    """Give up with this message."""

    action: Literal["reject"]
    message: CleanText = Field(min_length=1, max_length=500)


type Rule = Annotated[SwitchToModel | RateLimit | Retry | Reject, Field(discriminator="action")]


class Rules(BaseModel):
    """The rules of a policy; the first whose condition holds and that has something left to do applies."""

    model_config = ConfigDict(extra="forbid")

    rules: list[Rule] = Field(min_length=1, max_length=MAX_RULES)
