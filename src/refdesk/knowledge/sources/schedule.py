"""When a source is read again, and by which job."""

from datetime import datetime, timedelta

from refdesk.kit.clock import now

SYNC_SOURCE = "sync-source"


def next_run(interval_hours: int | None) -> datetime | None:
    """The time of the next run, counted from now; None for sources that are read only when asked."""
    return None if interval_hours is None else now() + timedelta(hours=interval_hours)
