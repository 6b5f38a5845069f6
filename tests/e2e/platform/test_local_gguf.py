"""A GGUF file and the gateway alone, as processes: loaded, connected, asked over HTTP, stopped."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
from tests.e2e.platform.serving import eventually, free_port

from refdesk.accounts import load_operator_key
from refdesk.testing.tiny_gguf import write_tiny_gguf


@contextmanager
def command(log: Path, environment: dict[str, str], *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """`refdesk …` in a process; it must end with 0 on Ctrl-C."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "refdesk", *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0, log.read_text(errors="replace")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_a_gguf_file_answers_through_the_gateway(tmp_path: Path, database_url: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REFDESK_")}
    environment |= {"REFDESK_DATA_DIR": str(tmp_path / "data"), "REFDESK_DATABASE_URL": database_url}
    file, port = write_tiny_gguf(tmp_path / "tiny.gguf"), free_port()
    served, local = tmp_path / "gateway.log", tmp_path / "local.log"
    with ExitStack() as stack:
        stack.enter_context(command(served, environment, "gateway", "--port", str(port)))
        assert eventually(lambda: "The gateway is ready" in served.read_text(), 60), served.read_text()
        words = ("models", "local", str(file), "--context", "512", "--port", "0")
        stack.enter_context(command(local, environment, *words))
        ready = eventually(lambda: "tiny is ready" in local.read_text(errors="replace"), 90)
        assert ready, local.read_text(errors="replace")
        headers = {"Authorization": f"Bearer {load_operator_key(tmp_path / 'data')}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client:
            assert client.get("/health").json()["status"] == "ok"
            body = {"model_id": "tiny", "input": {"prompt": "Hello", "max_tokens": 8}}
            told = client.post("/mcp/invoke", json=body).raise_for_status().json()
            assert told["content"]
            assert told["metadata"]["output_tokens"] == 8
            cards = client.get("/v1/models").raise_for_status().json()["data"]
            assert "tiny" in [card["id"] for card in cards]
    assert "Traceback" not in served.read_text() + local.read_text(errors="replace")
