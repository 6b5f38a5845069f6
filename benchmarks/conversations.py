"""Many conversations at once: `python -m benchmarks.conversations [--conversations N] [--servers 2]`.

Each conversation has a page open (its own stream of changes) and a run that a scripted model feeds with 20
parts a second. With two servers on one database the runs are shared between them, and every reader leaves
after some seconds and goes on at the other server where it stopped (`Last-Event-ID`): half the time it is
told by the log instead of memory. Every reader holds each event against the one before: none may be lost,
doubled or out of order, and what was read must be the answer that is stored. Parts that came in a `snapshot`
are not counted as parts.
"""

import argparse
import asyncio
import json
import random
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

import orjson
import psutil
from benchmarks.streaming_desk import RunningDesk, database_of_environment, running_desk

from refdesk.evaluation import percentile

PER_SECOND = 20
ASKED_AT_ONCE = 8
# How long a reader stays with a server before it goes to the other one.
STAYS_S = (1.0, 3.0)
# For the models to be asked before they begin.
SETTLES_S = 1.0


@dataclass
class Reader:
    """Follows one run over plain sockets (an HTTP client costs more than the server)."""

    desk: RunningDesk
    run: dict[str, Any]
    ports: tuple[int, ...]
    home: int
    near_ms: list[float] = field(default_factory=list[float])
    far_ms: list[float] = field(default_factory=list[float])
    text: list[str] = field(default_factory=list[str])
    last_seq: int = 0
    faults: list[str] = field(default_factory=list[str])
    moves: int = 0
    snapshots: int = 0
    final: dict[str, Any] | None = None
    began: asyncio.Event = field(default_factory=asyncio.Event)

    async def follow(self) -> None:
        at = self.home
        while self.final is None:
            try:
                async with asyncio.timeout(None) as limit:
                    await self._listen(self.ports[at], limit, is_home=at == self.home)
            except TimeoutError:
                at = (at + 1) % len(self.ports)
                self.moves += 1

    async def _listen(self, port: int, limit: asyncio.Timeout, *, is_home: bool) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**21)
        headers = self.desk.headers | {"Host": "bench", "Last-Event-ID": str(self.last_seq)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"GET /api/v1/runs/{self.run['id']}/events HTTP/1.1\r\n{lines}\r\n".encode())
        name, seq = "", 0
        try:
            await reader.readline()
            if len(self.ports) > 1:  # from when it is there: a slow connection must not look like a stay
                stay = random.uniform(*STAYS_S)
                limit.reschedule(asyncio.get_running_loop().time() + stay)
            while line := await reader.readline():
                if line.startswith(b"event: "):
                    name = line[7:].strip().decode()
                elif line.startswith(b"id: "):
                    seq = int(line[4:])
                elif line.startswith(b"data: "):
                    self._take(name, seq, orjson.loads(line[6:]), is_home=is_home)
                    if self.final is not None:
                        return
        finally:
            writer.close()

    def _take(self, name: str, seq: int, data: Any, *, is_home: bool) -> None:
        if name == "stage" and data["name"] == "answer":
            self.began.set()  # from here on the model is asked
        if name == "snapshot":
            # The run ended before its last batch was in the log: what was written so far, in one.
            self.snapshots += 1
            self.text = [data["answer"]]
        elif seq != self.last_seq + 1:
            self.faults.append(f"event {seq} after {self.last_seq}")
        self.last_seq = seq
        if name == "delta":
            arrived = time.monotonic_ns()
            lags = self.near_ms if is_home else self.far_ms
            lags += [(arrived - int(moment)) / 1e6 for moment in data["text"].split()]
            self.text.append(data["text"])
        elif name == "run.finished":
            self.final = data["run"]

    def conclude(self) -> None:
        """Hold what was read against what is stored."""
        final = self.final
        assert final is not None
        moments = [int(moment) for part in self.text for moment in part.split()]
        if moments != sorted(moments):
            self.faults.append("parts out of order")
        if "".join(self.text) != final["answer"]:
            self.faults.append("text is not the answer")


async def measure(conversations: int, seconds: float, servers: int) -> dict[str, Any]:
    deltas = int(seconds * PER_SECOND)
    async with running_desk(
        database_of_environment(), deltas=deltas, interval_s=1 / PER_SECOND, servers=servers
    ) as desk:
        places = ((desk.port, desk.server_pid), *desk.others)
        ports = tuple(port for port, _ in places)
        processes = [psutil.Process(pid) for _, pid in places]
        await asyncio.gather(*(_ask(desk, port, 1) for port in ports))
        before = [process.memory_info().rss for process in processes]
        each = [conversations // servers + (at < conversations % servers) for at in range(servers)]
        asked = await asyncio.gather(*(_ask(desk, port, n) for port, n in zip(ports, each, strict=True)))
        readers = [Reader(desk, run, ports, home) for home, runs in enumerate(asked) for run in runs]
        following = [asyncio.create_task(reader.follow()) for reader in readers]
        pages = [asyncio.create_task(_page(desk, ports[r.home], r.run["conversation_id"])) for r in readers]
        for reader in readers:
            await reader.began.wait()
        await asyncio.sleep(SETTLES_S)
        for process in processes:
            process.cpu_percent()
        begun = time.monotonic()
        desk.gate.touch()
        await asyncio.sleep(seconds * 0.9)
        during = [process.memory_info().rss for process in processes]
        cpu = [process.cpu_percent() for process in processes]
        await asyncio.gather(*following)
        elapsed = time.monotonic() - begun
        told = await asyncio.gather(*pages)
    for reader in readers:
        reader.conclude()
    faults = [fault for reader in readers for fault in reader.faults]
    states = [reader.final["state"] for reader in readers if reader.final is not None]
    parts = sum(len(reader.near_ms) + len(reader.far_ms) for reader in readers)
    return {
        "conversations": conversations,
        "servers": servers,
        "states": {state: states.count(state) for state in sorted(set(states))},
        "parts": parts,
        "parts_expected": conversations * deltas,
        "faults": len(faults),
        "first_faults": faults[:5],
        "snapshots": sum(reader.snapshots for reader in readers),
        "moves": sum(reader.moves for reader in readers),
        "pages_told_of_the_end": sum(told),
        "lag_same_process": _lag([lag for reader in readers for lag in reader.near_ms]),
        "lag_other_process": _lag([lag for reader in readers for lag in reader.far_ms]),
        "server_cpu_percent": [round(value) for value in cpu],
        "memory_mb": [round(value / 2**20) for value in during],
        "memory_per_conversation_kb": round((sum(during) - sum(before)) / conversations / 1024, 1),
        "seconds": round(elapsed, 1),
    }


def _lag(lags: list[float]) -> dict[str, float] | None:
    if not lags:
        return None
    return {
        "p50_ms": round(statistics.median(lags), 1),
        "p95_ms": round(percentile(lags, 0.95), 1),
        "p99_ms": round(percentile(lags, 0.99), 1),
    }


async def _ask(desk: RunningDesk, port: int, count: int) -> list[dict[str, Any]]:
    """New conversations with a run each, begun a few at a time."""
    at_once = asyncio.Semaphore(ASKED_AT_ONCE)
    async with desk.client(port) as client:

        async def ask() -> dict[str, Any]:
            async with at_once:
                response = await client.post("/api/v1/runs", json=desk.question())
                response.raise_for_status()
                run: dict[str, Any] = response.json()
                return run

        return list(await asyncio.gather(*(ask() for _ in range(count))))


async def _page(desk: RunningDesk, port: int, conversation_id: str) -> bool:
    """Whether a page on the conversation was told of its run's end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    lines = "".join(f"{name}: {value}\r\n" for name, value in (desk.headers | {"Host": "bench"}).items())
    writer.write(f"GET /api/v1/conversations/{conversation_id}/events HTTP/1.1\r\n{lines}\r\n".encode())
    try:
        while line := await reader.readline():
            if line.startswith(b"data: ") and b'"state":"finished"' in line:
                return True
    finally:
        writer.close()
    return False


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--conversations", type=int, default=200)
    arguments.add_argument("--seconds", type=float, default=15.0)
    arguments.add_argument("--servers", type=int, default=1, choices=[1, 2])
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    result = asyncio.run(measure(given.conversations, given.seconds, given.servers))
    print(json.dumps(result) if given.json else "\n".join(f"{k}: {v}" for k, v in result.items()))


if __name__ == "__main__":
    main()
