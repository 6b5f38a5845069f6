"""Desks: workspaces of their own for each test."""

from collections.abc import Awaitable, Callable

import pytest

from refdesk.kit.database import Database
from refdesk.testing.desk import Desk, make_desk


@pytest.fixture
async def desk(database: Database) -> Desk:
    """A workspace of its own for each test."""
    return await make_desk(database)


@pytest.fixture
def another_desk(database: Database) -> Callable[[], Awaitable[Desk]]:
    return lambda: make_desk(database)
