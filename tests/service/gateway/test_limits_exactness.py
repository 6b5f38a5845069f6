"""Four processes, one key, as fast as they can: never more than the limit, and next to all of it."""

from collections import Counter

import pytest
from tests.service.gateway.governed import governed

from refdesk.accounts.tables import ApiKey
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.testing.limit_hammer import Order, hammer_together

PROCESSES = 4
LIMIT = 100
WINDOW_S = 2
WINDOWS = 3


@pytest.mark.parametrize("store", ["postgresql", "redis"])
async def test_four_processes_hammering_one_key_get_exactly_the_limit(
    store: str, database: Database, request: pytest.FixtureRequest
) -> None:
    redis_url = request.getfixturevalue("redis_url") if store == "redis" else None
    desk = await governed(database)
    key = ApiKey(
        id=new_id(),
        workspace_id=desk.scope.workspace_id,
        name="Hammer",
        prefix="rd-x",
        key_hash=new_id().bytes * 2,
        scopes=["ask"],
    )
    async with database.transaction() as session:
        session.add(key)
    await desk.limit(LIMIT, window_s=WINDOW_S, per=["api_key"])
    order = Order(
        database_url=database.url,
        redis_url=redis_url,
        workspace_id=str(desk.scope.workspace_id),
        model_id=str(desk.model.id),
        api_key_id=str(key.id),
        callers=8,
        pause_s=0.02,
    )
    reports = await hammer_together(order, processes=PROCESSES, window_s=WINDOW_S, windows=WINDOWS)
    windows: Counter[str] = Counter()
    for report in reports:
        windows.update(report["admitted"])
        assert sum(report["admitted"].values()) > 0  # each of them got its part
        assert report["refused"] > 0
    assert len(windows) == WINDOWS
    assert all(LIMIT * 0.99 <= admitted <= LIMIT for admitted in windows.values()), windows
