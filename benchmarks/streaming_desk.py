"""What `first_event` and `sse_streams` measure: one server process over a scripted model in another process.

The real application under uvicorn with the real database, journal and model wire; only the embedder is the
hashing stand-in, so that a question costs the search and no model. Run with a role it is one of the parts.
"""

import argparse
import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg
import uvicorn
from sqlalchemy import make_url

from refdesk import migrations
from refdesk.accounts import load_operator_key
from refdesk.cli._web import settle_memory
from refdesk.gateway import Completion, CompletionEvent, CompletionRequest, Finished, TextDelta
from refdesk.kit.database import Database, libpq_url
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.logs import configure_logs
from refdesk.kit.settings import Settings
from refdesk.server import create_app
from refdesk.testing.embedder import HashingEmbedder
from refdesk.testing.library import Library
from refdesk.testing.scripted_model import delta, events, scripted_model

TEXT = (
    "To reset the router to factory settings, hold the reset button for 10 seconds. "
    "The default password is printed on the label underneath the device."
)
_KEEP_ALIVE_S = 5.0
QUESTION = "How do I reset the router to factory settings?"


@dataclass(frozen=True)
class RunningDesk:
    """Where the server listens, how to ask it, and the processes' ids."""

    port: int
    headers: dict[str, str]
    base_id: UUID
    server_pid: int
    database_url: str
    gate: Path
    others: tuple[tuple[int, int], ...] = ()
    """Ports and process ids of further servers on the same database."""

    def client(self, port: int | None = None) -> httpx.AsyncClient:
        address = f"http://127.0.0.1:{port or self.port}"
        return httpx.AsyncClient(base_url=address, headers=self.headers, timeout=120)

    def question(self) -> dict[str, Any]:
        return {"question": QUESTION, "knowledge_base_ids": [str(self.base_id)]}


@asynccontextmanager
async def running_desk(
    database_url: str | None,
    *,
    deltas: int,
    interval_s: float,
    model_inside: bool = False,
    servers: int = 1,
) -> AsyncGenerator[RunningDesk]:
    """Servers on one database and a model that answers with `deltas` parts, each the moment it was sent
    (monotonic ns).

    The model begins once the file `gate` exists, so that all streams run at once. With `model_inside` it is
    part of the server process, which leaves the model's wire out of what is measured.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="refdesk-bench-")))
        server_url = database_url
        if server_url is None:
            embedded = EmbeddedPostgres(folder / "postgres")
            server_url = embedded.start()
            stack.callback(embedded.stop)
        url = _new_database(server_url, stack)
        await migrations.upgrade(url)
        database = Database(url)
        library = await Library(database).open()
        base = await library.base()
        await library.add(base, [TEXT], titles=("Router manual", "Reset"))
        await database.close()
        gate = folder / "gate"
        script = ("--gate", str(gate), "--deltas", str(deltas), "--interval", str(interval_s))
        model = _start("model", stack, *script)
        started: list[tuple[int, int]] = []
        for _ in range(servers):
            port = _free_port()
            where = ("--database", url, "--data", str(folder), "--port", str(port))
            started.append((port, _start("server", stack, *where, *(script if model_inside else ()))[0].pid))
        port, pid = started[0]
        headers = {
            "Authorization": f"Bearer {load_operator_key(folder)}",
            "X-Workspace-ID": str(library.workspace_id),
        }
        desk = RunningDesk(port, headers, base.id, pid, url, gate, tuple(started[1:]))
        async with desk.client() as client:
            made = await client.post(
                "/api/v1/models",
                json={
                    "kind": "LLM",
                    "name": "scripted",
                    "model_name": "scripted-chat",
                    "base_url": model[1],
                    "is_default": True,
                },
            )
            made.raise_for_status()
        yield desk


def _new_database(server_url: str, stack: contextlib.ExitStack) -> str:
    name = f"refdesk_bench_{uuid4().hex[:8]}"

    def run(statement: str) -> None:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(statement.encode())

    run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    stack.callback(run, f"DROP DATABASE {name} WITH (FORCE)")
    return libpq_url(make_url(server_url).set(database=name).render_as_string(hide_password=False))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(role: str, stack: contextlib.ExitStack, *more: str) -> tuple[subprocess.Popen[str], str]:
    """A part in its own process, and the line it prints when it is ready."""
    command = [sys.executable, "-m", "benchmarks.streaming_desk", role, *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


class _TickingModel:
    """A chat model whose open answers all get their next part from one clock.

    One task and one text for all streams, so that it takes little of the machine from the server: 10,000
    parts a second cost it a tenth of a core, where a task a stream costs more than the server itself.
    """

    PHASES = 25

    def __init__(self, deltas: int, interval_s: float) -> None:
        self._deltas, self._interval_s = deltas, interval_s
        self._streams: list[list[asyncio.WriteTransport]] = [[] for _ in range(self.PHASES)]
        self._count = 0
        self._told = time.monotonic()

    async def serve(self, gate: Path) -> None:
        server = await asyncio.get_running_loop().create_server(lambda: _Answer(self), "127.0.0.1", 0)
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
        while not gate.exists():  # noqa: ASYNC240 — another process makes the file
            await asyncio.sleep(0.01)
            if time.monotonic() - self._told > _KEEP_ALIVE_S:  # as vendors do while a model thinks
                self._told = time.monotonic()
                self._write((stream for phase in self._streams for stream in phase), b": wait\n\n")
        begun = time.monotonic()
        for step in range(self._deltas * self.PHASES):
            due = begun + step * self._interval_s / self.PHASES
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            part = b"data: " + json.dumps(delta(f"{time.monotonic_ns()} ")).encode() + b"\n\n"
            self._write(self._streams[step % self.PHASES], part)
        end = b"data: " + json.dumps(delta(finish="stop")).encode() + b"\n\ndata: [DONE]\n\n"
        everyone = [stream for phase in self._streams for stream in phase]
        self._write(everyone, end)
        for stream in everyone:
            stream.close()
        await asyncio.Event().wait()

    @staticmethod
    def _write(streams: Iterable[asyncio.WriteTransport], data: bytes) -> None:
        for stream in streams:
            if not stream.is_closing():
                stream.write(data)

    def add(self, stream: asyncio.WriteTransport) -> None:
        stream.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        self._streams[self._count % self.PHASES].append(stream)
        self._count += 1


class _Answer(asyncio.Protocol):
    """One connection: the request as a whole, then what the clock writes."""

    def __init__(self, model: _TickingModel) -> None:
        self._model = model
        self._request = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._request += data
        head, separator, body = self._request.partition(b"\r\n\r\n")
        if not separator:
            return
        lines = head.lower().split(b"\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
        if len(body) >= length:
            assert isinstance(self._transport, asyncio.WriteTransport)
            self._model.add(self._transport)


async def _serve_model(gate: Path, deltas: int, interval_s: float) -> None:
    if interval_s:
        await _TickingModel(deltas, interval_s).serve(gate)
        return
    async with scripted_model() as model:
        model.always(events([delta("Hold the reset button [1]."), delta(finish="stop")]))
        print(model.base_url, flush=True)
        await asyncio.Event().wait()


class InsideModel:
    """The scripted model as a completer of the server process."""

    model_id = uuid4()
    model_name = "scripted"
    context_tokens = 8_000

    def __init__(self, gate: Path, deltas: int, interval_s: float) -> None:
        self._gate, self._deltas, self._interval_s = gate, deltas, interval_s

    async def stream(self, _request: CompletionRequest) -> AsyncGenerator[CompletionEvent]:
        while not self._gate.exists():  # noqa: ASYNC110 — another process makes the file
            await asyncio.sleep(0.05)
        begun = time.monotonic()
        for number in range(self._deltas):
            due = begun + number * self._interval_s
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            # The moment it was due: that the process came late to it is part of the lag.
            yield TextDelta(f"{int(due * 1e9)} ")
        yield Finished("stop")

    async def complete(self, _request: CompletionRequest) -> Completion:
        return Completion("", "stop")


class _Server(uvicorn.Server):
    """Ready once it listens; embeds by hashing; may have the model inside."""

    inside: "InsideModel | None" = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)

        async def embedder(_scope: Any, model_id: UUID, purpose: object = None) -> HashingEmbedder:
            return HashingEmbedder(model_id)

        app: Any = self.config.app
        app.state.gateway.embedder = embedder
        inside = self.inside
        if inside is not None:

            async def completer(_scope: Any, _model_id: UUID, purpose: object = None) -> InsideModel:
                return inside

            app.state.gateway.completer = completer
        settle_memory()
        print("ready", flush=True)


def _serve(database: str, data: Path, port: int, inside: InsideModel | None) -> None:
    settings = Settings(data_dir=data, port=port, run_concurrency=2_000, log_level="warning")
    configure_logs(settings)
    app = create_app(settings, database_url=database)
    config = uvicorn.Config(
        app, port=port, http="httptools", access_log=False, log_level="warning", timeout_graceful_shutdown=1
    )
    server = _Server(config)
    server.inside = inside
    server.run()


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("role", choices=["model", "server"])
    arguments.add_argument("--gate", type=Path)
    arguments.add_argument("--deltas", type=int)
    arguments.add_argument("--interval", type=float)
    arguments.add_argument("--database")
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--port", type=int)
    given = arguments.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        if given.role == "model":
            asyncio.run(_serve_model(given.gate, given.deltas, given.interval))
        else:
            inside = InsideModel(given.gate, given.deltas, given.interval) if given.gate else None
            _serve(given.database, given.data, given.port, inside)


def database_of_environment() -> str | None:
    """The server given for tests, or None for an embedded one."""
    return os.environ.get("REFDESK_TEST_DATABASE_URL")


if __name__ == "__main__":
    main()
