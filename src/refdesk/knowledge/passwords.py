"""Passwords of protected originals: sealed in the database, opened only to read the file they belong to."""

from uuid import UUID

from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings


def seal_password(settings: Settings, document_id: UUID, password: str) -> bytes:
    """The password as it is kept; it opens for this document only."""
    return load_cipher(settings).seal(password, context=document_id.bytes)


def open_password(settings: Settings, document_id: UUID, sealed: bytes | None) -> str | None:
    """The password in plain text, if there is one. Raises `SealBroken`."""
    return None if sealed is None else load_cipher(settings).open(sealed, context=document_id.bytes)
