"""Waiting for documents: a progress bar, and a worker in this process where no other can be expected."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from refdesk.cli._client import Client

POLL_S = 0.5
FINAL = frozenset(("ready", "failed", "cancelled"))


async def work_until_idle(client: Client) -> None:
    """Run the jobs that wait, if the application runs in this process; elsewhere a worker does."""
    from refdesk.gateway import Gateway
    from refdesk.jobs import JobContext, run_worker
    from refdesk.retrieval import Retriever

    app = client.app
    if app is None:
        return
    context = JobContext(
        settings=app.state.settings,
        database=app.state.database,
        services={Gateway: app.state.gateway, Retriever: app.state.retriever},
    )
    await run_worker(context, until_idle=True)


async def wait_for(
    client: Client, base_id: str, document_ids: Sequence[str], *, show: bool
) -> list[dict[str, Any]]:
    """The documents, each in a final state, in the given order; one deleted meanwhile is left out."""
    wanted = set(document_ids)
    async with working(client), _Bar(show and sys.stderr.isatty()) as bar:
        while True:
            documents = await client.all(f"/api/v1/knowledge-bases/{base_id}/documents")
            found = {item["id"]: item for item in documents if item["id"] in wanted}
            bar.update(list(found.values()))
            if all(item["state"] in FINAL for item in found.values()):
                return [found[key] for key in document_ids if key in found]
            await asyncio.sleep(POLL_S)


@asynccontextmanager
async def working(client: Client) -> AsyncGenerator[None]:
    """Run jobs while the block lasts, if the application runs in this process."""

    async def keep_working() -> None:
        while True:
            await work_until_idle(client)
            await asyncio.sleep(POLL_S)

    working = asyncio.create_task(keep_working()) if client.in_process else None
    try:
        yield
    finally:
        if working is not None:
            working.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await working


class _Bar:
    """Progress on standard error, for people only."""

    def __init__(self, shown: bool) -> None:
        self._progress: Any = None
        if shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._progress.add_task("Indexing", total=1.0)

    async def __aenter__(self) -> "_Bar":
        if self._progress is not None:
            self._progress.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def update(self, documents: Sequence[dict[str, Any]]) -> None:
        if self._progress is None or not documents:
            return
        done = sum(_share(document) for document in documents)
        finished = sum(document["state"] in FINAL for document in documents)
        self._progress.update(
            self._task,
            completed=done / len(documents),
            description=f"Indexing {finished}/{len(documents)} documents",
        )


def _share(document: dict[str, Any]) -> float:
    if document["state"] in FINAL:
        return 1.0
    total = document["progress_total"]
    return document["progress_done"] / total if total else 0.0
