"""Days of figures begin and end where the workspace's clocks say, also when clocks change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.service.gateway.governed import governed

from refdesk.gateway.controls import Controls
from refdesk.gateway.usage import CallRecord, UsageSettings
from refdesk.gateway.usage.figures import figures
from refdesk.gateway.usage.schemas import Filters
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings


@pytest.mark.parametrize("month", [3, 10, 6])
async def test_every_hour_is_counted_on_its_own_day(database: Database, month: int) -> None:
    desk = await governed(database)
    zone = ZoneInfo("Europe/Berlin")
    async with database.transaction() as session:
        session.add(UsageSettings(workspace_id=desk.scope.workspace_id, time_zone=zone.key, keep_days=0))
    controls = Controls(Settings(), database)
    since = datetime(2026, month, 23, 22, 30, tzinfo=UTC)
    expected: dict[str, int] = {}
    for half_hour in range(8 * 48):
        at = since + timedelta(minutes=30 * half_hour)
        midnight = at.astimezone(zone).replace(hour=0, minute=0)
        key = midnight.astimezone(UTC).isoformat().replace("+00:00", "Z")
        expected[key] = expected.get(key, 0) + 1
        controls.usage.record(CallRecord(desk.scope, desk.purpose, desk.model.id, "LLM", "ok", 10, at=at))
    await controls.close()
    async with database.transaction() as session:
        filters = Filters(since=since, until=since + timedelta(days=8))
        found = await figures(session, desk.scope, filters, "day")
    assert {item.key: item.calls for item in found.items if item.calls} == expected
