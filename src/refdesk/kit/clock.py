"""The time, behind one function so that tests can hold it still."""

from datetime import UTC, datetime


def now() -> datetime:
    """The present moment, timezone-aware, UTC."""
    return datetime.now(UTC)
