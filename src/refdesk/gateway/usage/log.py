"""Calls on their way into the record: kept in memory for moments, written in batches in the background.

`record` never waits. The buffer is bounded: while the database takes nothing for long, the oldest calls are
given up and counted. An orderly stop writes what is left.
"""

import asyncio
from collections import deque
from collections.abc import Sequence

import psycopg
import structlog

from refdesk.gateway.background import background
from refdesk.gateway.calls import UsageReport
from refdesk.gateway.listening import Kept
from refdesk.gateway.usage.meter import CallMeter
from refdesk.gateway.usage.pricing import Money, PriceBook
from refdesk.gateway.usage.records import OK, CallRecord, fault_of
from refdesk.kit.database import connect_apart
from refdesk.kit.ids import new_id

log = structlog.get_logger(__name__)

MAX_WAITING = 50_000
BATCH = 1_000
FLUSH_EVERY_S = 0.5
RETRY_S = 2.0
_COLUMNS = (
    "id, workspace_id, at, model_id, kind, path, user_id, api_key_id, application_id, run_id, request_id,"
    " is_attempt, is_cached, input_tokens, output_tokens, cached_tokens, units, first_token_ms, latency_ms,"
    " attempts, switched_from, code, fault, cost, currency"
)

type Row = tuple[object, ...]


class UsageLog:
    """The record of calls as its writers see it."""

    def __init__(self, database_url: str, prices: Kept[PriceBook]) -> None:
        self._url = database_url
        self._prices = prices
        self._waiting: deque[CallRecord] = deque()
        self._batch: list[Row] = []  # taken from what waits, not yet known to be written
        self._connection: psycopg.AsyncConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._full = asyncio.Event()
        self._writing = asyncio.Lock()
        self._closing = False
        self.meter = CallMeter()
        self.lost = 0

    def record(self, call: CallRecord) -> None:
        """Keep a call for the record; it is in the database within a second. Never waits, never raises."""
        self.meter.add(call)
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft()
            self.lost += 1
        self._waiting.append(call)
        if len(self._waiting) >= BATCH:
            self._full.set()
        if self._task is None or self._task.done():
            self._task = background(self._run(), "usage-log")

    @property
    def waiting(self) -> int:
        """How many calls are not in the database yet."""
        return len(self._waiting) + len(self._batch)

    async def flush(self) -> None:
        """Write what waits now. Raises `psycopg.Error` or `OSError`; nothing is lost then."""
        async with self._writing:
            while self._batch or self._waiting:
                if not self._batch:
                    prices = self._prices.value or await self._prices.get()
                    taken = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                    self._batch = [row for call in taken for row in rows_of(call, prices)]
                try:
                    await self._write(self._batch)
                except psycopg.errors.UniqueViolation:
                    log.info(
                        "usage.written-before", rows=len(self._batch)
                    )  # the connection broke at the commit
                except psycopg.errors.DataError:  # one value that no column takes must not stop the record
                    await self._write_singly(self._batch)
                except psycopg.errors.ForeignKeyViolation:
                    await self._write(await self._of_living_workspaces(self._batch))
                self._batch = []

    async def close(self) -> None:
        """Write what waits, then close."""
        self._closing = True
        self._full.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=10.0)
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._waiting or self._batch:
            log.error("usage.lost-at-stop", calls=len(self._waiting), rows=len(self._batch))
        await self._prices.close()
        await self._disconnect()

    async def _run(self) -> None:
        while self._waiting or self._batch:
            if not self._closing:
                try:
                    async with asyncio.timeout(FLUSH_EVERY_S):
                        await self._full.wait()
                except TimeoutError:
                    pass
            self._full.clear()
            try:
                await self.flush()
            except (psycopg.Error, OSError) as error:
                log.warning("usage.write-failed", waiting=len(self._waiting), error=type(error).__name__)
                await self._disconnect()
                if self._closing:
                    return
                await asyncio.sleep(RETRY_S)

    async def _write(self, rows: Sequence[Row]) -> None:
        connection = await self._connected()
        statement = f"COPY model_calls ({_COLUMNS}) FROM STDIN".encode()
        async with connection.transaction(), connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                await copy.write_row(row)

    async def _write_singly(self, rows: Sequence[Row]) -> None:
        for row in rows:
            try:
                await self._write([row])
            except (psycopg.errors.DataError, psycopg.errors.IntegrityError) as error:
                self.lost += 1
                log.error("usage.not-storable", call=str(row[0]), error=type(error).__name__)

    async def _of_living_workspaces(self, rows: Sequence[Row]) -> list[Row]:
        """Without the calls of a workspace that was deleted before they were written."""
        connection = await self._connected()
        cursor = await connection.execute(
            b"SELECT id FROM workspaces WHERE id = ANY (%s)", (list({row[1] for row in rows}),)
        )
        living = {row[0] for row in await cursor.fetchall()}
        return [row for row in rows if row[1] in living]

    async def _connected(self) -> psycopg.AsyncConnection:
        if self._connection is None:
            self._connection = await connect_apart(
                self._url,
                application_name="refdesk-gateway-usage",
                options="-c synchronous_commit=off -c timezone=UTC",
            )
        return self._connection

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


def rows_of(call: CallRecord, prices: PriceBook) -> list[Row]:
    """The call's row, and one for each of its earlier tries, in the order of `_COLUMNS`."""
    scope, purpose, usage = call.scope, call.purpose, call.usage
    who = (scope.user_id, scope.api_key_id, purpose.application_id, purpose.run_id, purpose.request_id)
    head = (call.kind, purpose.path, *who)
    cost = call.cost
    if cost is None and not call.is_cached and (usage is not None or call.units or call.code == OK):
        cost = _cost(call, prices)
    used = usage or UsageReport(0, 0)
    rows: list[Row] = []
    for tried in call.failed:
        outcome = (tried.latency_ms, 1, None, tried.code, fault_of(tried.code), None, None)
        flags_and_tokens = (True, False, 0, 0, 0, 0, None)
        rows.append(
            (new_id(), scope.workspace_id, call.at, tried.model_id, *head, *flags_and_tokens, *outcome)
        )
    flags_and_tokens = (
        *(False, call.is_cached),
        *(used.input_tokens, used.output_tokens, used.cached_tokens),
        *(call.units, call.first_token_ms),
    )
    outcome = (
        *(call.latency_ms, call.attempts, call.switched_from, call.code, fault_of(call.code)),
        *((cost.amount, cost.currency) if cost else (None, None)),
    )
    rows.append((new_id(), scope.workspace_id, call.at, call.model_id, *head, *flags_and_tokens, *outcome))
    return rows


def _cost(call: CallRecord, prices: PriceBook) -> Money | None:
    usage = call.usage or UsageReport(0, 0)
    return prices.cost(
        call.scope.workspace_id,
        call.model_id,
        usage.input_tokens,
        usage.output_tokens,
        usage.cached_tokens,
        call.units,
        call.at,
    )
