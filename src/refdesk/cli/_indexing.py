"""Waiting: what was begun is said at once, then how far it is, by a bar or, into a pipe or file, by lines.

A worker runs in this process where no other can be expected.
"""

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from refdesk.cli._client import Client
from refdesk.cli._console import note

POLL_S = 0.5
LONGEST_POLL_S = 2.0
_LINE_EVERY_S = 5.0
_NAMED = 3
UNFINISHED = ("queued", "parsing", "splitting", "indexing")
FINAL = frozenset(("ready", "failed", "cancelled"))


async def work_until_idle(client: Client) -> None:
    """Run the jobs that wait, if the application runs in this process; elsewhere a worker does."""
    from refdesk.chat import RunManager
    from refdesk.gateway import Gateway
    from refdesk.jobs import JobContext, run_worker
    from refdesk.retrieval import Retriever
    from refdesk.tools import ToolService

    app = client.app
    if app is None:
        return
    context = JobContext(
        settings=app.state.settings,
        database=app.state.database,
        services={
            Gateway: app.state.gateway,
            Retriever: app.state.retriever,
            ToolService: app.state.tools,
            RunManager: app.state.runs,
        },
    )
    await run_worker(context, until_idle=True)


async def wait_for(
    client: Client, base_id: str, document_ids: Sequence[str], *, show: bool
) -> list[dict[str, Any]]:
    """The documents, each in a final state, in the given order; one deleted meanwhile is left out."""
    wanted = set(document_ids)
    path = f"/api/v1/knowledge-bases/{base_id}/documents"
    pace = Pace()
    if show:
        say_started(client, f"Indexing {_named(document_ids)}.")
    async with working(client), _Bar(show) as bar:
        while True:
            # Those that are done are not asked for again and again: a base may have 100,000 of them.
            unfinished = [item for item in await client.all(path, state=UNFINISHED) if item["id"] in wanted]
            bar.update(len(wanted), unfinished)
            if not unfinished:
                found = {item["id"]: item for item in await client.all(path) if item["id"] in wanted}
                if all(item["state"] in FINAL for item in found.values()):
                    return [found[key] for key in document_ids if key in found]
            await pace.rest()


class Pace:
    """How often to ask: soon at first, then every two seconds."""

    def __init__(self) -> None:
        self._next_s = POLL_S

    async def rest(self) -> None:
        await asyncio.sleep(self._next_s)
        self._next_s = min(self._next_s * 1.5, LONGEST_POLL_S)


class Lines:
    """Lines about progress on standard error: only what is new, and not more often than every 5 seconds."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown
        self._last = ""
        self._told_at = time.monotonic()

    def tell(self, text: str) -> None:
        if self._shown and text != self._last and time.monotonic() - self._told_at >= _LINE_EVERY_S:
            note(text)
            self._last, self._told_at = text, time.monotonic()


def say_started(client: Client, what: str) -> None:
    """Say before a wait what was begun, and what becomes of it if the command is stopped."""
    if client.as_json:
        return
    if client.in_process:
        note(f"{what} Ctrl-C stops the work; `refdesk serve` or `refdesk worker` goes on with it.")
    else:
        note(f"{what} Ctrl-C ends the waiting only; the server goes on.")


def _named(ids: Sequence[str]) -> str:
    if len(ids) > _NAMED:
        return f"{len(ids)} documents"
    return f"{'document' if len(ids) == 1 else 'documents'} {', '.join(ids)}"


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
    """Progress on standard error, for people only: a bar on a terminal, elsewhere lines."""

    def __init__(self, shown: bool) -> None:
        self._progress: Any = None
        self._lines = Lines(shown and not sys.stderr.isatty())
        if shown and sys.stderr.isatty():
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

    def update(self, wanted: int, unfinished: Sequence[dict[str, Any]]) -> None:
        finished = wanted - len(unfinished)
        self._lines.tell(f"{finished} of {wanted} documents are indexed")
        if self._progress is not None:
            done = finished + sum(_share(document) for document in unfinished)
            self._progress.update(
                self._task, completed=done / wanted, description=f"Indexing {finished}/{wanted} documents"
            )


def _share(document: dict[str, Any]) -> float:
    total = document["progress_total"]
    return document["progress_done"] / total if total else 0.0
