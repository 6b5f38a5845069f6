"""ZIP: every member read by its own parser, in the order of the archive, into one document.

The headings of the first level are the paths of the members, so that a citation names the file it is from.
Members are read in memory and never written anywhere; names that leave the archive are refused all the same,
because whoever exports the archive again would follow them.
"""

import posixpath
import re
import zipfile
from dataclasses import dataclass, field
from functools import partial

from refdesk.knowledge.parsing import zip_aes
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.embedded_pictures import path_beside, pictures_beside
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.errors import (
    CorruptFile,
    EmptyFile,
    NestedTooDeep,
    NoText,
    ParseError,
    UnpackedTooLarge,
    UnsupportedKind,
)
from refdesk.knowledge.parsing.nested import Members, nothing_read
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC, check_sizes, open_zip, read_member

_UTF8_FLAG = 0x800
_UNICODE_PATH = 0x7075
_NAME_ENCODINGS = ("utf-8", "gb18030", "cp950", "cp932", "euc_jp", "cp949")
_JUNK = re.compile(r"(?:^|/)(?:__MACOSX/|\._[^/]*$|\.DS_Store$|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff", ".ico")


class Archive:
    """ZIP archives, of whatever is no document itself."""

    kind = "zip"
    suffixes = (".zip",)

    def supports(self, name: str, head: bytes) -> bool:
        """Any ZIP that no other parser took; an empty one begins with its end."""
        return head.startswith((ZIP_MAGIC, b"PK\x05\x06"))

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Members under headings; one that cannot be read is reported and the others are kept."""
        if options.max_nesting < 1:
            raise NestedTooDeep
        found = BlockList()
        members = Members(found, options, options.max_unpacked_bytes, weighs_lost=True)
        with open_zip(data) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            named = [(p, i) for i, p in zip(infos, member_names(infos), strict=True) if not _JUNK.search(p)]
            pictures = {path: info for path, info in named if path.lower().endswith(_PICTURES)}
            reader = _Reader(archive, members, options, pictures)
            for path, info in named:
                if path not in pictures:
                    reader.document(path, info)
            for path in [path for path in pictures if path not in reader.shown]:
                reader.picture_alone(path)
        if not found.blocks:
            raise nothing_read(members)
        own = finish(name, self.kind, BlockList(), {"pictures": len(pictures) or None}, "")
        return members.close(own)


@dataclass(slots=True)
class _Reader:
    """Reads the members of one archive; `shown` are the pictures that a page or a Markdown text shows."""

    archive: zipfile.ZipFile
    members: Members
    options: ParseOptions
    pictures: dict[str, zipfile.ZipInfo]
    shown: set[str] = field(default_factory=set[str])

    def document(self, path: str, info: zipfile.ZipInfo) -> None:
        """Read a member with the pictures beside it; beyond the limit of members it is only reported."""
        if self._is_full(path):
            return
        content = self._content(path, info)
        if content is not None:
            with pictures_beside(self.options, partial(self._beside, path)):
                self.members.add(path, content)

    def picture_alone(self, path: str) -> None:
        """Read a picture that nothing shows; one without text is only counted."""
        if self.options.ocr == "off" or self._is_full(path):
            return
        content = self._content(path, self.pictures[path])
        if content is not None:
            self.members.add(path, content, quiet=(NoText, EmptyFile, UnsupportedKind))

    def _is_full(self, path: str) -> bool:
        if len(self.members.read) < self.options.max_members:
            return False
        self.members.skip(path, UnpackedTooLarge("The archive has more files than the limit allows."))
        return True

    def _beside(self, path: str, address: str) -> bytes | None:
        target = path_beside(path, address)
        info = self.pictures.get(target) if target is not None else None
        if target is None or info is None:
            return None
        self.shown.add(target)
        content = self._content(target, info)
        self.members.left -= len(content or b"")
        return content

    def _content(self, path: str, info: zipfile.ZipInfo) -> bytes | None:
        try:
            return _content(self.archive, info, path, self.members.left, self.options)
        except ParseError as error:
            self.members.skip(path, error)
            return None


def _content(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, left: int, options: ParseOptions
) -> bytes:
    if _leaves(path):
        raise CorruptFile("The name leads out of the archive; the file was not read.")
    check_sizes(info.file_size, info.compress_size, options, left)
    if info.compress_type == zip_aes.METHOD:
        content = zip_aes.read_aes_member(archive, info, left, options.password)
    else:
        content = read_member(archive, info, left, options.password)
    if not content:
        raise EmptyFile
    if len(content) < 4 and not content.strip(b"\0"):
        raise UnsupportedKind
    return content


def _leaves(path: str) -> bool:
    """Whether a name points outside the archive on any system."""
    plain = path.replace("\\", "/")
    return (
        plain.startswith("/")
        or re.match(r"^[A-Za-z]:", plain) is not None
        or posixpath.normpath(plain).startswith("..")
        or ".." in plain.split("/")
    )


def member_names(infos: list[zipfile.ZipInfo]) -> list[str]:
    """Names as they were meant: UTF-8 by flag or extra field, otherwise one encoding for all of them.

    The old standard is CP437, but Chinese and Japanese systems write their own encoding without saying so.
    """
    raw = [_raw_name(info) for info in infos]
    unmarked = [name for name in raw if isinstance(name, bytes) and not name.isascii()]
    encoding = "cp437"
    if unmarked:
        guess = decode(b"\n".join(unmarked))
        # Two accented letters in CP437 may pass for one Korean syllable: only a sure guess counts there.
        sure = guess.certain or guess.encoding == "gb18030"
        if sure and not guess.replaced and guess.encoding in _NAME_ENCODINGS:
            encoding = guess.encoding
    return [name if isinstance(name, str) else name.decode(encoding, "replace") for name in raw]


def _raw_name(info: zipfile.ZipInfo) -> str | bytes:
    if info.flag_bits & _UTF8_FLAG:
        return info.filename
    extra = info.extra
    at = 0
    while at + 4 <= len(extra):
        field, size = (
            int.from_bytes(extra[at : at + 2], "little"),
            int.from_bytes(extra[at + 2 : at + 4], "little"),
        )
        if field == _UNICODE_PATH and size > 5:
            return extra[at + 9 : at + 4 + size].decode("utf-8", "replace")
        at += 4 + size
    try:
        return info.filename.encode("cp437")
    except UnicodeEncodeError:
        return info.filename
