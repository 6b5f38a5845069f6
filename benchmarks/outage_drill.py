"""Drills the outage of a vendor: `python -m benchmarks.outage_drill [--callers N] [--json]`.

Callers stream answers without a pause, by two gateways over one database. The primary begins to fail in one
of four ways (503, hang, break after 20 tokens, slow first token) and after a while is well again. Counted:
errors that callers saw, answers that were not whole, how long the first token took while it failed, how long
until the primary serves again, and what was left over: permits, connections, leases. A smaller one of it is
a test.
"""

import argparse
import asyncio
import json
import logging
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args
from uuid import UUID

import structlog
from benchmarks.gateway_overhead import database
from sqlalchemy import text

from refdesk import migrations
from refdesk.accounts import Role, Scope
from refdesk.accounts.tables import Workspace
from refdesk.evaluation import percentile
from refdesk.gateway import (
    CompletionEvent,
    CompletionRequest,
    Gateway,
    Message,
    Notice,
    Purpose,
    ReasoningDelta,
    TextDelta,
)
from refdesk.gateway.routing import FallbackPolicy
from refdesk.gateway.tables import Model
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import Request, ScriptedModel, Send, scripted_model

type Fault = Literal["503", "hang", "break", "slow"]
FAULTS: tuple[Fault, ...] = get_args(Fault.__value__)
TOKENS = 30
BREAKS_AFTER = 20


@dataclass(frozen=True)
class Drill:
    """How long and how many. Times in seconds; `limit_ms` is the longest a first token may take by the
    policy."""

    callers: int = 200
    token_s: float = 0.15
    limit_ms: int = 1_000
    interval_ms: int = 3_000
    well_s: float = 6.0
    outage_s: float = 12.0


@dataclass
class Vendor:
    """A scripted vendor that can be told to fail."""

    name: str
    token_s: float
    fault: Fault | None = None

    @property
    def answer(self) -> str:
        return "".join(f"{self.name}{n} " for n in range(TOKENS))

    async def reply(self, request: Request, send: Send) -> None:
        if request.path.endswith("/health"):
            failing = self.fault == "503"
            await script.body({"status": "ok"}, status=503 if failing else 200)(request, send)
            return
        if self.fault == "503":
            await script.error(503, "overloaded")(request, send)
            return
        if self.fault == "hang":
            await asyncio.Event().wait()
        if self.fault == "slow":
            await asyncio.sleep(30.0)
        words = [script.delta(f"{self.name}{n} ") for n in range(TOKENS)]
        if self.fault == "break":
            await script.events(words[:BREAKS_AFTER], delay_s=self.token_s, break_off=True)(request, send)
            return
        await script.events([*words, script.delta(finish="stop")], delay_s=self.token_s)(request, send)


@dataclass
class Told:
    """What callers saw. First tokens are kept with the moment their call began."""

    answers: int = 0
    switched: int = 0
    restarted: int = 0
    not_whole: int = 0
    errors: list[str] = field(default_factory=list[str])
    first_tokens: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    by_primary: list[float] = field(default_factory=list[float])


@dataclass(frozen=True)
class Place:
    """A workspace with a primary that falls back to a backup, and two gateways."""

    database: Database
    scope: Scope
    model_id: UUID
    vendors: tuple[Vendor, Vendor]
    servers: tuple[ScriptedModel, ScriptedModel]
    gateways: Sequence[Gateway]


@asynccontextmanager
async def opened(database: Database, settings: Settings, drill: Drill) -> AsyncGenerator[Place]:
    """Everything a drill needs, closed at the end."""
    async with AsyncExitStack() as stack:
        vendors = Vendor("p", drill.token_s), Vendor("b", drill.token_s)
        servers = (
            await stack.enter_async_context(scripted_model()),
            await stack.enter_async_context(scripted_model()),
        )
        for vendor, server in zip(vendors, servers, strict=True):
            server.always(vendor.reply)
        scope, model_id = await _stored(database, servers, drill)
        gateways = [Gateway(settings, database, Cipher(b"k" * 32)) for _ in range(2)]
        for gateway in gateways:
            stack.push_async_callback(gateway.close)
            await gateway.start()
        yield Place(database, scope, model_id, vendors, servers, gateways)


async def _stored(
    database: Database, servers: tuple[ScriptedModel, ScriptedModel], drill: Drill
) -> tuple[Scope, UUID]:
    workspace_id, backup_id, policy_id, model_id = new_id(), new_id(), new_id(), new_id()
    rule = {
        "condition": f"response_code >= 500 || latency > {drill.limit_ms}",
        "action": "switch_to_model",
        "target_model_id": str(backup_id),
    }
    common: dict[str, Any] = {
        "workspace_id": workspace_id,
        "kind": "LLM",
        "provider": "openai-compatible",
        "model_name": "scripted",
        "parameters": {},
        "concurrency": drill.callers,
    }
    check = {"path": "/health", "interval_ms": drill.interval_ms}
    async with database.transaction() as session:
        session.add(Workspace(id=workspace_id, name=f"Drill {workspace_id}"))
        await session.flush()
        session.add(FallbackPolicy(id=policy_id, workspace_id=workspace_id, policy_id="drill", rules=[rule]))
        session.add(Model(id=backup_id, name="backup", base_url=servers[1].base_url, **common))
        await session.flush()
        session.add(
            Model(
                id=model_id,
                name="primary",
                base_url=servers[0].base_url,
                health_check=check,
                fallback_policy_id=policy_id,
                **common,
            )
        )
    return Scope(workspace_id, None, Role.OWNER, "session"), model_id


async def outage(place: Place, drill: Drill, fault: Fault) -> dict[str, Any]:
    """One outage from its beginning to the primary's return; what callers saw and what was left over."""
    told = Told()
    ending = asyncio.Event()
    primary = place.vendors[0]
    callers = [asyncio.create_task(_calls(place, told, n, ending)) for n in range(drill.callers)]
    await asyncio.sleep(drill.well_s)
    primary.fault, failed_at = fault, time.perf_counter()
    await asyncio.sleep(drill.outage_s)
    primary.fault, well_at = None, time.perf_counter()
    recovered_s = await _recovery(place, told, well_at, 5 * drill.interval_ms / 1000 + 5)
    await asyncio.sleep(drill.well_s / 2)
    ending.set()
    await asyncio.gather(*callers)
    during = [took * 1000 for at, took in told.first_tokens if failed_at <= at < well_at]
    before = [took * 1000 for at, took in told.first_tokens if at < failed_at - 1]
    return {
        "fault": fault,
        "answers": told.answers,
        "switched": told.switched,
        "restarted": told.restarted,
        "errors": len(told.errors),
        "error_kinds": sorted(set(told.errors)),
        "not_whole": told.not_whole,
        "first_token_well_p99_ms": round(percentile(before, 0.99), 1) if before else None,
        "first_token_outage_p50_ms": round(percentile(during, 0.5), 1) if during else None,
        "first_token_outage_p99_ms": round(percentile(during, 0.99), 1) if during else None,
        "first_token_outage_max_ms": round(max(during), 1) if during else None,
        "limit_ms": drill.limit_ms,
        "recovered_s": recovered_s,
        "recovery_target_s": 2 * drill.interval_ms / 1000,
        **await _left_over(place),
    }


async def _calls(place: Place, told: Told, number: int, ending: asyncio.Event) -> None:
    """One caller: streams until the end, takes text back at `restarted`, as the chat does."""
    gateway = place.gateways[number % len(place.gateways)]
    await asyncio.sleep(number / 200)  # people do not come all in one moment
    request = CompletionRequest([Message("user", f"question {number}")], timeout_s=20.0)
    whole = {vendor.answer for vendor in place.vendors}
    while not ending.is_set():
        completer = await gateway.completer(place.scope, place.model_id, Purpose("answer", may_restart=True))
        began, first, parts, codes = time.perf_counter(), None, list[str](), set[str]()
        try:
            stream = cast("AsyncGenerator[CompletionEvent]", completer.stream(request))
            async with aclosing(stream) as events:
                async for event in events:
                    if isinstance(event, TextDelta | ReasoningDelta):
                        first = first or time.perf_counter() - began
                        parts.append(event.text)
                    elif isinstance(event, Notice):
                        codes.add(event.code)
                        if event.code == "restarted":
                            parts.clear()
        except Exception as error:  # noqa: BLE001 — what a caller sees is what is counted
            told.errors.append(
                f"{type(error).__name__}: {error} {getattr(error, 'details', None)} {error.__cause__}"
            )
            continue
        told.answers += 1
        told.switched += "model-switched" in codes
        told.restarted += "restarted" in codes
        told.not_whole += "".join(parts) not in whole
        told.first_tokens.append((began, first or 0.0))
        if "".join(parts) == place.vendors[0].answer:
            told.by_primary.append(began + (first or 0.0))


async def _recovery(place: Place, told: Told, well_at: float, most_s: float) -> float | None:
    """Seconds until the primary serves again, by the first token of an answer that was whole; None if it did
    not."""
    until = time.perf_counter() + most_s + TOKENS * place.vendors[0].token_s
    while time.perf_counter() < until:
        served = [at for at in told.by_primary if at >= well_at]
        if served:
            return round(min(served) - well_at, 2)
        await asyncio.sleep(0.05)
    return None


async def _left_over(place: Place) -> dict[str, Any]:
    """What should be nothing a moment after the last call."""
    for _ in range(50):
        await asyncio.sleep(0.1)
        if not any(server.open_connections for server in place.servers):
            break
    async with place.database.transaction() as session:
        tickets = (await session.execute(text("SELECT count(*) FROM model_permit_tickets"))).scalar_one()
        leases = (
            await session.execute(text("SELECT count(*) FROM model_health WHERE state = 'half_open'"))
        ).scalar_one()
    return {
        "permits_left": tickets,
        "leases_left": leases,
        "connections_left": sum(server.open_connections for server in place.servers),
        "connections_made": sum(server.connections for server in place.servers),
    }


async def main_async(drill: Drill, faults: Sequence[Fault]) -> list[dict[str, Any]]:
    """All outages over a new database."""
    with database() as url, tempfile.TemporaryDirectory() as folder:
        await migrations.upgrade(url)
        opened_database = Database(url, pool_size=20)
        try:
            settings = Settings(data_dir=Path(folder), run_concurrency=2 * drill.callers)
            async with opened(opened_database, settings, drill) as place:
                return [await outage(place, drill, fault) for fault in faults]
        finally:
            await opened_database.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--callers", type=int, default=200)
    arguments.add_argument("--fault", choices=FAULTS, action="append")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    results = asyncio.run(main_async(Drill(callers=given.callers), given.fault or FAULTS))
    for result in results:
        print(json.dumps(result) if given.json else "\n".join(f"{k}: {v}" for k, v in result.items()) + "\n")


if __name__ == "__main__":
    main()
