"""A page of a PDF as an image, drawn in a limited process: a hostile file must not reach the server.

The drawing process is `page_image_child.py`; this side hands it the file and its limits and takes the PNG.
"""

import asyncio
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.errors import Unavailable
from refdesk.knowledge import blobs
from refdesk.knowledge.errors import DrawingBusy, NoSuchPage
from refdesk.knowledge.page_image_child import NO_SUCH_PAGE
from refdesk.knowledge.parsing import CorruptFile
from refdesk.knowledge.tables import Blob, Document

TIMEOUT_S = 30.0
MEMORY_BYTES = 1024 * 1024 * 1024
# Drawing is work for a core; more at once than this would only slow the answers people wait for.
MOST_AT_ONCE = 2
# Who waits behind more than these is told so, and does not hold a request open for minutes.
MOST_WAITING = 4
RETRY_AFTER_S = 2

_COMMAND = (sys.executable, "-I", str(Path(__file__).with_name("page_image_child.py")))
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
    database: Database, scope: Scope, document: Document, blob: Blob, number: int, scale: float
) -> bytes:
    """PNG of page `number` (from 1) at `scale` pixels a point; pages of poster size come out smaller.

    Raises `NoSuchPage`, `CorruptFile`, `Unavailable`, `DrawingBusy`.
    """
    if document.kind != "pdf":
        raise NoSuchPage
    with _admission():
        return await _drawn(database, scope, blob, number, scale)


async def _drawn(database: Database, scope: Scope, blob: Blob, number: int, scale: float) -> bytes:
    async with _places:
        data = await blobs.load(database, scope, blob)
        process = await asyncio.create_subprocess_exec(
            *_COMMAND,
            str(number),
            str(scale),
            str(MEMORY_BYTES),
            str(int(TIMEOUT_S)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(TIMEOUT_S):
                png, _ = await process.communicate(data)
        except TimeoutError:
            raise Unavailable("Drawing the page took too long.") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    if process.returncode == NO_SUCH_PAGE:
        raise NoSuchPage(page=number)
    if process.returncode != 0:
        raise CorruptFile("The page cannot be drawn.")
    return png
