"""The fixtures that all service tests stand on."""

import socket

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk import migrations
from refdesk.kit.database import Database


async def test_the_database_is_migrated_to_the_newest_revision(database_url: str) -> None:
    assert migrations.current_revision(database_url) == migrations.head_revision()


async def test_committed_rows_stay_within_the_module(database: Database) -> None:
    async with database.transaction() as session:
        await session.execute(text("CREATE TABLE marks (n int)"))
        await session.execute(text("INSERT INTO marks VALUES (1)"))
    async with database.transaction() as session:
        assert await session.scalar(text("SELECT count(*) FROM marks")) == 1


@pytest.mark.parametrize("round_number", [1, 2])
async def test_work_in_tx_is_rolled_back_even_if_committed(tx: AsyncSession, round_number: int) -> None:
    assert await tx.scalar(text("SELECT count(*) FROM marks")) == 1
    await tx.execute(text("INSERT INTO marks VALUES (2)"))
    await tx.commit()
    assert await tx.scalar(text("SELECT count(*) FROM marks")) == 2


def test_the_network_is_out_of_reach() -> None:
    with socket.socket() as outside, pytest.raises(AssertionError, match="tried to reach"):
        outside.connect(("192.0.2.1", 80))
