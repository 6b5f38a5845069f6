"""A failed attempt as conditions, breakers and figures see it.

Owns which failures are the model's (they count, and three in a row open its breaker), which are the caller's
(they count for nothing), and the response code of failures that came without one.
"""

from dataclasses import dataclass

from refdesk.gateway.errors import (
    ModelAuthentication,
    ModelBadResponse,
    ModelContextExceeded,
    ModelError,
    ModelInterrupted,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)

OUT_OF_MEMORY_SIGNS = (
    "out of memory",
    "outofmemory",
    "insufficient memory",
    "not enough memory",
    "requires more system memory",  # Ollama
    "kv cache is full",
    "no available memory for the cache blocks",  # vLLM
    "显存不足",
    "内存不足",
)
# What stands for a response code where the server sent none, as a proxy before it would have said it.
_CODES: tuple[tuple[type[ModelError], int], ...] = (
    (ModelAuthentication, 401),
    (ModelNotThere, 404),
    (ModelContextExceeded, 400),
    (ModelRefused, 400),
    (ModelQuota, 402),
    (ModelRateLimited, 429),
    (ModelTimeout, 504),
    (ModelUnavailable, 503),
    (ModelInterrupted, 502),
    (ModelBadResponse, 502),
)
_TRIPPING = (ModelTimeout, ModelUnavailable, ModelInterrupted, ModelBadResponse)
_COUNTING = (*_TRIPPING, ModelRateLimited, ModelQuota)


@dataclass(frozen=True, slots=True)
class Failure:
    """`trips`: counts towards the breaker; `counts`: lowers the SLA figure. `may_retry` is False where the
    model was not asked at all, because its breaker is open or it cannot do what was demanded."""

    error: ModelError
    response_code: int
    code: str
    latency_ms: int
    trips: bool
    counts: bool
    may_retry: bool = True

    @property
    def retry_after_s(self) -> float | None:
        value = self.error.details.get("retry_after_s")
        return float(value) if isinstance(value, int | float) else None

    @property
    def reason(self) -> str:
        """In a word, for notices and logs."""
        return f"{self.response_code} {self.code}"

    @classmethod
    def of(cls, error: ModelError, latency_s: float, *, may_retry: bool = True) -> "Failure":
        if is_out_of_memory(error):
            code, trips, counts = 503, True, True
        else:
            stated = error.details.get("status_code")
            code = stated if isinstance(stated, int) and stated >= 400 else code_of(error)
            trips = isinstance(error, _TRIPPING)
            counts = isinstance(error, _COUNTING)
        return cls(
            error,
            code,
            error.code,
            int(latency_s * 1000),
            trips and may_retry,
            counts and may_retry,
            may_retry,
        )


def code_of(error: ModelError) -> int:
    """The response code that stands for an error which came without one."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    return error.status  # of the gateway's own: a full queue 503, a lack 422


def is_out_of_memory(error: ModelError) -> bool:
    """Whether a local server refused since its memory is full: whatever status it said so with, it is not the
    caller's fault and another server may have room."""
    words = str(error.details.get("vendor_message") or "").lower()
    return any(sign in words for sign in OUT_OF_MEMORY_SIGNS)
