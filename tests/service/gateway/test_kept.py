"""What is kept in memory is read again when it changes, also while it is read for the first time."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.gateway.listening import CONTROLS_CHANNEL, Kept, Listener
from refdesk.kit.database import Database


async def test_a_change_during_the_first_reading_is_not_missed(database: Database) -> None:
    reading, goes_on, values = asyncio.Event(), asyncio.Event(), iter(["before", "after"])

    async def load(session: AsyncSession) -> str:
        value = next(values)
        reading.set()
        await goes_on.wait()
        return value

    listener = Listener(database.url)
    listening = asyncio.Event()
    listener.on(CONTROLS_CHANNEL, lambda _: listening.set())
    kept = Kept(database, listener, frozenset({"model_prices"}), load)
    first = asyncio.create_task(kept.get())
    try:
        async with asyncio.timeout(10):
            await reading.wait()
            await listening.wait()
            goes_on.set()
            assert await first == "after"
    finally:
        await kept.close()
        await listener.close()
