"""Run background jobs: parsing, indexing, maintenance."""

import asyncio
import contextlib
from pathlib import Path
from typing import Annotated

import typer

from refdesk.cli._settings import load_settings
from refdesk.cli._signals import Leaving
from refdesk.kit.embedded_postgres import running_database
from refdesk.kit.logs import configure_logs
from refdesk.kit.processes import give_way
from refdesk.kit.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the command to an application."""
    app.command("worker")(worker)


def worker(
    until_idle: Annotated[bool, typer.Option("--until-idle", help="End when no job waits any more.")] = False,
    sole: Annotated[bool, typer.Option("--sole", hidden=True)] = False,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of everything Refdesk keeps.")] = None,
) -> None:
    """Run background jobs until stopped. `refdesk serve` starts one by itself.

    `--sole` (from `serve` to its own worker) says that no other worker can be alive.
    """
    settings = load_settings(data_dir=data_dir)
    configure_logs(settings)
    leaving = Leaving()
    with contextlib.suppress(KeyboardInterrupt), running_database(settings) as url:
        leaving.obey()
        asyncio.run(_work(settings, url, leaving, until_idle=until_idle, sole=sole))


async def _work(settings: Settings, url: str, leaving: Leaving, *, until_idle: bool, sole: bool) -> None:
    from refdesk.server import run_worker_process

    give_way()  # answers come before indexing where they share a machine
    working = asyncio.create_task(
        run_worker_process(settings, database_url=url, until_idle=until_idle, sole=sole)
    )

    def leave() -> None:
        # `serve` asks twice, and Ctrl-C reaches both of us: cancelled again, the worker would leave its jobs
        # behind in the midst of stopping them.
        if not working.cancelling():
            working.cancel()

    leaving.hand_over(leave)
    with contextlib.suppress(asyncio.CancelledError):
        await working
