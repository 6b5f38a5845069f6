"""Measures what the doors of `refdesk gateway` add to a call: `python -m benchmarks.gateway_doors`.

The scripted server, the callers and the figures are those of `gateway_overhead`; what is called is the
gateway alone in a process of its own, with an API key: `/v1/chat/completions` and `/mcp/invoke`. Beside them
the bare transports on the same machine: the same bytes to an HTTP server that only echoes, and to a gRPC
server that only echoes, which is what a binary transport could save at most.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import aiohttp
import grpc
import orjson
import uvicorn
from benchmarks.gateway_overhead import (
    PARTS,
    QUESTION,
    STREAMED,
    WHOLE,
    compare,
    database,
    governed,
    load,
    plain_ask,
    upstream,
)
from sqlalchemy import select

from refdesk import migrations
from refdesk.accounts import load_operator_key
from refdesk.accounts.tables import ApiKey, User
from refdesk.accounts.tokens import new_api_key, token_hash
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.logs import configure_logs
from refdesk.kit.settings import Settings
from refdesk.server import create_gateway_app

Ask = Callable[[], Awaitable[int]]
ECHO = "/bench.Echo/Call"


def serve_gateway(url: str, folder: Path) -> None:
    """The gateway alone, as `refdesk gateway` runs it."""
    settings = Settings(data_dir=folder, log_level="warning")
    configure_logs(settings)
    load_operator_key(folder)
    listening = socket.create_server(("127.0.0.1", 0))
    app = create_gateway_app(settings, database_url=url)
    config = uvicorn.Config(app, http="httptools", access_log=False, log_level="warning")
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(config).run(sockets=[listening])


def serve_http_echo() -> None:
    """Reads a body and sends it back, with nothing else around it."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = (await receive())["body"]
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http="httptools", access_log=False, log_level="warning", lifespan="off")
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(config).run(sockets=[listening])


async def serve_grpc_echo() -> None:
    """The same over gRPC, without a schema: what is sent is bytes."""

    async def echo(request: bytes, _context: Any) -> bytes:
        return request

    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(echo)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", {"Call": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


@contextlib.contextmanager
def process(*arguments: str) -> Iterator[tuple[int, int]]:
    """A role of this file; its port and its process id."""
    command = [sys.executable, "-m", "benchmarks.gateway_doors", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        try:
            yield int(started.stdout.readline()), started.pid
        finally:
            started.terminate()


def invoke_ask(client: aiohttp.ClientSession, url: str, model: str, headers: dict[str, str]) -> Ask:
    """A call of `/mcp/invoke`."""
    payload = orjson.dumps(
        {"model_id": model, "input": {"messages": [{"role": "user", "content": QUESTION}]}}
    )
    sent = headers | {"Content-Type": "application/json"}

    async def ask() -> int:
        async with client.post(url, data=payload, headers=sent) as response:
            assert response.status == 200, await response.text()
            return len(await response.read())

    return ask


async def doors(url: str, base_url: str, *, quick: bool) -> dict[str, Any]:
    """Both doors beside the direct call."""
    whole = {callers: max(calls // 5, callers) if quick else calls for callers, calls in WHOLE.items()}
    streamed = {callers: max(calls // 5, callers) if quick else calls for callers, calls in STREAMED.items()}
    async with governed(url, base_url) as (_gateway, scope, model_id):
        secret = await _make_key(url, scope.workspace_id)
    headers = {"Authorization": f"Bearer {secret}"}
    with tempfile.TemporaryDirectory() as folder:
        arguments = ("--role", "gateway", "--database", url, "--data", folder)
        with process(*arguments) as (port, pid):
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(connector=connector) as client:
                at, plain = f"http://127.0.0.1:{port}", f"{base_url}/chat/completions"
                model = str(model_id)
                v1 = f"{at}/v1/chat/completions"
                through = [
                    plain_ask(client, v1, stream=stream, model=model, headers=headers)
                    for stream in (False, True)
                ]
                direct = [plain_ask(client, plain, stream=stream) for stream in (False, True)]
                invoke = invoke_ask(client, f"{at}/mcp/invoke", model, headers)
                return {
                    "v1_whole": await compare(direct[0], through[0], whole, parts=1, pid=pid),
                    "v1_streamed": await compare(direct[1], through[1], streamed, parts=PARTS, pid=pid),
                    "invoke_whole": await compare(direct[0], invoke, whole, parts=1, pid=pid),
                }


async def transports() -> dict[str, Any]:
    """An echo of a request's bytes over each transport: milliseconds a call, by callers."""
    payload = orjson.dumps({"model": "fake", "messages": [{"role": "user", "content": QUESTION}]})
    found: dict[str, Any] = {}
    with process("--role", "http-echo") as (port, _):
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:

            async def over_http() -> int:
                async with client.post(f"http://127.0.0.1:{port}/", data=payload) as response:
                    return len(await response.read())

            await load(over_http, 1, 50)
            found["http"] = {callers: await load(over_http, callers, 800) for callers in (1, 16)}
    with process("--role", "grpc-echo") as (port, _):
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = channel.unary_unary(ECHO)

            async def over_grpc() -> int:
                return len(await call(payload))

            await load(over_grpc, 1, 50)
            found["grpc"] = {callers: await load(over_grpc, callers, 800) for callers in (1, 16)}
    return found


async def _make_key(url: str, workspace_id: UUID) -> str:
    secret = new_api_key()
    async with Database(url).sessions() as session, session.begin():
        owner = (await session.scalars(select(User))).first()
        assert owner is not None
        session.add(
            ApiKey(
                id=new_id(),
                workspace_id=workspace_id,
                created_by=owner.id,
                name="bench",
                key_hash=token_hash(secret),
                prefix=secret[:8],
                scopes=["ask", "read"],
            )
        )
    return secret


async def main_async(*, quick: bool) -> dict[str, Any]:
    with database() as url, upstream() as base_url:
        await migrations.upgrade(url)
        async with Database(url).sessions() as session, session.begin():
            administrator = User(id=new_id(), email="bench@example.org", name="Bench", is_administrator=True)
            administrator.password_hash = "none"  # there is one, so the doors are open
            session.add(administrator)
        return {"doors": await doors(url, base_url, quick=quick), "transports_ms": await transports()}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--role", choices=("gateway", "http-echo", "grpc-echo"))
    arguments.add_argument("--database")
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--quick", action="store_true", help="a fifth of the calls")
    given = arguments.parse_args()
    if given.role == "gateway":
        serve_gateway(given.database, given.data)
    elif given.role == "http-echo":
        serve_http_echo()
    elif given.role == "grpc-echo":
        asyncio.run(serve_grpc_echo())
    else:
        print(json.dumps(asyncio.run(main_async(quick=given.quick)), indent=1))


if __name__ == "__main__":
    main()
