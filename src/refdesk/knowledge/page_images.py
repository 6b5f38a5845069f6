"""A page of a PDF as an image, drawn in a limited process: a hostile file must not reach the server.

The processes are `page_drawers`; this side holds how many pages are drawn at once.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.knowledge import blobs
from refdesk.knowledge.errors import DrawingBusy, NoSuchPage
from refdesk.knowledge.page_drawers import drawer_of
from refdesk.knowledge.passwords import open_password
from refdesk.knowledge.tables import Blob, Document

# Drawing is work for a core; more at once than this would only slow the answers people wait for.
MOST_AT_ONCE = 2
# Who waits behind more than these is told so, and does not hold a request open for minutes.
MOST_WAITING = 4
RETRY_AFTER_S = 2

_places = asyncio.Semaphore(MOST_AT_ONCE)
_admitted = 0


@contextmanager
def _admission() -> Generator[None]:
    global _admitted
    if _admitted >= MOST_AT_ONCE + MOST_WAITING:
        raise DrawingBusy(retry_after_s=RETRY_AFTER_S)
    _admitted += 1
    try:
        yield
    finally:
        _admitted -= 1


async def render(
    database: Database,
    scope: Scope,
    settings: Settings,
    document: Document,
    kind: str | None,
    blob: Blob,
    number: int,
    scale: float,
) -> bytes:
    """PNG of page `number` (from 1) at `scale` pixels a point; pages of poster size come out smaller.

    `kind` is that of `blob`, which may be the file of an earlier version of the document.

    Raises `NoSuchPage`, `CorruptFile`, `Unavailable`, `DrawingBusy`.
    """
    if kind != "pdf":
        raise NoSuchPage
    sealed = document.password_sealed

    async def load() -> tuple[bytes, str | None]:
        password = open_password(settings, document.id, sealed)
        return await blobs.load(database, scope, blob), password

    # A password opens one document's file only, though another may hold the same content.
    key = f"{blob.id} {document.id if sealed else ''} {hash(sealed)}"
    with _admission():
        async with _places:
            return await (await drawer_of(key, load)).draw(number, scale)
