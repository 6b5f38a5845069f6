"""How the health of a model is watched: the settings on its row."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from refdesk.gateway.routing.breaker import BreakerSettings
from refdesk.kit.border_types import PlainLine

DEFAULT_INTERVAL_MS = 30_000
SUGGESTED_INTERVAL_MS = 5_000
DEFAULT_OPEN_MS = 10_000
SLOW_HEALTH_MS = 100
"""A health endpoint slower than this is reported as slow (X47)."""


class HealthCheck(BaseModel):
    """`health_check` of a model descriptor, with what is passive beside it. Times are milliseconds.

    Without a `path` nothing is asked actively. A path that begins with `/` is one of the server, any other
    one stands behind the base URL (`models`). `failure_threshold` failures in a row take the model out of
    use for `open_ms`; an answer whose first token takes longer than `latency_threshold` is a failure too.
    """

    model_config = ConfigDict(extra="forbid")

    path: PlainLine | None = Field(default=None, min_length=1, max_length=500)
    timeout_ms: int = Field(default=2_000, ge=10, le=60_000)
    interval_ms: int = Field(default=DEFAULT_INTERVAL_MS, ge=250, le=3_600_000)
    latency_threshold: int | None = Field(default=None, ge=1, le=600_000)
    failure_threshold: int = Field(default=3, ge=1, le=100)
    open_ms: int = Field(default=DEFAULT_OPEN_MS, ge=100, le=3_600_000)

    @field_validator("path")
    @classmethod
    def _is_a_path(cls, value: str | None) -> str | None:
        if value is not None and (":" in value.split("/")[0] or value.startswith("//") or ".." in value):
            raise ValueError("give a path of the model's server, as /health or models")
        return value

    @classmethod
    def of(cls, stored: dict[str, Any] | None) -> "HealthCheck":
        return cls.model_validate(stored or {})

    @property
    def breaker(self) -> BreakerSettings:
        """A model that is probed stays out of use no longer than an interval."""
        open_ms = min(self.open_ms, self.interval_ms) if self.path else self.open_ms
        return BreakerSettings(self.failure_threshold, open_ms / 1000)
