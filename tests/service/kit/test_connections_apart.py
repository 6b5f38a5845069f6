"""Connections beside the pool."""

import asyncio
import gc

import psutil
import pytest

from refdesk.kit.database import Database, connect_apart


async def test_one_that_is_cancelled_while_it_is_made_leaves_nothing_open(database: Database) -> None:
    process = psutil.Process()
    gc.collect()
    gc.disable()  # what only garbage collection closes counts as left
    try:
        before = process.num_fds()
        for turns in (1, 2, 3, 4):
            making = asyncio.ensure_future(connect_apart(database.url, application_name="cut-short"))
            for _ in range(turns):
                await asyncio.sleep(0)
            making.cancel()
            with pytest.raises(asyncio.CancelledError):
                await making
        assert process.num_fds() == before
    finally:
        gc.enable()
