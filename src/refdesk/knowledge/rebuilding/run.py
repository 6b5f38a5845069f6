"""One run of the job that brings an index up to the active one: the build itself, and every change after it.

The checkpoints are those of indexing: what an index holds of each paragraph is written with its entries. So a
run that was killed is simply run again, and a paragraph edited, added or hidden meanwhile is one more that is
pending.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Gateway, Purpose
from refdesk.jobs import JobContext, enqueue
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.knowledge.index_batches import IndexBatches
from refdesk.knowledge.indexing import (
    HOMES_LOCK,
    IndexNotFound,
    VectorsMismatch,
    Written,
    create_index,
    settle,
)
from refdesk.knowledge.indexing.tables import IndexBuild, KnowledgeIndex
from refdesk.knowledge.rebuilding.errors import EmbeddingSizeChanged
from refdesk.knowledge.rebuilding.repository import FIRST, IndexBuildRepository
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.tables import Document

log = structlog.get_logger(__name__)

FINISH_BUILD = "finish-index-build"
AT_ONCE = 2_000
# Passes over a base that is edited all the while. What is left then is taken in by the jobs of those edits.
MAX_PASSES = 20
_WORKING = ("queued", "building")
_FOLLOWING = ("built", "switched")

type AfterBuild = Callable[[AsyncSession, Scope, IndexBuild], Awaitable[None]]
# Rooms above say here what is to happen, in the same transaction, when an index has been built.
after_build: list[AfterBuild] = []


class _Stopped(Exception):
    """Somebody cancelled, discarded or switched it, or another run took over."""


class BuildRun:
    """One run of the job `build-index`."""

    def __init__(self, context: JobContext, scope: Scope, build_id: UUID) -> None:
        self._context = context
        self._database = context.database
        self._scope = scope
        self._build_id = build_id
        self._attempt = new_id()

    async def run(self) -> None:
        """Index what the other index lacks; a build that has nothing more to take in is finished."""
        if not await self._claim():
            return
        try:
            await self._follow()
            await self._complete()
        except _Stopped:
            log.info("index_build.stopped", build_id=str(self._build_id))
        except (OperationalError, InterfaceError):
            raise  # out of reach, or a deadlock: the queue tries again
        except IndexNotFound:
            log.info("index_build.discarded", build_id=str(self._build_id))
        except AppError as error:
            await self._fail({"code": error.code, "reason": error.text, "hint": error.hint_text})
        except Exception:
            error_id = new_id().hex[-12:]
            log.exception("index_build.crashed", error_id=error_id, build_id=str(self._build_id))
            reason = "Something went wrong inside Refdesk."
            hint = f"The worker's log has the details under {error_id}. Resuming may help."
            await self._fail({"code": "internal", "reason": reason, "hint": hint, "error_id": error_id})

    async def hold(self, session: AsyncSession, document_ids: Sequence[UUID]) -> Mapping[UUID, Document]:
        documents = await IndexBuildRepository(session, self._scope).hold_documents(document_ids)
        await self._owned(session)
        return documents

    async def note(self, session: AsyncSession, written: Written) -> None:
        build = await self._owned(session)
        if build.state == "building":
            build.progress_done = min(build.progress_done + written.paragraphs, build.progress_total)

    async def _claim(self) -> bool:
        async with self._database.transaction() as session:
            build = await IndexBuildRepository(session, self._scope).find(self._build_id, lock=True)
            if build is None or build.state not in (*_WORKING, *_FOLLOWING):
                return False
            build.attempt = self._attempt
            if build.state in _WORKING:
                build.state, build.error = "building", None
            return True

    async def _owned(self, session: AsyncSession) -> IndexBuild:
        """The build, locked. Raises `_Stopped` if it is not ours to write."""
        build = await IndexBuildRepository(session, self._scope).find(self._build_id, lock=True)
        if build is None or build.attempt != self._attempt:
            raise _Stopped
        return build

    async def _follow(self) -> None:
        """Pass over what the active index holds until nothing is missing in the other one."""
        other = await self._other()
        embedder = await self._context.service(Gateway).embedder(
            self._scope, other.model_id, Purpose("index")
        )
        batches = IndexBatches(
            self._database,
            self._scope,
            other,
            embedder,
            self,
            batch_size=self._context.settings.index_batch_size,
        )
        for _ in range(MAX_PASSES):
            after = FIRST
            while pending := await self._pending(other, after):
                try:
                    await batches.write(pending)
                except VectorsMismatch as error:
                    raise EmbeddingSizeChanged(**error.details) from error
                after = pending[-1]
            if after == FIRST:
                return

    async def _other(self) -> KnowledgeIndex:
        """The index that is not active; an empty one where the build has none yet."""
        async with self._database.transaction() as session:
            build = await self._owned(session)
            switched = build.state == "switched"
            repository = IndexBuildRepository(session, self._scope)
            other = await repository.index(build.previous_index_id if switched else build.index_id)
            if other is not None:
                return other
            if build.state != "building":
                raise _Stopped
            model_id = build.model_id
        # As large as the vectors that the model really returns, whatever it was said to return.
        embedder = await self._context.service(Gateway).embedder(self._scope, model_id, Purpose("index"))
        dimensions = int((await embedder.embed_queries(["?"])).shape[1])
        async with self._database.transaction() as session:
            build = await self._owned(session)
            index = await create_index(session, self._scope, build.knowledge_base_id, model_id, dimensions)
            index.state = "building"
            build.index_id = index.id
        return index

    async def _pending(self, other: KnowledgeIndex, after: UUID) -> list[UUID]:
        async with self._database.transaction() as session:
            build = await self._owned(session)
            base = await KnowledgeBaseRepository(session, self._scope).find(build.knowledge_base_id)
            active = None if base is None else base.active_index_id
            if active is None or active == other.id:
                raise _Stopped
            repository = IndexBuildRepository(session, self._scope)
            if build.state == "building" and after == FIRST:
                build.progress_total = await repository.held(active)
                build.progress_done = build.progress_total - await repository.behind(active, other.id)
            return await repository.pending(active, other.id, after=after, limit=AT_ONCE)

    async def _complete(self) -> None:
        async with self._database.transaction() as session:
            build = await self._owned(session)
            build.error = None
            if build.state != "building":
                return
            # Under the lock of whatever builds homes: it may have to build one.
            await enqueue(
                session,
                FINISH_BUILD,
                lock=HOMES_LOCK,
                workspace_id=str(self._scope.workspace_id),
                build_id=str(build.id),
            )

    async def _fail(self, error: dict[str, Any]) -> None:
        """A build has failed; an index that only follows stays what it is, and is behind."""
        async with self._database.transaction() as session:
            build = await IndexBuildRepository(session, self._scope).find(self._build_id, lock=True)
            if build is None or build.attempt != self._attempt:
                return
            build.error = error
            if build.state == "building":
                build.state = "failed"


async def finish_build(context: JobContext, scope: Scope, build_id: UUID) -> None:
    """Give a built index what a search of its size needs, then let it be switched to."""
    async with context.database.transaction() as session:
        build = await IndexBuildRepository(session, scope).find(build_id)
        if build is None or build.state != "building":
            return
        index_id = build.index_id
    if index_id is None:
        return
    try:
        await settle(context.database, scope, index_id, context.settings.exact_scan_limit)
    except IndexNotFound:
        return
    async with context.database.transaction() as session:
        build = await IndexBuildRepository(session, scope).find(build_id, lock=True)
        if build is None or build.state != "building":
            return
        build.state = "built"
        build.progress_done = build.progress_total
        for act in after_build:
            await act(session, scope, build)
