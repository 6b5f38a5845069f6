"""One run over a web site: what the crawl meets becomes documents, new versions, or is taken away.

Every page is recorded in a transaction of its own, so that a run that breaks off has lost nothing; started
again it walks over what it has recorded since `last_run_at`. Nothing is removed unless the walk came to its
end, and never more than half of it without being told so.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, enqueue, pending_jobs
from refdesk.kit.clock import now
from refdesk.kit.errors import AppError
from refdesk.kit.http import Resolver, system_resolver
from refdesk.kit.ids import new_id
from refdesk.knowledge.processing import unexpected_failure
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.sources.addresses import Territory
from refdesk.knowledge.sources.contents import ALWAYS_REMOVABLE, incoming, problem_of, remove_document
from refdesk.knowledge.sources.crawl import Crawl
from refdesk.knowledge.sources.errors import TooMuchVanished
from refdesk.knowledge.sources.fetching import Fetcher
from refdesk.knowledge.sources.page_records import PageRecords, content_of
from refdesk.knowledge.sources.repository import ItemRepository, SourceRepository
from refdesk.knowledge.sources.schedule import SYNC_SOURCE, next_run
from refdesk.knowledge.sources.schemas import WebsiteConfig
from refdesk.knowledge.sources.walks import Known, Outcome, Rules
from refdesk.knowledge.tables import Source, SourceItem
from refdesk.knowledge.views import upload_limit

log = structlog.get_logger(__name__)

# How often a run asks whether it is still wanted; a cancel takes effect within this and one write.
WATCH_S = 1.0
COUNT_EVERY_S = 1.0
# How long a run may hold its worker while other jobs wait: a patient walk takes hours, an upload must not.
TURN_S = 60.0


class Superseded(Exception):
    """The run may not write any more: it was cancelled, the source was deleted, or another run took over."""


class TurnOver(Exception):
    """The run has had its turn and others wait for the worker; it goes on from what it has recorded."""


class WebsiteRun:
    """One run of the job `sync-source` over a web site."""

    def __init__(
        self,
        context: JobContext,
        scope: Scope,
        source_id: UUID,
        *,
        allow_mass_removal: bool = False,
        restore_deleted: bool = False,
        resolver: Resolver = system_resolver,
    ) -> None:
        self._settings = context.settings
        self._database = context.database
        self._scope = scope
        self._source_id = source_id
        self._allow_mass_removal = allow_mass_removal
        self._restore_deleted = restore_deleted
        self._resolver = resolver
        self._attempt = new_id()
        self._counted_at = 0.0
        self._turn_s = TURN_S

    async def run(self) -> None:
        """Bring the source to `idle`, or to `failed` with the reason. Does nothing if it is not wanted."""
        if not await self._claim():
            return
        try:
            await self._while_owned(self._work())
            await self._end("idle", None)
        except Superseded:
            log.info("source.superseded", source_id=str(self._source_id))
        except TurnOver:
            await self._queue_again()
        except (OperationalError, InterfaceError):
            raise  # the database is out of reach: the queue tries again
        except AppError as error:
            await self._end("failed", problem_of(error))
        except Exception:  # noqa: BLE001 - the edge of a job: recorded with an id, shown to the person
            await self._end("failed", unexpected_failure("crawling", self._source_id))

    async def _claim(self) -> bool:
        async with self._database.transaction() as session:
            source = await SourceRepository(session, self._scope).find(self._source_id, lock=True)
            if source is None or source.state not in ("queued", "running") or source.cancel_requested:
                return False
            if source.state == "queued" or source.last_run_at is None:
                source.last_run_at = now()
                source.counts = {}
            source.state = "running"
            source.error = None
            source.attempt = self._attempt
            self._since = source.last_run_at
            return True

    async def _work(self) -> None:
        async with self._database.transaction() as session:
            source = await self._owned(session)
            config = WebsiteConfig.model_validate(
                {k: v for k, v in source.config.items() if k in WebsiteConfig.model_fields}
            )
            base = await KnowledgeBaseRepository(session, self._scope).get(source.knowledge_base_id)
            limit = upload_limit(base, self._settings)
            present = await SourceRepository(session, self._scope).present_documents(self._source_id)
            items = await ItemRepository(session, self._scope, self._source_id).all_known()
        known = {item.key: self._known(item, item.document_id in present) for item in items}
        async with Fetcher(self._settings, max_bytes=limit, resolver=self._resolver) as fetcher:
            crawl = Crawl(fetcher, rules_of(config), known, self)
            self._turn_s = max(TURN_S, 2 * config.delay_ms / 1000)
            await crawl.run()
            await self._sweep(crawl)

    def _known(self, item: SourceItem, has_document: bool) -> Known:
        return Known(
            # Without its document a page must come whole, or not at all where a person deleted it.
            etag=item.etag if has_document else None,
            last_modified=item.last_modified if has_document else None,
            links=tuple(item.links),
            is_done=item.seen_at is not None and item.seen_at >= self._since and item.state != "failed",
            is_page=item.state in ("added", "changed", "unchanged"),
        )

    # What the crawl tells.

    async def record(self, outcome: Outcome) -> bool:
        """Write down what became of an address, with its document. See `Recorder`."""
        content = content_of(outcome)
        file = None if content is None else await incoming(self._database, self._scope, content)
        try:
            async with self._database.transaction() as session:
                source = await self._owned(session)
                records = self._records(session, source)
                is_new = await records.record(outcome, file)
                await self._count(source, records.items)
        except Superseded:
            raise
        except AppError as error:  # no room for another document, say: the page's own failure
            async with self._database.transaction() as session:
                source = await self._owned(session)
                records = self._records(session, source)
                await records.note(outcome, "failed", error=problem_of(error), etag=None, last_modified=None)
                await self._count(source, records.items)
            is_new = True
        finally:
            if file is not None:
                await file.discard()
        return is_new

    def _records(self, session: AsyncSession, source: Source) -> PageRecords:
        return PageRecords(session, self._scope, source, self._since, restore_deleted=self._restore_deleted)

    # The end of the walk.

    async def _sweep(self, crawl: Crawl) -> None:
        """Ask after every document that the walk did not come by, and remove those that are gone."""
        async with self._database.transaction() as session:
            await self._owned(session)
            items = ItemRepository(session, self._scope, self._source_id)
            unseen = await items.unseen(self._since)
            total = (await SourceRepository(session, self._scope).document_counts([self._source_id])).get(
                self._source_id, 0
            )
        vanished: list[Outcome] = []
        for item in unseen:
            outcome = await crawl.revisit(item.key)
            if outcome.kind == "failed":
                await self.record(outcome)
            elif outcome.kind == "gone" or crawl.is_complete:
                vanished.append(Outcome(item.key, "gone", outcome.status))
            else:  # cut short by a limit: the page may well be linked from one that was not read
                await self.record(outcome)
        if len(vanished) > max(ALWAYS_REMOVABLE, total / 2) and not self._allow_mass_removal:
            raise TooMuchVanished(documents=total, vanished=len(vanished))
        for outcome in vanished:
            await self._remove(outcome)
        async with self._database.transaction() as session:
            source = await self._owned(session)
            items = ItemRepository(session, self._scope, self._source_id)
            if crawl.is_complete:
                await items.forget_never_imported(self._since)
            await self._count(source, items, at_once=True)

    async def _remove(self, outcome: Outcome) -> None:
        async with self._database.transaction() as session:
            source = await self._owned(session)
            records = self._records(session, source)
            item = await records.items.find(outcome.address)
            if item is None or item.document_id is None:
                return
            await remove_document(session, self._scope, item.document_id)
            await records.note(
                outcome,
                "removed",
                error=None,
                document_id=None,
                content_hash=None,
                etag=None,
                last_modified=None,
            )
            await self._count(source, records.items)

    async def _count(self, source: Source, items: ItemRepository, *, at_once: bool = False) -> None:
        """Renew the source's counts, at most once a second: it is a scan of the run's items."""
        if at_once or time.monotonic() - self._counted_at >= COUNT_EVERY_S:
            self._counted_at = time.monotonic()
            counts = await items.counts(self._since)
            source.counts = {"found": sum(counts.values()) - counts.get("removed", 0), **counts}

    async def _owned(self, session: AsyncSession) -> Source:
        """The source, locked until the transaction ends. Raises `Superseded` if it is not ours to write."""
        source = await SourceRepository(session, self._scope).find(self._source_id, lock=True)
        if source is None or source.attempt != self._attempt or source.cancel_requested:
            raise Superseded
        return source

    async def _while_owned(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        began = time.monotonic()
        try:
            while not (await asyncio.wait({task}, timeout=WATCH_S))[0]:
                async with self._database.transaction() as session:
                    source = await SourceRepository(session, self._scope).find(self._source_id)
                    if source is None or source.attempt != self._attempt or source.cancel_requested:
                        raise Superseded
                    is_over = time.monotonic() - began > self._turn_s
                    if is_over and (await pending_jobs(session)).get("todo"):
                        raise TurnOver
            task.result()
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task

    async def _queue_again(self) -> None:
        """Go on behind the jobs that wait; the state stays `running`, which is what a next run takes up."""
        with contextlib.suppress(Superseded):
            async with self._database.transaction() as session:
                await self._owned(session)
                await enqueue(
                    session,
                    SYNC_SOURCE,
                    lock=f"source:{self._source_id}",
                    unique=True,
                    line=self._source_id,
                    workspace_id=str(self._scope.workspace_id),
                    source_id=str(self._source_id),
                    allow_mass_removal=self._allow_mass_removal,
                    restore_deleted=self._restore_deleted,
                )

    async def _end(self, state: str, error: dict[str, Any] | None) -> None:
        with contextlib.suppress(Superseded):
            async with self._database.transaction() as session:
                source = await self._owned(session)
                items = ItemRepository(session, self._scope, self._source_id)
                await self._count(source, items, at_once=True)
                source.state = state
                source.error = error
                source.attempt = None
                source.next_run_at = next_run(source.interval_hours)


def rules_of(config: WebsiteConfig) -> Rules:
    return Rules(
        territory=Territory(config.url, config.scope, tuple(config.include), tuple(config.exclude)),
        depth=config.depth,
        max_pages=config.max_pages,
        selector=config.selector,
        use_sitemap=config.use_sitemap,
        include_files=config.include_files,
        follow_canonical=config.follow_canonical,
        concurrency=config.concurrency,
        delay_s=config.delay_ms / 1000,
    )
