"""A ZIP archive that is sent while it is made: what was written is taken off at once."""

import asyncio
import zipfile
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import IO, Self

PIECE = 256 * 1024


class _Sink:
    """The write end of a file that cannot be sought in."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        return

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


class ZipStream:
    """Members one after another; after each write `take` gives the bytes that are ready to be sent."""

    def __init__(self, at: datetime) -> None:
        self._sink = _Sink()
        self._archive = zipfile.ZipFile(self._sink, "w")  # type: ignore[arg-type] - it is only written to
        self._date = (at.year, at.month, at.day, at.hour, at.minute, at.second)
        self._member: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self._member is not None:
            with suppress(Exception):  # the archive is incomplete anyway, and says so by having no directory
                self._member.close()

    async def begin(self, name: str, *, packed: bool = True) -> None:
        """Start a member; the one before is closed."""
        self._end_member()
        info = zipfile.ZipInfo(name, self._date)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        self._member = self._archive.open(info, "w", force_zip64=True)

    async def write(self, data: bytes) -> bytes:
        """Add to the member. Returns what can be sent now; packing goes on beside the loop."""
        assert self._member is not None
        await asyncio.to_thread(self._member.write, data)
        return self._sink.take()

    def finish(self) -> bytes:
        """Close the archive and return its last bytes."""
        self._end_member()
        self._archive.close()
        return self._sink.take()

    def _end_member(self) -> None:
        if self._member is not None:
            self._member.close()
            self._member = None


async def in_pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    """A file of this machine from its beginning."""
    file.seek(0)
    while data := await asyncio.to_thread(file.read, PIECE):
        yield data
