"""Pictures inside documents: their text becomes a block where they stand, and the others leave a mark."""

import base64
import binascii
import posixpath
import re
from collections.abc import Callable, Container, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote, unquote_to_bytes

from refdesk.knowledge.parsing.blocks import BlockList, ParseOptions
from refdesk.knowledge.parsing.errors import ParseError
from refdesk.knowledge.parsing.ocr import read_image_text

type ReadPicture = Callable[[str], bytes | None]
"""Gives the bytes of a picture by its address, or None where it is out of reach."""

_beside: ContextVar[tuple[ReadPicture, ParseOptions] | None] = ContextVar("pictures_beside", default=None)
_DATA = re.compile(r"^data:image/[\w.+-]+((?:;[\w=.-]+)*),", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"!\[[^\]\n]*\]\(\s*<?([^)>\s]+)|<img\b[^>]*?\bsrc\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE
)
_MAX_URI = 20_000_000


class Members(Protocol):
    """What gives the pictures: a container of parts by name."""

    @property
    def names(self) -> Container[str]:
        """The names of all parts."""
        ...

    def read(self, name: str) -> bytes:
        """Bytes of a part. Raises a `ParseError`."""
        ...


@dataclass(slots=True)
class Pictures:
    """The pictures of a container; each is unpacked and read once, wherever it is shown again."""

    container: Members
    found: BlockList
    options: ParseOptions
    read: set[str] = field(default_factory=set[str])

    def add(self, member: str | None, *, page: int | None = None) -> bool:
        """The picture in a member; False where there is no such member."""
        if member is None or member not in self.container.names:
            return False
        if member in self.read:
            self.found.picture()
            return True
        self.read.add(member)
        try:
            content = self.container.read(member)
        except ParseError as error:
            self.found.warn("picture-skipped", f"A picture was not read: {error.text}", page)
            return True
        add_picture(self.found, content, self.options, page=page)
        return True


def add_picture(found: BlockList, data: bytes, options: ParseOptions, *, page: int | None = None) -> None:
    """Add the text of a picture, read by OCR, or mark that a picture stands here."""
    read = read_image_text(data, options)
    if read is None:
        found.picture()
    else:
        found.add("paragraph", read.text, page=page, confidence=read.confidence, pictures=1)


@contextmanager
def pictures_beside(options: ParseOptions, read: ReadPicture) -> Generator[None]:
    """Pictures that a page or a Markdown text inside this block shows are read through `read`."""
    token = _beside.set((read, options))
    try:
        yield
    finally:
        _beside.reset(token)


def has_pictures_beside() -> bool:
    """Whether a file around the one being read gives it its pictures."""
    return _beside.get() is not None


def show_picture(found: BlockList, address: str) -> None:
    """A page shows the picture at an address: its text is added where it can be reached, or a mark left."""
    source = _beside.get()
    if source is None:
        found.picture()
        return
    read, options = source
    data = data_of_uri(address) or read(address)
    if data:
        add_picture(found, data, options)
    else:
        found.picture()


def data_of_uri(address: str) -> bytes | None:
    """Bytes of a picture that is written into its address (RFC 2397); None for any other address."""
    head = _DATA.match(address[:200])
    if head is None or len(address) > _MAX_URI:
        return None
    body = address[head.end() :]
    if not head[1].lower().endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode("".join(unquote(body).split()), validate=False)
    except (binascii.Error, ValueError):
        return None


def addresses_in_markdown(text: str) -> list[str]:
    """Addresses of the pictures a piece of Markdown shows, in order."""
    if "![" not in text and ("<" not in text or "<img" not in text.lower()):
        return []
    return [found[1] or found[2] for found in _MARKDOWN.finditer(text)]


def path_beside(path: str, address: str) -> str | None:
    """The path an address leads to from the file at `path`; None for addresses of other places."""
    if re.match(r"^[a-z][a-z0-9+.-]*:|^//|^#", address, re.IGNORECASE):
        return None
    target = unquote(address.partition("#")[0].partition("?")[0]).replace("\\", "/")
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target.lstrip("/")))
    return None if joined.startswith("..") else joined
