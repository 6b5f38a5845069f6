"""One run of the job that reads a base's paragraphs for its graph.

What was read of each paragraph is written with the mark that it was read, so a run that was killed is simply
run again; a paragraph edited or added meanwhile is one more that is pending.
"""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Gateway, PriceBook, Purpose, UsageReport, load_prices
from refdesk.jobs import JobContext
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.knowledge.graph.errors import GraphModelNeeded
from refdesk.knowledge.graph.extraction.asking import Reading, read_by_model
from refdesk.knowledge.graph.extraction.facts import Passage
from refdesk.knowledge.graph.extraction.rules import read_by_rules
from refdesk.knowledge.graph.repository import FIRST, GraphRepository
from refdesk.knowledge.graph.tables import KnowledgeGraph

log = structlog.get_logger(__name__)

RULES_BATCH = 200
MODEL_BATCH = 24
# Passes over a base that is edited all the while. What is left then is read by the jobs of those edits.
MAX_PASSES = 20
REMOVED_AT_ONCE = 2_000
WORKING = ("queued", "building")


class _Stopped(Exception):
    """Somebody cancelled or deleted it, or another run took over."""


class GraphRun:
    """One run of the job `build-graph`."""

    def __init__(self, context: JobContext, scope: Scope, graph_id: UUID) -> None:
        self._context = context
        self._database = context.database
        self._scope = scope
        self._graph_id = graph_id
        self._attempt = new_id()

    async def run(self) -> None:
        """Read what is pending, until nothing is."""
        graph = await self._claim()
        if graph is None:
            return
        try:
            await self._read(graph)
            await self._complete()
        except _Stopped:
            log.info("graph.stopped", graph_id=str(self._graph_id))
        except (OperationalError, InterfaceError):
            raise  # the database is out of reach: the queue tries again
        except ExceptionGroup as group:
            await self._fail(_of(group))
        except AppError as error:
            await self._fail(error)
        except Exception as error:  # noqa: BLE001 - the edge of a job: recorded with an id, shown to the person
            await self._fail(error)

    async def _claim(self) -> KnowledgeGraph | None:
        async with self._database.transaction() as session:
            graph = await GraphRepository(session, self._scope).find(self._graph_id, lock=True)
            if graph is None or graph.state not in (*WORKING, "ready"):
                return None
            graph.attempt, graph.state, graph.error = self._attempt, "building", None
            await session.flush()
            await session.refresh(graph)
            return graph

    async def _owned(self, session: AsyncSession) -> KnowledgeGraph:
        """The graph, locked. Raises `_Stopped` if it is not ours to write."""
        graph = await GraphRepository(session, self._scope).find(self._graph_id, lock=True)
        if graph is None or graph.attempt != self._attempt:
            raise _Stopped
        return graph

    async def _read(self, graph: KnowledgeGraph) -> None:
        batch = RULES_BATCH if graph.method == "rules" else MODEL_BATCH
        for number in range(MAX_PASSES):
            after = FIRST
            await self._begin_pass(first=number == 0)
            while passages := await self._next(after, batch):
                await self._write(await self._reading(graph, passages))
                after = passages[-1].id
            if after == FIRST:
                return

    async def _begin_pass(self, *, first: bool) -> None:
        async with self._database.transaction() as session:
            graph = await self._owned(session)
            pending = await GraphRepository(session, self._scope).count_pending(graph)
            if first:
                graph.progress_done = 0
            graph.progress_total = graph.progress_done + pending

    async def _next(self, after: UUID, limit: int) -> list[Passage]:
        async with self._database.transaction() as session:
            graph = await self._owned(session)
            repository = GraphRepository(session, self._scope)
            return await repository.passages(await repository.pending(graph, after, limit))

    async def _reading(self, graph: KnowledgeGraph, passages: Sequence[Passage]) -> Reading:
        if graph.method == "rules":
            return await asyncio.to_thread(_by_rules, passages)
        if graph.model_id is None:  # the model was deleted since
            raise GraphModelNeeded
        gateway = self._context.service(Gateway)
        completer = await gateway.completer(self._scope, graph.model_id, Purpose("index"))
        return await read_by_model(completer, passages, self._context.settings.graph_parallel_calls)

    async def _write(self, reading: Reading) -> None:
        async with self._database.transaction() as session:
            graph = await self._owned(session)
            await GraphRepository(session, self._scope).write(graph, reading.found)
            graph.progress_done = min(graph.progress_done + len(reading.found), graph.progress_total)
            graph.skipped += reading.skipped
            if reading.usage:
                _charge(graph, reading.usage, await load_prices(session))

    async def _complete(self) -> None:
        async with self._database.transaction() as session:
            graph = await self._owned(session)
            graph.state, graph.attempt = "ready", None
            graph.progress_done = graph.progress_total

    async def _fail(self, error: Exception) -> None:
        async with self._database.transaction() as session:
            graph = await GraphRepository(session, self._scope).find(self._graph_id, lock=True)
            if graph is None or graph.attempt != self._attempt:
                return
            graph.state, graph.attempt, graph.error = "failed", None, _told(error)


def _by_rules(passages: Sequence[Passage]) -> Reading:
    return Reading(found=[(passage, read_by_rules(passage)) for passage in passages])


def _charge(graph: KnowledgeGraph, usage: Sequence[UsageReport], prices: PriceBook) -> None:
    for report in usage:
        graph.input_tokens += report.input_tokens
        graph.output_tokens += report.output_tokens
        cost = (
            None
            if graph.model_id is None
            else prices.cost(
                graph.workspace_id,
                graph.model_id,
                report.input_tokens,
                report.output_tokens,
                report.cached_tokens,
            )
        )
        if cost is not None:
            graph.cost = (graph.cost or 0) + cost.amount
            graph.currency = cost.currency


def _of(group: ExceptionGroup[Exception]) -> Exception:
    """The first expected failure of several calls, or the group itself."""
    for error in group.exceptions:
        if isinstance(error, AppError):
            return error
    return group


def _told(error: Exception) -> dict[str, Any]:
    if isinstance(error, AppError):
        return {"code": error.code, "reason": error.text, "hint": error.hint_text}
    error_id = new_id().hex[-12:]
    log.error("graph.crashed", error_id=error_id, exc_info=error)
    hint = f"The worker's log has the details under {error_id}. Building again may help."
    return {
        "code": "internal",
        "reason": "Something went wrong inside Refdesk.",
        "hint": hint,
        "error_id": error_id,
    }


async def remove_readings(context: JobContext, scope: Scope, graph_id: UUID) -> None:
    """Remove what was read for a graph that was deleted, some at a time."""
    while True:
        async with context.database.transaction() as session:
            if not await GraphRepository(session, scope).remove_some(graph_id, REMOVED_AT_ONCE):
                return
