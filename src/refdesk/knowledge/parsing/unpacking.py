"""ZIP archives, opened with guards against bombs; owns every limit on unpacking.

Nothing here ever writes a member to disk. Knows no XML: choosing a parser must not load lxml.
"""

import io
import zipfile
import zlib

from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.errors import CorruptFile, PasswordRequired, PasswordWrong, UnpackedTooLarge

ZIP_MAGIC = b"PK\x03\x04"
_FIRST_NAME = 30  # the fixed part of a local header
_RATIO_FROM = 8 * 1024 * 1024
_MAX_MEMBERS = 20_000
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError)


def open_zip(data: bytes) -> zipfile.ZipFile:
    """The directory of an archive. Raises `CorruptFile`; too many members raise `UnpackedTooLarge`."""
    try:
        opened = zipfile.ZipFile(io.BytesIO(data))
    except _UNREADABLE as error:
        raise CorruptFile(reason=str(error)) from error
    if len(opened.infolist()) > _MAX_MEMBERS:
        raise UnpackedTooLarge("The archive has too many members.", members=len(opened.infolist()))
    return opened


def check_sizes(unpacked: int, packed: int, options: ParseOptions, left: int) -> None:
    """Refuse by the claimed sizes, before anything is unpacked. Raises `UnpackedTooLarge`."""
    if unpacked > left:
        raise UnpackedTooLarge(unpacked_bytes=unpacked)
    ratio = unpacked / max(1, packed)
    if unpacked > _RATIO_FROM and ratio > options.max_unpack_ratio:
        raise UnpackedTooLarge(
            "The file is compressed suspiciously well and was refused.", ratio=round(ratio)
        )


def says_what_it_is(head: bytes) -> bool:
    """Whether the first member of a ZIP is the `mimetype` of OpenDocument and EPUB.

    An archive of such files may hold one, not compressed, as near to its beginning.
    """
    return head[_FIRST_NAME : _FIRST_NAME + 8] == b"mimetype"


def read_member(
    archive: zipfile.ZipFile, member: str | zipfile.ZipInfo, left: int, password: str | None = None
) -> bytes:
    """Bytes of a member, never more than `left`, whatever its header claims. Raises a `ParseError`."""
    try:
        with archive.open(member, pwd=password.encode() if password else None) as stream:
            content = stream.read(left + 1)
    except KeyError:
        raise CorruptFile(f"The file has no part “{member}”.") from None
    except RuntimeError as error:
        # zipfile has no class of its own for members that need a password, or another one.
        if "password" in str(error).lower():
            raise (PasswordWrong if password else PasswordRequired) from error
        raise CorruptFile(reason=str(error)) from error
    except _UNREADABLE as error:
        if password and _is_sealed(archive, member):
            # The old cipher checks one byte: of 256 wrong passwords one passes, and gives garbage.
            raise PasswordWrong(
                "The password does not open the file in the archive, or the file is damaged.",
                reason=str(error),
            ) from error
        raise CorruptFile(reason=str(error)) from error
    if len(content) > left:
        raise UnpackedTooLarge
    return content


def _is_sealed(archive: zipfile.ZipFile, member: str | zipfile.ZipInfo) -> bool:
    info = archive.getinfo(member) if isinstance(member, str) else member
    return bool(info.flag_bits & 1)
