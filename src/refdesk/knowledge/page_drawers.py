"""Drawing processes that keep their PDF open, so that leafing through a file does not load it page by page.

Each has one file and its own limits. A few stay open for a minute after their last page; the oldest gives
way to another file. They end with their pipe, and so with this process at the latest.
"""

import asyncio
import atexit
import contextlib
import json
import struct
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path

from refdesk.kit.errors import Unavailable
from refdesk.knowledge.errors import NoSuchPage
from refdesk.knowledge.page_image_child import DRAWN, HEADER, NO_SUCH_PAGE
from refdesk.knowledge.parsing import CorruptFile

TIMEOUT_S = 30.0
MEMORY_BYTES = 1024 * 1024 * 1024
# Each holds its file in memory, and as much again while it draws.
MOST_OPEN = 3
IDLE_S = 60.0

_COMMAND = (sys.executable, "-I", str(Path(__file__).with_name("page_image_child.py")))


class Drawer:
    """One process with one file. `draw` may be called by many at once; they take their turns."""

    def __init__(self, data: bytes, password: str | None) -> None:
        self._process = subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._head = json.dumps(
            {"size": len(data), "password": password, "memory_bytes": MEMORY_BYTES, "cpu_s": int(TIMEOUT_S)}
        ).encode()
        self._data: bytes | None = data
        self._turn = asyncio.Lock()
        self._pipes = threading.Lock()

    async def draw(self, number: int, scale: float) -> bytes:
        """PNG of a page. Whatever goes wrong but a missing page ends the process."""
        async with self._turn:
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    status, png = await asyncio.to_thread(self._ask, number, scale)
            except TimeoutError:
                self.close()
                raise Unavailable("Drawing the page took too long.") from None
            except BaseException:
                # Cancelled in the middle: what is still to come would be taken for the next page.
                self.close()
                raise
        if status == NO_SUCH_PAGE:
            raise NoSuchPage(page=number)
        if status != DRAWN:
            self.close()
            raise CorruptFile("The page cannot be drawn.")
        return png

    @property
    def is_open(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End the process; a thread that waits for it goes on."""
        self._process.kill()
        self._process.wait()
        if self._pipes.acquire(timeout=TIMEOUT_S):
            with contextlib.suppress(OSError):
                for pipe in (self._process.stdin, self._process.stdout):
                    if pipe is not None:
                        pipe.close()
            self._pipes.release()

    def _ask(self, number: int, scale: float) -> tuple[int, bytes]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with self._pipes:
            try:
                if self._data is not None:
                    stdin.write(self._head + b"\n" + self._data)
                    self._data = None
                stdin.write(f"{number} {scale}\n".encode())
                stdin.flush()
                header = stdout.read(HEADER.size)
                status, size = HEADER.unpack(header)
                return status, stdout.read(size)
            except (OSError, ValueError, struct.error):
                return -1, b""


_open: OrderedDict[str, Drawer] = OrderedDict()
_opening: dict[str, asyncio.Lock] = {}
_closing: dict[str, asyncio.TimerHandle] = {}


async def drawer_of(key: str, load: Callable[[], Awaitable[tuple[bytes, str | None]]]) -> Drawer:
    """The process that has the file `key` open; `load` gives its content and password if there is none."""
    async with _opening.setdefault(key, asyncio.Lock()):
        found = _open.get(key)
        if found is None or not found.is_open:
            data, password = await load()
            found = await asyncio.to_thread(Drawer, data, password)
            _open[key] = found
        _open.move_to_end(key)
    _opening.pop(key, None)
    while len(_open) > MOST_OPEN:
        _close(next(iter(_open)))
    if key in _closing:
        _closing.pop(key).cancel()
    _closing[key] = asyncio.get_running_loop().call_later(IDLE_S, _close, key)
    return found


def _close(key: str) -> None:
    handle = _closing.pop(key, None)
    if handle is not None:
        handle.cancel()
    drawer = _open.pop(key, None)
    if drawer is not None:
        threading.Thread(target=drawer.close, daemon=True).start()


@atexit.register
def close_all() -> None:
    """End all processes; for the end of this one."""
    while _open:
        _, drawer = _open.popitem()
        drawer.close()
