"""Measures what reading a streamed part costs on each wire: `python -m benchmarks.wires [--parts N]`.

A scripted server in another process sends one long answer per wire, a few characters a part. CPU is that of
the reading process alone, start of the request included, as µs a part; beside it, in the same run and on the
same bytes, the least that any reader does: the same client, lines split, JSON parsed. `spaced` is the same
with parts that arrive one by one, as from a model that thinks between them, where waking up costs the most.
`whole` is an answer that is not streamed, a new connection each: request, reading and parsing.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import uuid4

import orjson

from refdesk.gateway import CompletionRequest, Message, TextDelta
from refdesk.gateway.wires import (
    COMPLETION_WIRES,
    OPENAI_VARIETIES,
    Connection,
    HttpCompleter,
    build_completer,
)
from refdesk.gateway.wires.bedrock.frames import event_frames
from refdesk.gateway.wires.completer import Format
from refdesk.gateway.wires.streams import parts_of
from refdesk.kit.http import GuardedClient, guarded_client
from refdesk.testing.scripted_model import Turn, says, scripted_model

TEXT = "word "
REQUEST = CompletionRequest([Message("user", "Tell me everything.")], timeout_s=60)


async def measure(address: str, parts: int, rounds: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    async with guarded_client(allow_private=True) as client:
        for wire in COMPLETION_WIRES:
            if wire in OPENAI_VARIETIES:
                continue
            completer = _completer(wire, address, client)
            await _read(completer)  # connection, imports
            raw: list[float] = []
            events: list[float] = []
            for _ in range(rounds):
                raw.append(await _timed(_read_raw(completer), parts))
                events.append(await _timed(_read(completer), parts))
            least, ours = statistics.median(raw), statistics.median(events)
            figures[wire] = {
                "raw_us": round(least, 1),
                "wire_us": round(ours, 1),
                "ratio": round(ours / least, 2),
            }
    return figures


async def measure_whole(address: str, calls: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    async with guarded_client(allow_private=True) as client:
        for wire in COMPLETION_WIRES:
            if wire in OPENAI_VARIETIES:
                continue
            completer = _completer(wire, address, client)
            form = completer.format
            body = await form.body(completer.model_name, REQUEST, stream=False)
            path = form.path(completer.model_name, stream=False)
            raw: list[float] = []
            ours: list[float] = []
            for _ in range(calls):
                began = time.process_time()
                await completer.connection.json("POST", path, body)
                middle = time.process_time()
                await completer.complete(REQUEST)
                raw.append((middle - began) * 1e6)
                ours.append((time.process_time() - middle) * 1e6)
            least, full = statistics.median(raw), statistics.median(ours)
            figures[wire] = {"raw_us": round(least), "wire_us": round(full), "ratio": round(full / least, 2)}
    return figures


def _completer(wire: str, address: str, client: GuardedClient) -> HttpCompleter:
    base = f"{address}/v1" if wire == "openai" else address
    return build_completer(
        wire,
        model_id=uuid4(),
        model_name="scripted",
        connection=Connection(client, base, "key"),
        context_tokens=8192,
        defaults={},
    )


async def _timed(reading: Any, parts: int) -> float:
    began = time.process_time()
    found = await reading
    spent = time.process_time() - began
    assert found >= parts, f"{found} of {parts} parts"
    return spent / parts * 1e6


async def _read(completer: HttpCompleter) -> int:
    found = 0
    async for event in completer.stream(REQUEST):
        found += isinstance(event, TextDelta)
    return found


async def _read_raw(completer: HttpCompleter) -> int:
    form: Format = completer.format
    body = await form.body(completer.model_name, REQUEST, stream=True)
    found = 0
    path = form.path(completer.model_name, stream=True)
    async with completer.connection.send("POST", path, body) as response:
        if "eventstream" in form.stream_type:
            async for frame in event_frames(response):
                orjson.loads(frame)
                found += 1
            return found
        rest = b""
        async for part in parts_of(response):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                if line.startswith(b"data: {"):
                    orjson.loads(line[6:])
                    found += 1
    return found


async def serve(parts: int, delay_s: float) -> None:
    """The server's process: says where it listens, then answers until its input ends."""
    async with scripted_model() as model:
        model.always(says(Turn(TEXT * parts, cut=len(TEXT)), delay_s=delay_s))
        print(model.root, flush=True)
        await asyncio.to_thread(sys.stdin.read)


def run(parts: int, delay_s: float, measuring: Callable[[str], Coroutine[Any, Any, Any]]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.wires", "--serve", "--parts", str(parts)]
    with subprocess.Popen(
        [*command, "--delay", str(delay_s)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        address = server.stdout.readline().strip()
        try:
            return asyncio.run(measuring(address))
        finally:
            server.stdin.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=int, default=20_000)
    parser.add_argument("--spaced", type=int, default=500, help="parts of the run with a pause between them")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--delay", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.parts, options.delay))
        return
    figures = {
        "burst": run(options.parts, 0.0, lambda address: measure(address, options.parts, options.rounds)),
        "spaced": run(options.spaced, 0.002, lambda address: measure(address, options.spaced, 3)),
        "whole": run(20, 0.0, lambda address: measure_whole(address, 200)),
    }
    if options.json:
        print(json.dumps(figures))
        return
    for kind, wires in figures.items():
        for wire, figure in wires.items():
            print(
                f"{kind:7} {wire:10} raw {figure['raw_us']:6.1f} µs   "
                f"wire {figure['wire_us']:6.1f} µs   ratio {figure['ratio']:.2f}"
            )


if __name__ == "__main__":
    main()
