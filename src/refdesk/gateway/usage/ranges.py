"""Days and hours of a time range, in a workspace's time zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from refdesk.gateway.usage.errors import UsageRangeInvalid

MAX_DAYS = 1_100
MAX_HOURS = 8 * 24


def check(since: datetime, until: datetime) -> tuple[datetime, datetime]:
    """Both with a time zone (UTC unless told). Raises `UsageRangeInvalid`."""
    since, until = (
        moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC) for moment in (since, until)
    )
    if not timedelta(0) < until - since <= timedelta(days=MAX_DAYS):
        raise UsageRangeInvalid
    return since, until


def day_starts(since: datetime, until: datetime, zone: ZoneInfo) -> list[datetime]:
    """The midnights of every day that has a part in the range; days of 23 and 25 hours included."""
    day = since.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    starts: list[datetime] = []
    while day.astimezone(UTC) < until:
        starts.append(day.astimezone(UTC))
        day = (day.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=zone)
    return starts


def hour_starts(since: datetime, until: datetime) -> list[datetime]:
    """The full hours that have a part in the range. Raises `UsageRangeInvalid` for too many."""
    hour = since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    if (until - hour) / timedelta(hours=1) > MAX_HOURS:
        raise UsageRangeInvalid
    starts: list[datetime] = []
    while hour < until:
        starts.append(hour)
        hour += timedelta(hours=1)
    return starts
