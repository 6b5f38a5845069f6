"""What a call to a model is for: limits, usage and caches are kept by it."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Purpose:
    """Who or what asks, beside the scope (which holds the workspace, the person and the API key).

    `path` is the kind of work (`answer`, `rewrite`, `search`, `index`, `evaluate`, `check`, `try`,
    `gateway`); `request_id` is what the model's server gets as `X-Request-ID`. `may_restart`: whoever reads
    a stream takes what was written back at the notice `restarted`, so an answer that broke off may begin
    anew elsewhere.
    """

    path: str = "other"
    application_id: UUID | None = None
    run_id: UUID | None = None
    request_id: str | None = None
    may_restart: bool = False


NO_PURPOSE = Purpose()
