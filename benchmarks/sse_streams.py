"""Measures many answers at once: `python -m benchmarks.sse_streams [--streams N] [--seconds S] [--json]`.

N runs on one server process, each fed 20 parts a second by a scripted model in another process and followed
by a connection of its own in a third. A part is the moment at which the model sent it: its lag is the whole
way, model's socket, citations, journal, event stream, reader. Target: p95 of at most 100 ms at 500 streams.
"""

import argparse
import asyncio
import json
import statistics
import time
from typing import Any

import orjson
import psutil
from benchmarks.streaming_desk import RunningDesk, database_of_environment, running_desk

from refdesk.evaluation import percentile

PER_SECOND = 20
TARGET_MS = 100.0
ASKED_AT_ONCE = 8


async def measure(streams: int, seconds: float, model_inside: bool) -> dict[str, Any]:
    deltas = int(seconds * PER_SECOND)
    async with running_desk(
        database_of_environment(), deltas=deltas, interval_s=1 / PER_SECOND, model_inside=model_inside
    ) as desk:
        process = psutil.Process(desk.server_pid)
        await _submit(desk, 1)
        before = process.memory_info().rss
        runs = await _submit(desk, streams)
        lags: list[float] = []
        connected = asyncio.Semaphore(0)
        readers = [asyncio.create_task(_read(desk, run, lags, connected)) for run in runs]
        for _ in runs:
            await connected.acquire()
        process.cpu_percent()
        begun = time.monotonic()
        desk.gate.touch()
        await asyncio.sleep(seconds * 0.9)
        during = process.memory_info().rss
        cpu = process.cpu_percent()
        states = await asyncio.gather(*readers)
        elapsed = time.monotonic() - begun
    return {
        "streams": streams,
        "model_inside": model_inside,
        "states": {state: states.count(state) for state in sorted(set(states))},
        "parts": len(lags),
        "parts_expected": streams * deltas,
        "lag_p50_ms": round(statistics.median(lags), 1),
        "lag_p95_ms": round(percentile(lags, 0.95), 1),
        "lag_p99_ms": round(percentile(lags, 0.99), 1),
        "server_cpu_percent": round(cpu),
        "memory_per_stream_kb": round((during - before) / streams / 1024, 1),
        "seconds": round(elapsed, 1),
        "target_p95_ms": TARGET_MS,
    }


async def _submit(desk: RunningDesk, count: int) -> list[str]:
    """Ids of new runs; asked a few at a time, as people do."""
    at_once = asyncio.Semaphore(ASKED_AT_ONCE)
    async with desk.client() as client:

        async def ask() -> str:
            async with at_once:
                response = await client.post("/api/v1/runs", json=desk.question())
                response.raise_for_status()
                return str(response.json()["id"])

        return list(await asyncio.gather(*(ask() for _ in range(count))))


async def _read(desk: RunningDesk, run_id: str, lags: list[float], connected: asyncio.Semaphore) -> str:
    """Follow one run over a plain socket (an HTTP client costs more than the server); its final state."""
    reader, writer = await asyncio.open_connection("127.0.0.1", desk.port, limit=2**20)
    headers = "".join(f"{name}: {value}\r\n" for name, value in desk.headers.items())
    writer.write(f"GET /api/v1/runs/{run_id}/events HTTP/1.1\r\nHost: bench\r\n{headers}\r\n".encode())
    name, state = b"", "lost"
    try:
        while line := await reader.readline():
            if line.startswith(b"event: "):
                name = line[7:].strip()
                if name == b"run.started":
                    connected.release()
            elif line.startswith(b"data: ") and name == b"delta":
                arrived = time.monotonic_ns()
                for moment in orjson.loads(line[6:])["text"].split():
                    lags.append((arrived - int(moment)) / 1e6)
            elif line.startswith(b"data: ") and name == b"run.finished":
                finished = orjson.loads(line[6:])
                error = finished["run"]["error"]
                state = error["code"] if error else finished["state"]
                break
    finally:
        writer.close()
    return state


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--streams", type=int, default=500)
    arguments.add_argument("--seconds", type=float, default=15.0)
    arguments.add_argument(
        "--model-inside", action="store_true", help="the model is in the server: streams without its wire"
    )
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    result = asyncio.run(measure(given.streams, given.seconds, given.model_inside))
    print(json.dumps(result) if given.json else "\n".join(f"{k}: {v}" for k, v in result.items()))


if __name__ == "__main__":
    main()
