"""Reading an export: its list of members, its records line by line, its vectors in batches.

Whatever is damaged or does not belong is an `ArchiveInvalid`; what the records say of each other `checking`
looks at before anything is made of them. Nothing is ever written to the disk by a name in the archive.
"""

import re
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from refdesk.knowledge.exchange.errors import ArchiveInvalid, ArchiveTooLarge, ArchiveVersionUnknown
from refdesk.knowledge.exchange.records import (
    DOCUMENTS,
    ENTRIES,
    FILES,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    PARAGRAPHS,
    QUESTIONS,
    SNAPSHOTS,
    SOURCE_ITEMS,
    SOURCES,
    TERMS,
    VECTORS,
    VERSIONS,
    ManifestRecord,
)

NEEDED = (MANIFEST, DOCUMENTS, PARAGRAPHS, QUESTIONS)
OPTIONAL = (TERMS, VERSIONS, SNAPSHOTS, SOURCES, SOURCE_ITEMS, ENTRIES, VECTORS)
MAX_LINE_BYTES = 32 * 1024 * 1024
MAX_MEMBERS = 1_000_000
VECTORS_AT_ONCE = 4_096
_FILE = re.compile(rf"{FILES}[0-9a-f]{{64}}")
_ENCRYPTED = 0x1
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class Archive:
    """An export on this machine's disk. Use `opened`."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._infos = {info.filename: info for info in archive.infolist()}

    @property
    def infos(self) -> dict[str, zipfile.ZipInfo]:
        return self._infos

    def has(self, name: str) -> bool:
        return name in self._infos

    def manifest(self) -> ManifestRecord:
        """Raises `ArchiveInvalid`, `ArchiveVersionUnknown`."""
        with self.member(MANIFEST) as file:
            raw = file.read(MAX_LINE_BYTES + 1)
        try:
            value: Any = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise ArchiveInvalid(member=MANIFEST, reason=str(error)[:200]) from None
        head = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        if head.get("format") != FORMAT:
            raise ArchiveInvalid(member=MANIFEST)
        version = head.get("version")
        if version != FORMAT_VERSION:
            raise ArchiveVersionUnknown(version=str(version)[:20], known=FORMAT_VERSION)
        return _record(ManifestRecord, raw, MANIFEST, 1)

    def lines[T: BaseModel](self, name: str, kind: type[T]) -> Iterator[T]:
        """The records of a member. Raises `ArchiveInvalid` at the first one that is none."""
        if not self.has(name):
            return
        with self.member(name) as file:
            number = 0
            while raw := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(raw) > MAX_LINE_BYTES:
                    raise ArchiveInvalid(member=name, line=number, reason="The line is too long.")
                yield _record(kind, raw, name, number)

    def vectors(self, rows: int, dimensions: int) -> Iterator[NDArray[np.float32]]:
        """The vectors in batches. Raises `ArchiveInvalid` for another shape and for what is no vector."""
        with self.member(VECTORS) as file:
            _check_header(file, rows, dimensions)
            left = rows
            while left:
                count = min(left, VECTORS_AT_ONCE)
                data = file.read(count * dimensions * 2)
                if len(data) != count * dimensions * 2:
                    raise ArchiveInvalid(member=VECTORS, reason="The member is too short.")
                batch = np.frombuffer(data, dtype="<f2").reshape(count, dimensions).astype(np.float32)
                if not np.isfinite(batch).all() or not (np.abs(batch).max(axis=1) > 0).all():
                    raise ArchiveInvalid(member=VECTORS, reason="A vector is none.")
                yield batch
                left -= count
            if file.read(1):
                raise ArchiveInvalid(member=VECTORS, reason="The member is too long.")

    def file_names(self) -> list[str]:
        """Digests of the originals, in hexadecimal."""
        return [name.removeprefix(FILES) for name in self._infos if name.startswith(FILES)]

    @contextmanager
    def member(self, name: str) -> Generator[IO[bytes]]:
        """A member for reading; damage anywhere in it is an `ArchiveInvalid`."""
        try:
            with self._archive.open(self._infos[name]) as file:
                yield file
        except KeyError:
            raise ArchiveInvalid(member=name, reason="The member is missing.") from None
        except _UNREADABLE as error:
            raise ArchiveInvalid(member=name, reason=str(error)[:200]) from None


@contextmanager
def opened(file: IO[bytes], max_bytes: int) -> Generator[Archive]:
    """An archive whose list of members is right. Raises `ArchiveInvalid` and `ArchiveTooLarge`."""
    try:
        archive = zipfile.ZipFile(file)
    except _UNREADABLE as error:
        raise ArchiveInvalid(reason=str(error)[:200]) from None
    with archive:
        infos = archive.infolist()
        if len(infos) > MAX_MEMBERS or sum(info.file_size for info in infos) > max_bytes:
            raise ArchiveTooLarge(max_bytes=max_bytes)
        seen: set[str] = set()
        for info in infos:
            name = info.filename
            if name not in NEEDED and name not in OPTIONAL and not _FILE.fullmatch(name):
                raise ArchiveInvalid(member=name[:200], reason="The member does not belong here.")
            if name in seen:
                raise ArchiveInvalid(member=name, reason="The member is there twice.")
            if info.flag_bits & _ENCRYPTED:
                raise ArchiveInvalid(member=name, reason="The member is encrypted.")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ArchiveInvalid(member=name, reason="The member is packed in an unknown way.")
            seen.add(name)
        missing = [name for name in NEEDED if name not in seen]
        if missing:
            raise ArchiveInvalid(member=missing[0], reason="The member is missing.")
        if (ENTRIES in seen) != (VECTORS in seen):
            raise ArchiveInvalid(member=VECTORS, reason="Entries and vectors come together.")
        yield Archive(archive)


def _check_header(file: IO[bytes], rows: int, dimensions: int) -> None:
    try:
        version = np.lib.format.read_magic(file)
        require(version == (1, 0), VECTORS, "The form is not known.")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=10_000)
    except ValueError as error:
        raise ArchiveInvalid(member=VECTORS, reason=str(error)[:200]) from None
    require(
        shape == (rows, dimensions) and not fortran and dtype == np.dtype("<f2"),
        VECTORS,
        "The vectors are not as many, or not as long, as they should be.",
    )


def require(holds: bool, member: str, reason: str) -> None:
    """Raise `ArchiveInvalid` for this member unless it holds."""
    if not holds:
        raise ArchiveInvalid(member=member, reason=reason)


def _record[T: BaseModel](kind: type[T], raw: bytes, member: str, line: int) -> T:
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ArchiveInvalid(member=member, line=line, field=where[:100], reason=first["msg"][:200]) from None
