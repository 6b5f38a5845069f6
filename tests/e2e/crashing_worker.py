"""A worker that kills itself (SIGKILL) at a named point. Driven by test_job_crashes.py over its pipes.

Imports once, then forks: one line of JSON on standard input starts workers, one line on standard output
tells how they ended. `{"url", "points": ["commit:2", null], "sole", "pause_s", "log"}` starts one worker an
element of `points`. A point is a kind and which occurrence of it is the last.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from refdesk.gateway import Gateway
from refdesk.jobs import JobContext, run_worker
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.index_batches import IndexBatches
from refdesk.knowledge.indexing import IndexWriter, tokenize
from refdesk.knowledge.processing import DocumentRun
from refdesk.knowledge.versions import switching
from refdesk.testing.desk import InstantGateway
from refdesk.testing.embedder import HashingEmbedder


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(
    function: Callable[..., Awaitable[Any]], occurrence: int, *, before: bool
) -> Callable[..., Awaitable[Any]]:
    """`function`, but the process ends before or after its `occurrence`-th call."""
    calls = 0

    async def wrapped(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if before and calls == occurrence:
            die()
        result = await function(*arguments, **options)
        if not before and calls == occurrence:
            die()
        return result

    return wrapped


class PausingEmbedder(HashingEmbedder):
    """Takes its time, as a real model does."""

    pause_s = 0.0

    async def embed_passages(self, texts: Any) -> Any:
        await asyncio.sleep(self.pause_s)
        return await super().embed_passages(texts)


def arm(point: str) -> None:
    """Make the process die at this point."""
    kind, _, number = point.partition(":")
    occurrence = int(number or 1)
    if kind == "parsed":
        DocumentRun._read_file = dying(DocumentRun._read_file, 1, before=False)  # type: ignore[method-assign]
    elif kind == "saving":  # rows are inserted, the transaction is open
        switching.now = die  # type: ignore[assignment]
    elif kind == "saved":
        DocumentRun._save = dying(DocumentRun._save, 1, before=False)  # type: ignore[method-assign]
    elif kind == "embedding":
        PausingEmbedder.embed_passages = dying(PausingEmbedder.embed_passages, occurrence, before=True)  # type: ignore[method-assign]
    elif kind == "boundary":  # the batch is embedded, its transaction has not begun
        IndexBatches._write = dying(IndexBatches._write, occurrence, before=True)  # type: ignore[method-assign]
    elif kind == "writing":  # entries are written, the transaction is open
        IndexWriter.write = dying(IndexWriter.write, occurrence, before=False)  # type: ignore[method-assign]
    elif kind == "commit":
        IndexBatches._write = dying(IndexBatches._write, occurrence, before=False)  # type: ignore[method-assign]
    elif kind == "finishing":  # nothing is pending, the state is not yet written
        IndexWriter.pending = dying(IndexWriter.pending, 2, before=False)  # type: ignore[method-assign]
    else:
        raise ValueError(point)


def log_spans(path: str) -> None:
    """Write when each run of a document begins and ends."""
    original = DocumentRun.run
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def run(self: DocumentRun) -> None:
        began = time.monotonic()
        await original(self)
        span = json.dumps([str(self._document_id), began, time.monotonic(), os.getpid()])
        os.write(file, f"{span}\n".encode())

    DocumentRun.run = run  # type: ignore[method-assign]


async def work(url: str, *, sole: bool) -> None:
    database = Database(url, pool_size=4)
    gateway = InstantGateway(PausingEmbedder(new_id(), 64))
    context = JobContext(Settings(index_batch_size=4), database, {Gateway: gateway})
    await run_worker(context, concurrency=2, until_idle=True, sole=sole)
    await database.close()


def child(order: dict[str, Any], point: str | None) -> None:
    PausingEmbedder.pause_s = order.get("pause_s", 0.0)
    if point is not None:
        arm(point)
    if order.get("log"):
        log_spans(order["log"])
    asyncio.run(work(order["url"], sole=order.get("sole", True)))
    os._exit(0)


def main() -> None:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    tokenize("预热 warm-up")  # the dictionary is loaded once, not in each child
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        children: list[int] = []
        for point in order["points"]:
            pid = os.fork()
            if pid == 0:
                child(order, point)
            children.append(pid)
        if "kill_after_s" in order:
            time.sleep(order["kill_after_s"])
            for pid in children:
                os.kill(pid, signal.SIGKILL)
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
        print(json.dumps(codes), flush=True)


if __name__ == "__main__":
    main()
