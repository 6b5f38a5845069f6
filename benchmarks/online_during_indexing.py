"""Searches while a large upload is indexed: `python -m benchmarks.online_during_indexing [--json]`.

A real `refdesk serve` with its worker and the embedded model, and hit tests with the query's embedding
included. While a document of several thousand paragraphs is indexed the worker is stopped and continued in
turns, so that what else the machine does falls on both sides alike: stopped is the idle system.
Target: p95 during indexing at most 3 times that of the idle system.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import psutil
from tests.e2e.platform.serving import Served

from refdesk.accounts import load_operator_key

TARGET_RATIO = 3.0
# Searches of one turn: a few seconds, far less than what makes a worker count as dead.
BLOCK = 20
TEXT = """harbour lantern gateway firmware invoice refund delivery warranty polling interval sensor cluster
backup certificate migration console signature timeout restart latency 退货 运费 保修 部署 升级 回滚 备份 证书
日志 超时 重启 报销 审批 安全 事件 接口 错误码"""
WORDS = TEXT.split()


def document(paragraphs: int, seed: int) -> bytes:
    """Markdown of `paragraphs` sections of about 30 words each."""
    source = random.Random(seed)
    parts = [
        f"## Section {n}\n\n" + " ".join(source.choice(WORDS) for _ in range(30)) + f" ERR-{n:05d}.\n"
        for n in range(paragraphs)
    ]
    return "\n".join(parts).encode()


class Bench:
    """The server under test, as its local operator uses it."""

    def __init__(self, served: Served) -> None:
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{served.port}",
            headers={"Authorization": f"Bearer {load_operator_key(served.data_dir)}"},
            timeout=120,
        )

    def call(self, method: str, path: str, **more: Any) -> Any:
        response = self.http.request(method, path, **more)
        response.raise_for_status()
        return response.json()

    def upload(self, base_id: str, name: str, data: bytes) -> str:
        answer = self.call(
            "POST", f"/api/v1/knowledge-bases/{base_id}/files", files=[("files", (name, data))]
        )
        return answer["files"][0]["document"]["id"]

    def wait_until_ready(self, document_id: str) -> dict[str, Any]:
        while (found := self.call("GET", f"/api/v1/documents/{document_id}"))["state"] != "ready":
            if found["state"] == "failed":
                raise SystemExit(f"indexing failed: {found['error']}")
            time.sleep(0.2)
        return found

    def wait_until_progress(self, document_id: str) -> int:
        """Wait until batches are being written; the paragraphs indexed so far."""
        while not (found := self.call("GET", f"/api/v1/documents/{document_id}"))["progress_done"]:
            time.sleep(0.2)
        return int(found["progress_done"])

    def searches(self, base_id: str, count: int, seed: int) -> list[float]:
        """Milliseconds of `count` hit tests, one after the other."""
        source = random.Random(seed)
        took: list[float] = []
        for _ in range(count):
            body = {
                "query": " ".join(source.choice(WORDS) for _ in range(8)),
                "knowledge_base_ids": [base_id],
                "similarity": 0.0,
            }
            started = time.perf_counter()
            self.call("POST", "/api/v1/hit-test", json=body)
            took.append((time.perf_counter() - started) * 1000)
            time.sleep(0.05)
        return took


def summary(took: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(took, n=20)
    return {"n": len(took), "p50_ms": round(statistics.median(took), 1), "p95_ms": round(cuts[18], 1)}


def measure(folder: Path, *, rounds: int, paragraphs: int) -> dict[str, Any]:
    served = Served(data_dir=folder / "data", log=folder / "log").start()
    idle: list[float] = []
    busy: list[float] = []
    indexed = 0
    busy_s = 0.0
    try:
        served.wait_until_ready()
        bench = Bench(served)
        base = bench.call("POST", "/api/v1/knowledge-bases", json={"name": "Bench"})["id"]
        bench.wait_until_ready(bench.upload(base, "first.md", document(100, 1)))
        bench.searches(base, BLOCK, 2)
        second = bench.upload(base, "second.md", document(paragraphs, 4))
        done = bench.wait_until_progress(second)
        (worker,) = served.workers()
        for number in range(rounds):
            worker.suspend()
            idle += bench.searches(base, BLOCK, 10 + number)
            worker.resume()
            started = time.perf_counter()
            busy += bench.searches(base, BLOCK, 1_000 + number)
            busy_s += time.perf_counter() - started
        found = bench.call("GET", f"/api/v1/documents/{second}")
        if found["state"] != "indexing":
            raise SystemExit(f"the document was {found['state']} before the end: give more --paragraphs")
        indexed = found["progress_done"] - done
    finally:
        served.end()
    ratio = summary(busy)["p95_ms"] / summary(idle)["p95_ms"]
    return {
        "idle": summary(idle),
        "during_indexing": summary(busy),
        "p95_ratio": round(ratio, 2),
        "target_ratio": TARGET_RATIO,
        "met": ratio <= TARGET_RATIO and indexed > 0,
        "paragraphs_per_s_meanwhile": round(indexed / busy_s, 1),
        "cores": psutil.cpu_count(),
        "load": [round(value, 2) for value in psutil.getloadavg()],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--paragraphs", type=int, default=4_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refdesk-bench-") as folder:
        result = measure(Path(folder), rounds=options.rounds, paragraphs=options.paragraphs)
    print(json.dumps(result) if options.json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
