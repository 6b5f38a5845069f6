"""Patterns of SQL's LIKE from what people type."""


def containing(part: str) -> str:
    """A pattern that finds `part` literally, anywhere."""
    escaped = part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
