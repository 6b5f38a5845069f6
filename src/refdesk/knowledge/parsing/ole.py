"""The edge to olefile and msoffcrypto, which have no type information: old and encrypted Office files."""

import io
import struct
from importlib import import_module
from typing import Any

from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.errors import CorruptFile, PasswordRequired, PasswordWrong

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER, _LAST_SECTOR = 512, 0xFFFFFFFA  # numbers above the last one are marks
# What both raise on damaged files; neither has one class for it.
_DAMAGED = (
    *(OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError),
    *(EOFError, struct.error, NotImplementedError, RecursionError),
)


def ole_streams(data: bytes, names: tuple[str, ...] | None = None) -> dict[str, bytes]:
    """Streams by path, all of them empty where no names are asked for. Raises `CorruptFile`."""
    olefile: Any = import_module("olefile")
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            paths = ["/".join(path) for path in ole.listdir()]
            if names is None:
                return dict.fromkeys(paths, b"")
            return {path: ole.openstream(path).read() for path in paths if path in names}
    except _DAMAGED as error:
        raise CorruptFile(reason=str(error)[:200]) from error


def require_ends(data: bytes) -> None:
    """Raises `CorruptFile` where a chain of sectors runs in a circle.

    calamine follows such a chain until memory ends and takes the process with it.
    """
    _require_end_of_tables(data)
    olefile: Any = import_module("olefile")
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            ole.loadminifat()
            tables: list[list[int]] = [list(ole.fat or ()), list(ole.minifat or ())]
    except _DAMAGED as error:
        raise CorruptFile(reason=str(error)[:200]) from error
    for table in tables:
        walked = bytearray(len(table))
        for start in range(len(table)):
            path: list[int] = []
            at = start
            while at < len(table) and not walked[at]:
                walked[at] = 1
                path.append(at)
                at = table[at]
            if at < len(table) and walked[at] == 1:
                raise CorruptFile(reason="the sectors of the file run in a circle")
            for sector in path:
                walked[sector] = 2


def _require_end_of_tables(data: bytes) -> None:
    """Follow the list of further tables (MS-CFB 2.5) as calamine does, whatever their count says."""
    if len(data) < _HEADER:
        raise CorruptFile(reason="the header is cut off")
    size = 1 << min(int.from_bytes(data[0x1E:0x20], "little"), 20)
    sector = int.from_bytes(data[0x44:0x48], "little")
    seen: set[int] = set()
    while sector < _LAST_SECTOR:
        end = (sector + 2) * size
        if sector in seen or end > len(data):
            raise CorruptFile(reason="the list of tables has no end")
        seen.add(sector)
        sector = int.from_bytes(data[end - 4 : end], "little")


def unlock(data: bytes, options: ParseOptions) -> bytes:
    """The file without its password, where it is an encrypted Office file; otherwise the same bytes.

    Raises `PasswordRequired` where a password is missing, `PasswordWrong` where it is another one.
    """
    if not data.startswith(OLE_MAGIC):
        return data
    try:
        names = set(ole_streams(data))
    except CorruptFile:
        return data  # the parser that takes the file will say so
    if not names & {"EncryptionInfo", "WordDocument", "Workbook"}:
        return data
    msoffcrypto: Any = import_module("msoffcrypto")
    failures: Any = import_module("msoffcrypto.exceptions")
    try:
        office = msoffcrypto.OfficeFile(io.BytesIO(data))
        if not office.is_encrypted():
            return data
        if not options.password:
            raise PasswordRequired
        out = io.BytesIO()
        office.load_key(password=options.password)
        office.decrypt(out)
    except (failures.InvalidKeyError, failures.DecryptionError) as error:
        raise PasswordWrong from error
    except (failures.FileFormatError, failures.ParseError):
        return data
    except _DAMAGED as error:
        raise CorruptFile(reason=str(error)[:200]) from error
    return out.getvalue()
