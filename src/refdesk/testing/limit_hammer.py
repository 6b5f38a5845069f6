"""Several processes that call as fast as they can against the same limits, and report what happened.

`hammer_together` starts them and lets them go at the beginning of one window. Each is
`python -m refdesk.testing.limit_hammer`: it reads its order as a line of JSON, says `ready` when it is
connected, reads when to start and to stop, and writes one line of JSON: how many calls were admitted by the
window they were counted in, how many were refused, and the latencies of admission in microseconds. Used by
the test of exactness and by the benchmark.
"""

import asyncio
import json
import logging
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

import structlog
from pydantic import SecretStr

from refdesk.accounts import Role, Scope
from refdesk.gateway.controls import Controls
from refdesk.gateway.limits import LimitReached
from refdesk.gateway.purpose import Purpose
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings


@dataclass(frozen=True)
class HammeredModel:
    id: UUID


@dataclass(frozen=True)
class Order:
    """Who calls what, how. `callers` is for each process, `pause_s` between two calls of one caller."""

    database_url: str
    redis_url: str | None
    workspace_id: str
    model_id: str
    api_key_id: str
    callers: int
    pause_s: float


async def hammer_together(
    order: Order, *, processes: int, window_s: int, windows: int
) -> list[dict[str, Any]]:
    """The reports of `processes`, which call during `windows` whole windows."""
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "refdesk.testing.limit_hammer"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(processes)
    ]
    try:
        for process in started:
            assert process.stdin is not None
            process.stdin.write(json.dumps(asdict(order)).encode() + b"\n")
        for process in started:
            assert process.stdout is not None
            if (await process.stdout.readline()).strip() != b"ready":
                raise RuntimeError("a process could not start")
        start_at = (int(time.time()) // window_s + 2) * window_s
        times = {"start_at": start_at, "stop_at": start_at + window_s * windows - 0.05}
        answers = [process.communicate(json.dumps(times).encode() + b"\n") for process in started]
        return [json.loads(out) for out, _ in await asyncio.gather(*answers)]
    finally:
        for process in started:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def hammer(order: Order) -> dict[str, Any]:
    """Call from the start to the end; a caller that is refused tries again a moment later."""
    database = Database(order.database_url)
    controls = Controls(Settings(redis_url=SecretStr(order.redis_url) if order.redis_url else None), database)
    key = UUID(order.api_key_id)
    scope = Scope(UUID(order.workspace_id), None, Role.VIEWER, "api_key", api_key_id=key)
    model = HammeredModel(UUID(order.model_id))
    admitted: Counter[str] = Counter()
    latencies: list[int] = []
    refused = 0
    await controls.rules.get()
    await controls.counters.settle([])  # connects
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    times: dict[str, float] = json.loads(await asyncio.to_thread(sys.stdin.readline))

    async def caller() -> None:
        nonlocal refused
        while time.time() < times["stop_at"]:
            began = time.perf_counter_ns()
            try:
                admission = await controls.limits.admit(scope, Purpose("answer"), model, 1)
            except LimitReached:
                refused += 1
                latencies.append((time.perf_counter_ns() - began) // 1000)
                await asyncio.sleep(order.pause_s)
                continue
            latencies.append((time.perf_counter_ns() - began) // 1000)
            assert admission.counts
            admitted[admission.counts[0].window_start.isoformat()] += 1
            await asyncio.sleep(order.pause_s)

    await asyncio.sleep(max(0.0, times["start_at"] - time.time()))
    await asyncio.gather(*(caller() for _ in range(order.callers)))
    await controls.close()
    await database.close()
    return {"admitted": admitted, "refused": refused, "latencies_us": latencies}


def main() -> None:
    # Lines of a log on standard output would be no JSON.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    order = Order(**json.loads(sys.stdin.readline()))
    sys.stdout.write(json.dumps(asyncio.run(hammer(order))) + "\n")


if __name__ == "__main__":
    main()
