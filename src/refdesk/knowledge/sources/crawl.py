"""Walking a web site from its start page: breadth first, within its territory, as politely as it asks.

Owns the order, the limits and the manners of a run; knows neither the database nor documents. What becomes
of each address is told to a `Recorder` at once, so that a run that breaks off loses nothing, and what an
earlier part of the same run has recorded is walked over without being fetched again.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal, Protocol, cast
from urllib.parse import urlsplit

import structlog

from refdesk.kit.errors import AppError
from refdesk.knowledge.sources.addresses import Territory, is_same_page, is_trap, normalised
from refdesk.knowledge.sources.errors import (
    AddressInvalid,
    PageKindUnwanted,
    PageNotWanted,
    PageStatus,
    PageTimeout,
    PageUnreachable,
    PageWithoutText,
    RedirectRefused,
    SiteFailing,
    SiteForbids,
    SiteUnreachable,
)
from refdesk.knowledge.sources.fetching import Fetched, Fetcher
from refdesk.knowledge.sources.files import is_page, suffix_of, worth_fetching
from refdesk.knowledge.sources.pages import WebPage, read_page
from refdesk.knowledge.sources.robots import Robots, read_robots
from refdesk.knowledge.sources.sitemaps import sitemap_addresses

log = structlog.get_logger(__name__)

# Seconds before each repetition of a request that a busy or restarting server refused.
RETRY_DELAYS_S: Sequence[float] = (1.0, 4.0)
MAX_RETRY_AFTER_S = 30.0
# So many failures of the server in a row, and the site as a whole is taken to be down.
FAILURES_IN_A_ROW = 10
# Addresses fetched for each page that may be imported: redirects, pages not to be indexed, errors.
FETCHES_PER_PAGE = 4


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


@dataclass(frozen=True, slots=True)
class _Step:
    address: str
    depth: int
    # The address that named this one as its canonical address; such a page does not pass the honour on.
    claimed_by: str | None = None


class Crawl:
    """One walk. `known` is by address. After `run`, `is_complete` tells whether no limit cut it short."""

    def __init__(
        self, fetcher: Fetcher, rules: Rules, known: Mapping[str, Known], recorder: Recorder
    ) -> None:
        self._fetcher = fetcher
        self._rules = rules
        self._territory = rules.territory
        self._known = known
        self._recorder = recorder
        self._robots = Robots()
        self._seen: set[str] = set()
        self._deferred: dict[str, _Step] = {}
        self._kinds: dict[str, str] = {}
        self._next: deque[_Step] = deque()
        self._pages = self._fetches = self._failures = 0
        self._pace = asyncio.Lock()
        self._due = 0.0
        self.is_complete = True

    async def run(self) -> None:
        """Walk the site. Raises `SiteUnreachable`, `SiteForbids`, `SiteFailing`, `AddressInvalid`."""
        start = self._territory.start
        parts = urlsplit(start)
        self._robots = await read_robots(self._fetcher, f"{parts.scheme}://{parts.netloc}")
        self._due = time.monotonic() + self.delay_s
        await self._start(start)
        if self._rules.depth > 0 and self._rules.use_sitemap:
            parts = urlsplit(self._territory.start)
            await self._add_sitemaps(f"{parts.scheme}://{parts.netloc}")
        while self._next:
            level, self._next = self._next, deque()
            await self._level(level)
        for step in list(self._deferred.values()):
            # Whoever named it its canonical address was wrong: there was nothing to import.
            if self._kinds.get(step.address) in (None, "gone", "failed", "skipped") and step.claimed_by:
                self._seen.discard(step.claimed_by)
                await self._visit(_Step(step.claimed_by, step.depth, claimed_by=step.address))

    async def revisit(self, address: str) -> Outcome:
        """What an address that the walk did not come by answers now. Nothing is recorded or followed."""
        if not self._territory.holds(address) or not self._robots.allows(address):
            return Outcome(address, "skipped", error=PageNotWanted("The page is not in reach any more."))
        return await self._load(address, ignore_canonical=True)

    async def _start(self, start: str) -> None:
        if not self._robots.allows(start):
            raise SiteForbids(address=start)
        known = self._known.get(start)
        if known is not None and known.is_done:
            self._seen.add(start)
            self._territory = self._territory.settled(known.links)
            self._enqueue(known.links, 1)
            return
        outcome = await self._load(start, ignore_canonical=True)
        if outcome.kind in ("gone", "failed"):
            cause = outcome.error
            raise SiteUnreachable(
                None
                if cause is None
                else f"The start page could not be read. {cause.text} Nothing was changed.",
                hint=None if cause is None else cause.hint_text,
                status=outcome.status,
                cause=None if cause is None else cause.code,
            )
        if outcome.fetched is not None and outcome.fetched.address != start:
            # `/docs` that leads to `/docs/`, or to the same name under https: the site is where it ends.
            moved = outcome.fetched.address
            self._territory = replace(self._territory, start=moved)
            parts = urlsplit(moved)
            if parts.netloc != urlsplit(start).netloc:
                self._robots = await read_robots(self._fetcher, f"{parts.scheme}://{parts.netloc}")
                if not self._robots.allows(moved):
                    raise SiteForbids(address=moved)
        self._seen.update((start, outcome.address))
        found = outcome.links if outcome.page is None else outcome.page.links
        self._territory = self._territory.settled(found)
        held = tuple(link for link in found if self._territory.holds(link))
        await self._finish(replace(outcome, links=held), 0)

    async def _add_sitemaps(self, origin: str) -> None:
        starts = [*self._robots.sitemaps, f"{origin}/sitemap.xml"]
        addresses = await sitemap_addresses(
            self._fetcher, starts, most=self._rules.max_pages * FETCHES_PER_PAGE
        )
        self._enqueue([address for address in addresses if self._territory.is_near(address)], 1)

    async def _level(self, steps: deque[_Step]) -> None:
        async def work() -> None:
            while steps:
                await self._visit(steps.popleft())

        workers = 1 if self.delay_s > 0 else self._rules.concurrency
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(work())
        except BaseExceptionGroup as failures:
            raise _first(failures) from None

    async def _visit(self, step: _Step) -> None:
        address = step.address
        if address in self._seen:
            return
        if self._pages >= self._rules.max_pages or self._fetches >= (
            self._rules.max_pages * FETCHES_PER_PAGE + 100
        ):
            self.is_complete = False
            return
        self._seen.add(address)
        known = self._known.get(address)
        if known is not None and known.is_done:
            self._pages += known.is_page
            self._kinds[address] = "same" if known.is_page else "skipped"
            self._enqueue(known.links, step.depth + 1)
            return
        if not self._robots.allows(address):
            error = PageNotWanted("The site's robots.txt does not allow this page to be fetched.")
            await self._recorder.record(Outcome(address, "skipped", error=error))
            return
        outcome = await self._load(address, ignore_canonical=step.claimed_by is not None)
        if outcome.address != address:
            if outcome.address in self._seen:
                # A redirect, or another spelling, of a page that was walked already.
                self._kinds[address] = self._kinds.get(outcome.address, "same")
                return
            self._seen.add(outcome.address)
        canonical = outcome.page.canonical if outcome.page else None
        if self._defers(outcome, canonical, step):
            assert canonical is not None
            self._deferred[address] = _Step(canonical, step.depth, claimed_by=outcome.address)
            error = PageNotWanted("The page names another one as its canonical address.", canonical=canonical)
            links = (canonical, *outcome.links)
            await self._recorder.record(
                Outcome(outcome.address, "skipped", outcome.status, links=links, error=error)
            )
            self._next.appendleft(_Step(canonical, step.depth, claimed_by=outcome.address))
            self._enqueue(outcome.links, step.depth + 1)
            return
        self._kinds[address] = outcome.kind
        await self._finish(outcome, step.depth)

    def _defers(self, outcome: Outcome, canonical: str | None, step: _Step) -> bool:
        if canonical is None or step.claimed_by is not None or not self._rules.follow_canonical:
            return False
        if canonical in (outcome.address, step.address) or not self._territory.holds(canonical):
            return False
        # In a circle of pages that name each other the second one stays what it is.
        return canonical not in self._deferred and self._kinds.get(canonical) not in ("gone", "failed")

    async def _finish(self, outcome: Outcome, depth: int) -> None:
        is_new = await self._recorder.record(outcome)
        self._kinds[outcome.address] = outcome.kind
        if outcome.kind in ("loaded", "same") and is_new:
            self._pages += 1
        self._enqueue(outcome.links, depth + 1)

    def _enqueue(self, addresses: Sequence[str], depth: int) -> None:
        if depth > self._rules.depth:
            return
        for address in addresses:
            if (
                address not in self._seen
                and self._territory.holds(address)
                and not is_trap(address)
                and worth_fetching(address, include_files=self._rules.include_files)
            ):
                self._next.append(_Step(address, depth))

    @property
    def delay_s(self) -> float:
        """Seconds between two requests, as the settings or the site want it."""
        return max(self._rules.delay_s, self._robots.delay_s)

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        """Wait until the next request may begin."""
        if self.delay_s > 0:
            async with self._pace:
                await asyncio.sleep(max(0.0, self._due - time.monotonic()))
                self._due = time.monotonic() + self.delay_s
        yield

    async def _permit(self, address: str) -> bool:
        start = self._territory.start
        same_start = urlsplit(address).hostname == urlsplit(start).hostname
        if not self._seen:  # the start page may move within its host, and to or from `www.`
            hosts = {(urlsplit(one).hostname or "").removeprefix("www.") for one in (address, start)}
            return len(hosts) == 1
        return same_start and self._territory.holds(address) and self._robots.allows(address)

    async def _wanted(self, answer: Fetched) -> bool:
        return is_page(answer) or (self._rules.include_files and suffix_of(answer) is not None)

    async def _load(self, address: str, *, ignore_canonical: bool) -> Outcome:
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
        self._fetches += 1
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
        links = tuple(link for link in page.links if self._territory.holds(link))
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
            or not self._territory.holds(canonical)
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


def start_address(address: str) -> str:
    """The address a site is walked from. Raises `AddressInvalid`."""
    found = normalised(address)
    if found is None:
        raise AddressInvalid
    return found


def _retry_after(outcome: Outcome) -> float:
    value = outcome.fetched.headers.get("retry-after", "") if outcome.fetched else ""
    return min(float(value), MAX_RETRY_AFTER_S) if value.isdigit() else 0.0


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    first = failures.exceptions[0]
    while isinstance(first, BaseExceptionGroup):
        first = cast("BaseExceptionGroup[BaseException]", first).exceptions[0]
    return first
