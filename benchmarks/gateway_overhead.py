"""Measures what the gateway adds to a call: `python -m benchmarks.gateway_overhead [--json] [--quick]`.

A scripted server in a process of its own answers at once, whole or in 50 parts, over kept connections. It is
called directly, through the gateway in this process, and over the `/v1` door of a server in a third process;
each with 1, 4, 16 and 64 callers. Added latency is the difference of the medians (and of the 99th
percentiles) to the direct call in the same run. CPU is that of the process that holds the gateway. The
numbers stand beside those of any other gateway measured on the same machine with the same parts and callers.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import aiohttp
import orjson
import psycopg
import structlog
from sqlalchemy import make_url

from refdesk import migrations
from refdesk.accounts import Role, Scope, load_operator_key
from refdesk.accounts.tables import User, Workspace
from refdesk.cli._gateway_server import GatewayServer
from refdesk.cli._serving import many_doors
from refdesk.cli._web import WebServer
from refdesk.evaluation import percentile
from refdesk.gateway import CompletionRequest, Gateway, Message, Purpose, TextDelta
from refdesk.gateway.tables import Model
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database, libpq_url
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.ids import new_id
from refdesk.kit.logs import configure_logs
from refdesk.kit.settings import Settings

PARTS = 50
QUESTION = "hello " * 40
WHOLE = {1: 200, 4: 400, 16: 600, 64: 800}
STREAMED = {1: 60, 4: 90, 16: 120, 64: 192}

type Ask = Callable[[], Awaitable[int]]


def body(*, stream: bool) -> dict[str, Any]:
    return {"model": "fake", "stream": stream, "messages": [{"role": "user", "content": QUESTION}]}


# --- the scripted server, a role of this file -------------------------------------------------------------


async def serve_upstream() -> None:
    """Answers on kept connections, as fast as asyncio can; prints its port."""
    usage = {"prompt_tokens": 40, "completion_tokens": PARTS, "total_tokens": 40 + PARTS}
    message = {"role": "assistant", "content": "word " * PARTS}
    whole = orjson.dumps(
        {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
    )
    whole_reply = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(whole)
    ) + whole

    def chunk(data: bytes) -> bytes:
        return b"%x\r\n%b\r\n" % (len(data), data)

    def part(delta: dict[str, str], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return chunk(b"data: " + orjson.dumps({"id": "x", "choices": [choice]}) + b"\n\n")

    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    tail = (
        part({}, "stop")
        + chunk(b"data: " + orjson.dumps({"choices": [], "usage": usage}) + b"\n\n")
        + chunk(b"data: [DONE]\n\n")
        + b"0\r\n\r\n"
    )
    word = part({"content": "word "})

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (
                        int(line[15:])
                        for line in request.lower().split(b"\r\n")
                        if line[:15] == b"content-length:"
                    ),
                    0,
                )
                wants_stream = b'"stream":true' in (await reader.readexactly(length)).replace(b" ", b"")
                if wants_stream:
                    writer.write(head)
                    for _ in range(PARTS):
                        writer.write(word)
                        await asyncio.sleep(0)
                    writer.write(tail)
                else:
                    writer.write(whole_reply)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


@contextlib.contextmanager
def upstream() -> Iterator[str]:
    """The scripted server in a process of its own; its base URL."""
    command = [sys.executable, "-m", "benchmarks.gateway_overhead", "--role", "upstream"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


# --- measuring --------------------------------------------------------------------------------------------


async def load(ask: Ask, callers: int, calls: int) -> dict[str, float]:
    """Latencies in ms of `calls` calls by so many callers at once; `ask` returns how many parts came."""
    left, times, bad = calls, list[float](), 0

    async def one() -> None:
        nonlocal left, bad
        while left > 0:
            left -= 1
            started = time.perf_counter()
            bad += await ask() < 1
            times.append((time.perf_counter() - started) * 1000)

    await asyncio.gather(*(one() for _ in range(callers)))
    return {
        "p50": round(percentile(times, 0.5), 3),
        "p99": round(percentile(times, 0.99), 3),
        "mean": round(statistics.fmean(times), 3),
        "bad": bad,
    }


def cpu_s(pid: int | None = None) -> float:
    """CPU seconds so far of this process, or of another."""
    if pid is None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def compare(
    direct: Ask, through: Ask, levels: dict[int, int], *, parts: int, pid: int | None = None
) -> dict[str, Any]:
    """Both ways in turn at every level. `cpu_us_per_part` counts the whole call over its parts."""
    await load(direct, 4, 40)
    await load(through, 4, 40)
    found: dict[str, Any] = {}
    for callers, calls in levels.items():
        plain = await load(direct, callers, calls)
        before = cpu_s(pid)
        governed = await load(through, callers, calls)
        cpu = cpu_s(pid) - before
        found[str(callers)] = {
            "direct": plain,
            "through": governed,
            "added_p50_ms": round(governed["p50"] - plain["p50"], 3),
            "added_p99_ms": round(governed["p99"] - plain["p99"], 3),
            "cpu_ms_per_call": round(cpu / calls * 1000, 3),
            "cpu_us_per_part": round(cpu / calls / parts * 1e6, 1),
        }
    return found


def plain_ask(
    client: aiohttp.ClientSession,
    url: str,
    *,
    stream: bool,
    model: str = "fake",
    headers: dict[str, str] | None = None,
) -> Ask:
    """A call over HTTP: post, read, count the parts."""
    data = orjson.dumps(body(stream=stream) | {"model": model})
    headers = {"Content-Type": "application/json"} | (headers or {})

    async def ask() -> int:
        async with client.post(url, data=data, headers=headers) as response:
            if not stream:
                raw = await response.read()
                return 1 if response.status == 200 and raw else 0
            count = 0
            async for line in response.content:
                count += line.startswith(b"data: {")
            return count if response.status == 200 and count >= PARTS else 0

    return ask


def gateway_ask(gateway: Gateway, scope: Scope, model_id: UUID, *, stream: bool) -> Ask:
    """The same call as code in the process makes it."""
    request = CompletionRequest([Message("user", QUESTION)])

    async def ask() -> int:
        completer = await gateway.completer(scope, model_id, Purpose("gateway"))
        if not stream:
            return 1 if (await completer.complete(request)).text else 0
        count = 0
        async for event in completer.stream(request):
            count += isinstance(event, TextDelta)
        return count if count >= PARTS else 0

    return ask


# --- places -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def database() -> Iterator[str]:
    """The address of a new database: of the server given for tests, or of an embedded one."""
    given = os.environ.get("REFDESK_TEST_DATABASE_URL")
    if given is None:
        with tempfile.TemporaryDirectory() as folder:
            server = EmbeddedPostgres(Path(folder), durable=False)
            try:
                yield server.start()
            finally:
                server.stop()
        return
    name = f"refdesk_bench_{os.getpid()}"
    with psycopg.connect(libpq_url(given), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'".encode())
        try:
            yield make_url(given).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@asynccontextmanager
async def governed(url: str, base_url: str) -> AsyncGenerator[tuple[Gateway, Scope, UUID]]:
    """A gateway over one workspace with one model and nothing else configured."""
    opened = Database(url)
    workspace_id, model_id = new_id(), new_id()
    async with opened.transaction() as session:
        session.add(Workspace(id=workspace_id, name="Benchmark"))
        await session.flush()
        session.add(
            Model(
                id=model_id,
                workspace_id=workspace_id,
                kind="LLM",
                provider="openai-compatible",
                name="fake",
                model_name="fake",
                base_url=base_url,
                parameters={},
            )
        )
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(Settings(data_dir=Path(folder)), opened, Cipher(b"k" * 32))
        try:
            await gateway.start()
            await asyncio.sleep(0.5)
            yield gateway, Scope(workspace_id, None, Role.OWNER, "session"), model_id
        finally:
            await gateway.close()
            await opened.close()


async def in_process(url: str, base_url: str, *, quick: bool) -> dict[str, Any]:
    """The gateway in this process; its CPU holds the caller's own part too, which is told as `direct_cpu`."""
    whole, streamed = _levels(WHOLE, quick=quick), _levels(STREAMED, quick=quick)
    connector = aiohttp.TCPConnector(limit=0)
    async with (
        governed(url, base_url) as (gateway, scope, model_id),
        aiohttp.ClientSession(connector=connector) as client,
    ):
        target = f"{base_url}/chat/completions"
        direct = [plain_ask(client, target, stream=stream) for stream in (False, True)]
        through = [gateway_ask(gateway, scope, model_id, stream=stream) for stream in (False, True)]
        result: dict[str, Any] = {
            "whole": await compare(direct[0], through[0], whole, parts=1),
            "streamed": await compare(direct[1], through[1], streamed, parts=PARTS),
        }
        before = cpu_s()
        await load(direct[1], 16, streamed[16])
        result["direct_cpu_us_per_part"] = round((cpu_s() - before) / streamed[16] / PARTS * 1e6, 1)
        return result


async def over_http(url: str, base_url: str, app: str, *, quick: bool) -> dict[str, Any]:
    """The `/v1` door of a server process, the whole application or the gateway alone; an API key."""
    whole, streamed = _levels(WHOLE, quick=quick), _levels(STREAMED, quick=quick)
    async with governed(url, base_url) as (_gateway, scope, model_id):
        workspace_id = scope.workspace_id
    with tempfile.TemporaryDirectory() as folder, door(url, Path(folder), app) as (port, pid):
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as client:
            headers = {"Authorization": f"Bearer {await _api_key(client, port, Path(folder), workspace_id)}"}
            target = f"http://127.0.0.1:{port}/v1/chat/completions"
            plain = f"{base_url}/chat/completions"
            direct = [plain_ask(client, plain, stream=stream) for stream in (False, True)]
            through = [
                plain_ask(client, target, stream=stream, model=str(model_id), headers=headers)
                for stream in (False, True)
            ]
            return {
                "whole": await compare(direct[0], through[0], whole, parts=1, pid=pid),
                "streamed": await compare(direct[1], through[1], streamed, parts=PARTS, pid=pid),
            }


async def _api_key(client: aiohttp.ClientSession, port: int, folder: Path, workspace_id: UUID) -> str:
    """An API key, as programs use one."""
    operator = {
        "Authorization": f"Bearer {load_operator_key(folder)}",
        "X-Workspace-ID": str(workspace_id),
    }
    url = f"http://127.0.0.1:{port}/api/v1/api-keys"
    async with client.post(url, json={"name": "bench", "scopes": ["read", "ask"]}, headers=operator) as made:
        return str((await made.json())["secret"])


@contextlib.contextmanager
def door(url: str, folder: Path, app: str) -> Iterator[tuple[int, int]]:
    """A server process; its port and its id."""
    command = [sys.executable, "-m", "benchmarks.gateway_overhead", "--role", "door"]
    command += ["--database", url, "--data", str(folder), "--app", app]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.terminate()


def serve_door(url: str, folder: Path, app: str) -> None:
    """The server that `refdesk serve` or `refdesk gateway` runs."""
    settings = Settings(data_dir=folder, log_level="warning")
    configure_logs(settings)
    load_operator_key(folder)
    listening = socket.create_server(("127.0.0.1", 0))
    server = GatewayServer if app == "gateway" else WebServer
    print(listening.getsockname()[1], flush=True)
    server(settings, url, listening).run(sockets=many_doors(listening))


def _levels(levels: dict[int, int], *, quick: bool) -> dict[int, int]:
    return {callers: max(calls // 5, callers) for callers, calls in levels.items()} if quick else levels


async def main_async(*, quick: bool) -> dict[str, Any]:
    with database() as url, upstream() as base_url:
        await migrations.upgrade(url)
        async with Database(url).sessions() as session, session.begin():
            session.add(
                User(
                    id=new_id(),
                    email="bench@example.org",
                    name="Bench",
                    is_administrator=True,
                    password_hash="none",
                )
            )
        return {
            "parts": PARTS,
            "in_process": await in_process(url, base_url, quick=quick),
            "over_http": await over_http(url, base_url, "gateway", quick=quick),
            "whole_application": await over_http(url, base_url, "server", quick=quick),
        }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--role", choices=("upstream", "door"))
    arguments.add_argument("--database")
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--app", choices=("server", "gateway"))
    arguments.add_argument("--quick", action="store_true", help="a fifth of the calls")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    if given.role == "upstream":
        asyncio.run(serve_upstream())
        return
    if given.role == "door":
        serve_door(given.database, given.data, given.app)
        return
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    result = asyncio.run(main_async(quick=given.quick))
    print(json.dumps(result, indent=None if given.json else 2))


if __name__ == "__main__":
    main()
