"""Walking a web site from its start page: breadth first, within its territory, as politely as it asks.

Owns the order, the limits and the manners of a run; knows neither the database nor documents. What becomes
of each address is told to a `Recorder` at once, so that a run that breaks off loses nothing, and what an
earlier part of the same run has recorded is walked over without being fetched again.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import urlsplit

from refdesk.kit.http import AddressRefused
from refdesk.knowledge.sources.addresses import is_trap, normalised
from refdesk.knowledge.sources.errors import AddressInvalid, PageNotWanted, SiteForbids, SiteUnreachable
from refdesk.knowledge.sources.fetching import Fetcher
from refdesk.knowledge.sources.files import worth_fetching
from refdesk.knowledge.sources.loading import PageLoader
from refdesk.knowledge.sources.robots import read_robots
from refdesk.knowledge.sources.sitemaps import sitemap_addresses
from refdesk.knowledge.sources.walks import Known, Outcome, Recorder, Rules

# Addresses fetched for each page that may be imported: redirects, pages not to be indexed, errors.
FETCHES_PER_PAGE = 4


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
        self._known = known
        self._recorder = recorder
        self._loader = PageLoader(fetcher, rules, known)
        self._seen: set[str] = set()
        self._deferred: dict[str, _Step] = {}
        self._kinds: dict[str, str] = {}
        self._next: deque[_Step] = deque()
        self._pages = 0
        self.is_complete = True

    async def run(self) -> None:
        """Walk the site. Raises `SiteUnreachable`, `SiteForbids`, `SiteFailing`, `AddressInvalid`, and
        `AddressRefused` where the site itself may not be connected to."""
        start = self._loader.territory.start
        parts = urlsplit(start)
        self._loader.robots = await read_robots(self._fetcher, f"{parts.scheme}://{parts.netloc}")
        self._loader.begin_pace()
        await self._start(start)
        if self._rules.depth > 0 and self._rules.use_sitemap:
            parts = urlsplit(self._loader.territory.start)
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
        if not self._loader.territory.holds(address) or not self._loader.robots.allows(address):
            return Outcome(address, "skipped", error=PageNotWanted("The page is not in reach any more."))
        return await self._loader.load(address, ignore_canonical=True)

    async def _start(self, start: str) -> None:
        if not self._loader.robots.allows(start):
            raise SiteForbids(address=start)
        known = self._known.get(start)
        if known is not None and known.is_done:
            self._seen.add(start)
            self._loader.has_begun = True
            self._loader.territory = self._loader.territory.settled(known.links)
            self._enqueue(known.links, 1)
            return
        outcome = await self._loader.load(start, ignore_canonical=True)
        if outcome.kind in ("gone", "failed"):
            cause = outcome.error
            if isinstance(cause, AddressRefused):
                raise cause
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
            self._loader.territory = replace(self._loader.territory, start=moved)
            parts = urlsplit(moved)
            if parts.netloc != urlsplit(start).netloc:
                self._loader.robots = await read_robots(self._fetcher, f"{parts.scheme}://{parts.netloc}")
                if not self._loader.robots.allows(moved):
                    raise SiteForbids(address=moved)
        self._seen.update((start, outcome.address))
        self._loader.has_begun = True
        found = outcome.links if outcome.page is None else outcome.page.links
        self._loader.territory = self._loader.territory.settled(found)
        held = tuple(link for link in found if self._loader.territory.holds(link))
        await self._finish(replace(outcome, links=held), 0)

    async def _add_sitemaps(self, origin: str) -> None:
        starts = [*self._loader.robots.sitemaps, f"{origin}/sitemap.xml"]
        addresses = await sitemap_addresses(
            self._fetcher, starts, most=self._rules.max_pages * FETCHES_PER_PAGE
        )
        self._enqueue([address for address in addresses if self._loader.territory.is_near(address)], 1)

    async def _level(self, steps: deque[_Step]) -> None:
        async def work() -> None:
            while steps:
                await self._visit(steps.popleft())

        workers = 1 if self._loader.delay_s > 0 else self._rules.concurrency
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
        if self._pages >= self._rules.max_pages or self._loader.fetches >= (
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
        if not self._loader.robots.allows(address):
            error = PageNotWanted("The site's robots.txt does not allow this page to be fetched.")
            await self._recorder.record(Outcome(address, "skipped", error=error))
            return
        outcome = await self._loader.load(address, ignore_canonical=step.claimed_by is not None)
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
        if canonical in (outcome.address, step.address) or not self._loader.territory.holds(canonical):
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
                and self._loader.territory.holds(address)
                and not is_trap(address)
                and worth_fetching(address, include_files=self._rules.include_files)
            ):
                self._next.append(_Step(address, depth))


def start_address(address: str) -> str:
    """The address a site is walked from. Raises `AddressInvalid`."""
    found = normalised(address)
    if found is None:
        raise AddressInvalid
    return found


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    first = failures.exceptions[0]
    while isinstance(first, BaseExceptionGroup):
        first = cast("BaseExceptionGroup[BaseException]", first).exceptions[0]
    return first
