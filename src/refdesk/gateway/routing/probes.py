"""Active health checks: one process asks a model's health endpoint at each interval, whoever is first.

What is found is told in words, for people: an endpoint that is missing or slow is a fault of the check and
not of the model, so it is reported and trips nothing (X47). One that fails counts like a failed call; one
that is well again lets the next call try a model whose breaker is open.
"""

import asyncio
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from urllib.parse import urljoin
from uuid import UUID

import httpx
import structlog
from sqlalchemy import or_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from refdesk.gateway.background import background
from refdesk.gateway.routing.checks import SLOW_HEALTH_MS, HealthCheck
from refdesk.gateway.routing.health import Health
from refdesk.gateway.routing.snapshot import RoutedModel, Snapshot
from refdesk.gateway.routing.tables import ModelHealth
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError

log = structlog.get_logger(__name__)

LOOK_EVERY_S = 0.25
JITTER = 0.1
AT_ONCE = 16

type Finding = Literal["good", "slow", "missing", "failing", "timeout", "unreachable"]
_MISSING = (404, 405, 410, 501)


@dataclass(frozen=True, slots=True)
class Probe:
    """What one check found. `ok`: the model's server said that it is well, however slowly."""

    at: datetime
    finding: Finding
    status: int | None
    latency_ms: int
    message: str

    @property
    def ok(self) -> bool:
        return self.finding in ("good", "slow")

    @property
    def trips(self) -> bool:
        return self.finding in ("failing", "timeout", "unreachable")

    def stored(self) -> dict[str, Any]:
        return {
            "at": self.at.timestamp(),
            "ok": self.ok,
            "finding": self.finding,
            "status": self.status,
            "latency_ms": self.latency_ms,
            "message": self.message,
        }


class Probes:
    """Probes models until it is closed."""

    def __init__(
        self, database: Database, http: httpx.AsyncClient, snapshot: Snapshot, health: Health
    ) -> None:
        self._database = database
        self._http = http
        self._snapshot = snapshot
        self._health = health
        self._due: dict[UUID, float] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._looking is None:
            self._looking = background(self._look(), "model-probes")

    async def close(self) -> None:
        tasks = [*self._running, *([self._looking] if self._looking is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._looking = None

    async def probe(self, model: RoutedModel) -> Probe:
        """Check a model now and keep what was found. Without a path there is nothing to check."""
        found = await check_health(self._http, model)
        await self._keep(model, found)
        return found

    async def _look(self) -> None:
        while True:
            now = time.monotonic()
            for model in self._snapshot.all():
                if model.check.path is None or len(self._running) >= AT_ONCE:
                    continue
                if self._due.get(model.id, 0.0) > now:
                    continue
                self._due[model.id] = now + _spread(model.check.interval_ms)
                task = asyncio.create_task(self._probe_if_due(model))
                self._running.add(task)
                task.add_done_callback(self._running.discard)
            await asyncio.sleep(LOOK_EVERY_S)

    async def _probe_if_due(self, model: RoutedModel) -> None:
        try:
            if await self._claim(model):
                await self.probe(model)
        except (SQLAlchemyError, OSError, AppError) as error:
            log.warning("routing.not-probed", model_id=str(model.id), error=type(error).__name__)

    async def _claim(self, model: RoutedModel) -> bool:
        """Whether it is this process's turn: the one that moves the time on probes."""
        now = datetime.now(UTC)
        due = now + timedelta(seconds=_spread(model.check.interval_ms))
        try:
            async with self._database.transaction() as session:
                await session.execute(insert(ModelHealth).values(model_id=model.id).on_conflict_do_nothing())
                claimed = await session.execute(
                    update(ModelHealth)
                    .where(
                        ModelHealth.model_id == model.id,
                        or_(
                            ModelHealth.probe_due_at.is_(None),
                            ModelHealth.probe_due_at <= now,
                            ModelHealth.probe_due_at > due + timedelta(milliseconds=model.check.interval_ms),
                        ),
                    )
                    .values(probe_due_at=due)
                    .returning(ModelHealth.model_id)
                )
                return claimed.first() is not None
        except IntegrityError:
            return False  # the model was removed meanwhile

    async def _keep(self, model: RoutedModel, found: Probe) -> None:
        stored = found.stored()
        self._health.probes[model.id] = stored
        late = model.check.latency_threshold is not None and found.latency_ms > model.check.latency_threshold
        if found.trips or late:
            failure = {
                "response_code": found.status or 503,
                "code": "health-check",
                "latency_ms": found.latency_ms,
                "message": found.message,
                "at": stored["at"],
            }
            self._health.probed(model.id, False, model.check.breaker, failure)
        elif found.ok:
            self._health.probed(model.id, True, model.check.breaker, {})
        try:
            async with self._database.transaction() as session:
                statement = insert(ModelHealth).values(model_id=model.id, last_probe=stored)
                await session.execute(
                    statement.on_conflict_do_update(
                        index_elements=[ModelHealth.model_id], set_={"last_probe": stored}
                    )
                )
        except IntegrityError:
            return


def health_url(base_url: str, path: str) -> str:
    """A path with a leading slash is one of the server, any other stands behind the base URL."""
    return urljoin(base_url.rstrip("/") + "/", path)


async def check_health(http: httpx.AsyncClient, model: RoutedModel) -> Probe:
    """Ask the health endpoint once; every outcome is a finding, in words for people."""
    check = model.check
    assert check.path is not None
    assert model.row.base_url is not None
    url = health_url(model.row.base_url, check.path)
    at, started = datetime.now(UTC), time.perf_counter()
    status: int | None = None
    finding: Finding
    try:
        async with asyncio.timeout(check.timeout_ms / 1000):
            response = await http.get(url, timeout=check.timeout_ms / 1000)
        status = response.status_code
        finding = _finding(status)
    except (TimeoutError, httpx.TimeoutException):
        finding = "timeout"
    except httpx.HTTPError:
        finding = "unreachable"
    latency_ms = int((time.perf_counter() - started) * 1000)
    if finding == "good" and latency_ms > SLOW_HEALTH_MS:
        finding = "slow"
    return Probe(at, finding, status, latency_ms, _words(finding, url, status, latency_ms, check))


def _finding(status: int) -> Finding:
    if status in _MISSING:
        return "missing"
    # A server that wants a key for this path is there and answers.
    return "good" if status < 400 or status in (401, 403) else "failing"


def _words(finding: Finding, url: str, status: int | None, latency_ms: int, check: HealthCheck) -> str:
    match finding:
        case "good":
            return f"GET {url} answered {status} in {latency_ms} ms."
        case "slow":
            return (
                f"The health endpoint is slow: GET {url} took {latency_ms} ms, more than {SLOW_HEALTH_MS} ms."
                " A health check must not compute anything."
            )
        case "missing":
            return (
                f"The health endpoint is missing: GET {url} answered {status}. Set health_check.path to one"
                " that the server has, as /health or models."
            )
        case "failing":
            return f"The health endpoint says the server is not well: GET {url} answered {status}."
        case "timeout":
            return (
                f"The health endpoint did not answer within {check.timeout_ms} ms (health_check.timeout_ms):"
                f" GET {url}."
            )
        case "unreachable":
            return f"The health endpoint cannot be reached: GET {url}."


def _spread(interval_ms: int) -> float:
    """The interval in seconds, up to a tenth more or less, so that models are not all asked at once."""
    return interval_ms / 1000 * (1 + JITTER * (2 * random.random() - 1))
