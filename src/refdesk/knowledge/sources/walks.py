"""What a walk over a web site is told and tells: its rules, what is known before it, what it met."""

from dataclasses import dataclass
from typing import Literal, Protocol

from refdesk.kit.errors import AppError
from refdesk.knowledge.sources.addresses import Territory
from refdesk.knowledge.sources.fetching import Fetched
from refdesk.knowledge.sources.pages import WebPage


@dataclass(frozen=True, slots=True)
class Rules:
    """How a site is walked. `depth` 0 is the start page alone; `delay_s` is between two requests."""

    territory: Territory
    depth: int = 5
    max_pages: int = 500
    selector: str | None = None
    use_sitemap: bool = True
    include_files: bool = True
    follow_canonical: bool = True
    concurrency: int = 2
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Known:
    """What is remembered of an address. `is_done`: recorded earlier in this very run, as a page or not."""

    etag: str | None = None
    last_modified: str | None = None
    links: tuple[str, ...] = ()
    is_done: bool = False
    is_page: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an address.

    `loaded`: there is content (`page`, or the body of `fetched` for another kind of file); `same`: the server
    says it has not changed; `gone`: 404 or 410; `skipped` and `failed`: `error` says why.
    """

    address: str
    kind: Literal["loaded", "same", "gone", "skipped", "failed"]
    status: int | None = None
    fetched: Fetched | None = None
    page: WebPage | None = None
    links: tuple[str, ...] = ()
    error: AppError | None = None


class Recorder(Protocol):
    """Where outcomes go. Called by several pages at once."""

    async def record(self, outcome: Outcome) -> bool:
        """Keep an outcome. False if its content is that of a page recorded before, under another address."""
        ...
