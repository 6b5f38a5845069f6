"""The shop as a demo: `make demo`, or `python examples/demo/demo.py [--data FOLDER] [--model-url URL …]`.

Starts the order system and Refdesk, furnishes it (see `furnishing`) and prints the address. Runs offline;
without a language model answers quote the handbook and show what the order system says. Ctrl-C stops all of
it; without `--data` nothing is left behind.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
from furnishing import HERE, SHOPS, Connection, furnish

from refdesk.accounts import load_operator_key

STARTED_WITHIN_S = 120.0
STOPPED_WITHIN_S = 20.0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, help="data folder to keep; a temporary one without it")
    arguments.add_argument("--port", type=int, default=8080)
    arguments.add_argument("--model-url", default=os.environ.get("DEMO_MODEL_URL"))
    arguments.add_argument("--model-name", default=os.environ.get("DEMO_MODEL_NAME"))
    arguments.add_argument("--model-key", default=os.environ.get("DEMO_MODEL_KEY"))
    given = arguments.parse_args()
    connection = None
    if given.model_url:
        if not given.model_name:
            arguments.error("--model-url needs --model-name")
        connection = Connection(given.model_url, given.model_name, given.model_key)
    # A stop by another process ends what was started here too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.ExitStack() as stack, contextlib.suppress(KeyboardInterrupt):
        folder: Path = given.data or Path(stack.enter_context(_temporary_folder()))
        port, orders_port = _usable(given.port), _usable(0)
        orders = [str(HERE.parent / "order_system" / "server.py"), "--port", str(orders_port)]
        stack.enter_context(_running(orders, quiet=True))
        where = ["--data-dir", str(folder), "--port", str(port)]
        server = stack.enter_context(_running(["-m", "refdesk", "serve", *where]))
        asyncio.run(_furnish(server, folder, port, f"http://127.0.0.1:{orders_port}/mcp", connection))
        server.wait()


async def _furnish(
    server: subprocess.Popen[bytes], folder: Path, port: int, orders_url: str, connection: Connection | None
) -> None:
    address = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        begun = time.monotonic()
        while not await _is_ready(client):
            if server.poll() is not None or time.monotonic() - begun > STARTED_WITHIN_S:
                raise SystemExit("Refdesk did not start; the lines above say why.")
            await asyncio.sleep(0.2)
        client.headers["Authorization"] = f"Bearer {load_operator_key(folder)}"
        _say("Furnishing the shop; the handbook is being read …")
        made = await furnish(client, orders_url, connection)
    _say("")
    _say(f"The shop is open: {address}")
    for language, application in made.items():
        _say(f"  {application['name']}: {address}/ask?application={application['id']}")
        _say(f"    {SHOPS[language].questions[0]}")
    _say("If it asks who you are, open the setup address above once, to become the first administrator.")
    _say("Ctrl-C closes it.")


async def _is_ready(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/readyz")).is_success
    except httpx.TransportError:
        return False


@contextlib.contextmanager
def _running(arguments: list[str], *, quiet: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process that ends with the block."""
    output = subprocess.DEVNULL if quiet else None
    process = subprocess.Popen([sys.executable, *arguments], stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOPPED_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()


@contextlib.contextmanager
def _temporary_folder() -> Iterator[str]:
    # What the database writes while it stops may be in the way of removing; it is in the temporary folder.
    with tempfile.TemporaryDirectory(prefix="refdesk-demo-", ignore_cleanup_errors=True) as folder:
        yield folder


def _usable(port: int) -> int:
    """The port, or a free one where it is taken."""
    for wanted in (port, 0):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", wanted))
            return int(probe.getsockname()[1])
    raise SystemExit("There is no free port.")


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 — a command


if __name__ == "__main__":
    main()
