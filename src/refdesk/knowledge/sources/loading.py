"""One page of a web site: asked for politely, repeated where the server is busy, read as what it is.

Owns the pace, the retries and the count of failures in a row; where the walk goes is `crawl`.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from refdesk.kit.errors import AppError
from refdesk.knowledge.sources.addresses import is_same_page
from refdesk.knowledge.sources.errors import (
    PageKindUnwanted,
    PageStatus,
    PageTimeout,
    PageUnreachable,
    PageWithoutText,
    RedirectRefused,
    SiteFailing,
)
from refdesk.knowledge.sources.fetching import Fetched, Fetcher
from refdesk.knowledge.sources.files import is_page, suffix_of
from refdesk.knowledge.sources.pages import read_page
from refdesk.knowledge.sources.robots import Robots
from refdesk.knowledge.sources.walks import Known, Outcome, Rules

# Seconds before each repetition of a request that a busy or restarting server refused.
RETRY_DELAYS_S: Sequence[float] = (1.0, 4.0)
MAX_RETRY_AFTER_S = 30.0
# So many failures of the server in a row, and the site as a whole is taken to be down.
FAILURES_IN_A_ROW = 10


class PageLoader:
    """Loads pages of one site. `territory` and `robots` are the walk's, which may move to where it is led.

    `has_begun` is false while the start page is looked for. `fetches` counts requests.
    """

    def __init__(self, fetcher: Fetcher, rules: Rules, known: Mapping[str, Known]) -> None:
        self._fetcher = fetcher
        self._rules = rules
        self._known = known
        self.territory = rules.territory
        self.robots = Robots()
        self.has_begun = False
        self.fetches = 0
        self._failures = 0
        self._pace = asyncio.Lock()
        self._due = 0.0

    def begin_pace(self) -> None:
        """Count the pause between requests from now on."""
        self._due = time.monotonic() + self.delay_s

    @property
    def delay_s(self) -> float:
        """Seconds between two requests, as the settings or the site want it."""
        return max(self._rules.delay_s, self.robots.delay_s)

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        """Wait until the next request may begin."""
        if self.delay_s > 0:
            async with self._pace:
                await asyncio.sleep(max(0.0, self._due - time.monotonic()))
                self._due = time.monotonic() + self.delay_s
        yield

    async def _permit(self, address: str) -> bool:
        start = self.territory.start
        same_start = urlsplit(address).hostname == urlsplit(start).hostname
        if not self.has_begun:  # the start page may move within its host, and to or from `www.`
            hosts = {(urlsplit(one).hostname or "").removeprefix("www.") for one in (address, start)}
            return len(hosts) == 1
        return same_start and self.territory.holds(address) and self.robots.allows(address)

    async def _wanted(self, answer: Fetched) -> bool:
        return is_page(answer) or (self._rules.include_files and suffix_of(answer) is not None)

    async def load(self, address: str, *, ignore_canonical: bool) -> Outcome:
        delays = iter(RETRY_DELAYS_S)
        while True:
            outcome = await self._load_once(address)
            status = outcome.status or 0
            is_down = outcome.kind == "failed" and (
                status >= 500 or status == 429 or isinstance(outcome.error, PageUnreachable | PageTimeout)
            )
            if not is_down:
                self._failures = 0
                return outcome if ignore_canonical else self._under_own_address(outcome)
            delay_s = next(delays, None)
            if delay_s is None or isinstance(outcome.error, PageTimeout):
                break
            await asyncio.sleep(max(delay_s, _retry_after(outcome)))
        self._failures += 1
        if self._failures >= FAILURES_IN_A_ROW:
            raise SiteFailing(failures=self._failures)
        return outcome

    async def _load_once(self, address: str) -> Outcome:
        known = self._known.get(address)
        headers: dict[str, str] = {}
        if known is not None and known.etag:
            headers["If-None-Match"] = known.etag
        if known is not None and known.last_modified:
            headers["If-Modified-Since"] = known.last_modified
        self.fetches += 1
        async with self._turn():
            try:
                answer = await self._fetcher.fetch(
                    address, headers=headers, permit=self._permit, wanted=self._wanted
                )
            except RedirectRefused as error:
                return Outcome(address, "skipped", error=error)
            except AppError as error:
                return Outcome(address, "failed", error=error)
        if answer.status == 304:
            return Outcome(address, "same", 304, links=known.links if known else ())
        if answer.status in (404, 410):
            return Outcome(answer.address, "gone", answer.status, error=PageStatus(status=answer.status))
        if not 200 <= answer.status < 300:
            error = PageStatus(f"The server answered with status {answer.status}.", status=answer.status)
            return Outcome(answer.address, "failed", answer.status, fetched=answer, error=error)
        return await self._read(answer)

    async def _read(self, answer: Fetched) -> Outcome:
        if not await self._wanted(answer):
            error = PageKindUnwanted(content_type=answer.content_type[:100])
            return Outcome(answer.address, "skipped", answer.status, error=error)
        if not answer.body:
            return Outcome(
                answer.address, "skipped", answer.status, error=PageWithoutText("The file is empty.")
            )
        if not is_page(answer):
            return Outcome(answer.address, "loaded", answer.status, fetched=answer)
        page = await asyncio.to_thread(
            read_page, answer.body, answer.address, answer.headers, answer.charset, self._rules.selector
        )
        links = tuple(link for link in page.links if self.territory.holds(link))
        if page.problem is not None:
            return Outcome(
                answer.address, "skipped", answer.status, answer, page, links=links, error=page.problem
            )
        return Outcome(answer.address, "loaded", answer.status, answer, page, links)

    def _under_own_address(self, outcome: Outcome) -> Outcome:
        """Under the canonical address where that is only another spelling of the same page."""
        canonical = outcome.page.canonical if outcome.page else None
        if (
            canonical is None
            or canonical == outcome.address
            or not self._rules.follow_canonical
            or not is_same_page(canonical, outcome.address)
            or not self.territory.holds(canonical)
        ):
            return outcome
        return Outcome(
            canonical,
            outcome.kind,
            outcome.status,
            outcome.fetched,
            outcome.page,
            outcome.links,
            outcome.error,
        )


def _retry_after(outcome: Outcome) -> float:
    value = outcome.fetched.headers.get("retry-after", "") if outcome.fetched else ""
    return min(float(value), MAX_RETRY_AFTER_S) if value.isdigit() else 0.0
