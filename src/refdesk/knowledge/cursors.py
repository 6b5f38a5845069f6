"""Cursors of this room's lists: a position or an id in plain text, checked when it comes back."""

from uuid import UUID

from refdesk.kit.errors import CursorInvalid


def decode_id(cursor: str) -> UUID:
    try:
        return UUID(cursor)
    except ValueError:
        raise CursorInvalid from None


def decode_position(cursor: str) -> int:
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 9:
        raise CursorInvalid
    return int(cursor)
