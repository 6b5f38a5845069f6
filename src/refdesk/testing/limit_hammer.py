"""One of several processes that call as fast as they can against the same limits, and report what happened.

`python -m refdesk.testing.limit_hammer` reads one JSON object from standard input: `database_url`,
`redis_url`, `workspace_id`, `model_id`, `api_key_id`, `start_at` and `stop_at` (seconds since 1970) and
`callers`. It writes one: how many calls were admitted, by second of the database's window, how many were
refused, and the latencies of admission in microseconds. Used by the exactness test and by the benchmark.
"""

import asyncio
import json
import logging
import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog

from refdesk.accounts import Role, Scope
from refdesk.gateway.controls import Controls
from refdesk.gateway.limits import LimitReached
from refdesk.gateway.purpose import Purpose
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings


@dataclass(frozen=True)
class HammeredModel:
    id: UUID


async def hammer(order: dict[str, Any]) -> dict[str, Any]:
    """Call until `stop_at`; a caller that is refused tries again a moment later."""
    database = Database(order["database_url"])
    controls = Controls(Settings(redis_url=order["redis_url"]), database)
    key = UUID(order["api_key_id"])
    scope = Scope(UUID(order["workspace_id"]), None, Role.VIEWER, "api_key", api_key_id=key)
    model = HammeredModel(UUID(order["model_id"]))
    admitted: Counter[str] = Counter()
    latencies: list[int] = []
    refused = 0
    await controls.rules.get()

    async def caller() -> None:
        nonlocal refused
        while time.time() < order["stop_at"]:
            began = time.perf_counter_ns()
            try:
                admission = await controls.limits.admit(scope, Purpose("answer"), model, 1)
            except LimitReached:
                refused += 1
                latencies.append((time.perf_counter_ns() - began) // 1000)
                await asyncio.sleep(order["pause_s"])
                continue
            latencies.append((time.perf_counter_ns() - began) // 1000)
            assert admission.counts
            admitted[admission.counts[0].window_start.isoformat()] += 1
            await asyncio.sleep(order["pause_s"])

    await asyncio.sleep(max(0.0, order["start_at"] - time.time()))
    await asyncio.gather(*(caller() for _ in range(order["callers"])))
    await controls.close()
    await database.close()
    return {"admitted": admitted, "refused": refused, "latencies_us": latencies}


def main() -> None:
    # Lines of a log on standard output would be no JSON.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    json.dump(asyncio.run(hammer(json.load(sys.stdin))), sys.stdout)


if __name__ == "__main__":
    main()
