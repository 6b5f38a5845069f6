"""What parsing produces: blocks of text that know where they stand, whatever the kind of file.

Owns the value types between parsing and splitting and the port every parser implements. It must not know
any file format, the database or the rest of the room, so that the parsing process starts quickly.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

BlockKind = Literal["heading", "paragraph", "list_item", "table", "code", "quote", "caption", "front_matter"]
SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in PDF points; the origin is the top left corner, pages count from 1."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


# Not frozen, though nobody changes one: making a frozen one takes three times as long, and a large file has
# hundreds of thousands.
@dataclass(slots=True, unsafe_hash=True)
class Block:
    """One unit of structure. `offset` is where `text` begins in `Parsed.text`, in characters.

    `level` is the depth of a heading (1 is the highest) or of a list item (0 is the outermost).
    Tables are Markdown tables; code is without its fence. `confidence` is set where the text was read from a
    picture: the mean probability of its characters, 0–1. `pictures` counts the pictures that stand in the
    block or directly behind it.
    """

    kind: BlockKind
    text: str
    level: int | None
    page: int | None
    boxes: tuple[Box, ...]
    offset: int
    confidence: float | None = None
    pictures: int = 0


@dataclass(frozen=True, slots=True)
class ParseWarning:
    """Something a person should know about a file that was read nevertheless.

    `details` are what the message says, for words in another language: `count`, and of a file inside the
    file its `name` and the code `cause` of its failure.
    """

    code: str
    message: str
    page: int | None = None
    details: Mapping[str, str | int] = field(default_factory=dict[str, str | int], hash=False)


@dataclass(frozen=True)
class Parsed:
    """A file, read. `extracted_chars` is what an independent reader of the same file found.

    Both counts are of characters that are not white space; `kept_chars` are those found again in the blocks
    or in `meta` (front matter, running headers).
    """

    name: str
    kind: str
    blocks: tuple[Block, ...]
    meta: dict[str, Any]
    warnings: tuple[ParseWarning, ...]
    extracted_chars: int
    kept_chars: int

    @property
    def coverage(self) -> float:
        """Share of the extracted characters that were kept, 0–1; 1.0 where there was nothing to keep."""
        return self.kept_chars / self.extracted_chars if self.extracted_chars else 1.0

    @cached_property
    def text(self) -> str:
        """The texts of all blocks, joined by one blank line; the offsets of blocks point into it."""
        return SEPARATOR.join(block.text for block in self.blocks)


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Choices and limits of one parse. Sizes are bytes.

    `include_comments`: comments of Office files and notes of cells become text. `include_running`: so do
    headers and footers of Office texts, before and after the rest; without it they are in `meta` only.
    `sheet_form`: tables of spreadsheets as one item a row (`header: value; …`) or as Markdown; `auto` takes
    Markdown where a table fits into a paragraph. `max_nesting`: how many archives and messages inside one
    another are opened; `max_members`: how many files of one archive or message are read;
    `max_output_bytes`: the largest result, as JSON, that a parsing process may send.

    `ocr`: pictures and pages without usable text are read (`auto`), every page is (`always`), or nothing is
    (`off`). One file may have `max_ocr_pages` pages and pictures read, for `ocr_timeout_s` in all, which come
    on top of the time limit of the process, and `ocr_page_timeout_s` each.
    """

    password: str | None = None
    include_comments: bool = False
    include_running: bool = False
    sheet_form: Literal["auto", "rows", "table"] = "auto"
    max_pages: int = 20_000
    max_unpacked_bytes: int = 512 * 1024 * 1024
    max_unpack_ratio: int = 300
    max_nesting: int = 3
    max_members: int = 1_000
    max_output_bytes: int = 256 * 1024 * 1024
    ocr: Literal["auto", "off", "always"] = "auto"
    max_ocr_pages: int = 500
    ocr_timeout_s: float = 1_800.0
    ocr_page_timeout_s: float = 60.0
    ocr_threads: int = 1


class Parser(Protocol):
    """One kind of file. Parsers are asked in turn; the plain text parser comes last."""

    @property
    def kind(self) -> str:
        """Stable name of the kind, such as `pdf`."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of file names that belong to this kind, lower case with the dot."""
        ...

    def supports(self, name: str, head: bytes) -> bool:
        """Whether this parser reads the file; `head` is its beginning (64 KiB), or what
        `containers.head_of` tells of a container. Content counts first."""
        ...

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Read the whole file. Raises a `ParseError`."""
        ...


@dataclass(slots=True)
class BlockList:
    """Collects blocks and keeps their offsets right."""

    blocks: list[Block] = field(default_factory=list[Block])
    warnings: list[ParseWarning] = field(default_factory=list[ParseWarning])
    _offset: int = 0

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        level: int | None = None,
        page: int | None = None,
        boxes: Iterable[Box] = (),
        confidence: float | None = None,
        pictures: int = 0,
    ) -> None:
        """Append a block; text of white space only is left out."""
        text = text.strip("\n") if kind == "code" or kind == "table" else text.strip()
        if not text or (text[0].isspace() and text.isspace()):
            return
        self.blocks.append(Block(kind, text, level, page, tuple(boxes), self._offset, confidence, pictures))
        self._offset += len(text) + len(SEPARATOR)

    def picture(self) -> None:
        """A picture without text of its own stands behind the last block."""
        if self.blocks:
            self.blocks[-1] = replace(self.blocks[-1], pictures=self.blocks[-1].pictures + 1)

    def drop_last(self) -> None:
        """Take back the last block, such as a heading that nothing followed."""
        self._offset = self.blocks.pop().offset

    def warn(self, code: str, message: str, page: int | None = None, **details: str | int) -> None:
        """Record a warning."""
        self.warnings.append(ParseWarning(code, message, page, details))
