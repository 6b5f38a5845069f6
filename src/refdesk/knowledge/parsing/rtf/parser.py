"""RTF → blocks: groups are a stack of states, destinations say where text goes."""

import re
from dataclasses import dataclass, field, replace

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.errors import EmptyFile, NoText
from refdesk.knowledge.parsing.grid import markdown_table
from refdesk.knowledge.parsing.links import linked
from refdesk.knowledge.parsing.rtf.tokens import SYMBOLS, charset, code_page, tokens

_HEADING = re.compile(r"^(?:heading|标题|標題|überschrift|titre)\s*([1-9])$", re.IGNORECASE)
_LINK = re.compile(r"""HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)\"""")
_MAX_DEPTH = 20_000
_MAX_TITLE = 300
# Where text goes besides the body. `quiet` groups are silent themselves but may hold texts that are shown.
_SKIPPED_WORDS = (
    "colortbl pict objdata themedata datastore listtable listoverridetable rsidtbl generator xmlnstbl "
    "shprslt sp filetbl revtbl latentstyles nonesttables nesttableprops bkmkstart bkmkend objclass objname "
    "pn pnseclvl fontemb falt panose private xe tc txe rxe template pgptbl mmathPr"
)
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
_RUNNING = frozenset(["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"])
_ASIDE = {"footnote": "footnote", "shptxt": "box", "dptxbxtext": "box", "annotation": "comment"}
_STARRED = frozenset(("shpinst", "annotation", "fldinst", "ud", "do"))
_QUIET = frozenset(("shp", "shpinst", "do", "info", "upr"))
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords"}
_ENDS = frozenset(("par", "sect", "page", "column"))


@dataclass(slots=True)
class _State:
    """What a group inherits; `out` is where its text goes."""

    dest: str = "body"
    codec: str = "cp1252"
    skip: int = 1
    hidden: bool = False
    starred: bool = False
    began: int = 0


@dataclass(slots=True)
class _Paragraph:
    style: int = 0
    outline: int | None = None
    in_table: bool = False
    level: int = 0
    listed: bool = False
    marker: str = ""


class Rtf:
    """Rich Text Format."""

    kind = "rtf"
    suffixes = (".rtf",)

    def supports(self, name: str, head: bytes) -> bool:
        """Text that begins as RTF does."""
        return head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{\\rtf")

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Headings by style or outline level, lists, tables, links, notes and text boxes."""
        found = BlockList()
        machine = _Machine(found, options.include_comments)
        machine.run(data)
        if not found.blocks:
            raise NoText if machine.pictures else EmptyFile("The document holds no text.")
        meta = {
            **machine.info,
            "running_headers": list(machine.running),
            "pictures": machine.pictures or None,
            "comments_left_out": machine.comments or None,
        }
        return finish(name, self.kind, found, meta, "".join(machine.raw))


@dataclass(slots=True)
class _Machine:
    found: BlockList
    include_comments: bool
    info: dict[str, str] = field(default_factory=dict[str, str])
    running: dict[str, None] = field(default_factory=dict[str, None])
    raw: list[str] = field(default_factory=list[str])
    pictures: int = 0
    comments: int = 0
    stack: list[_State] = field(default_factory=list[_State])
    state: _State = field(default_factory=_State)
    document: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict[int, str])
    font: int = 0
    style: int = 0
    styles: dict[int, int] = field(default_factory=dict[int, int])
    paragraph: _Paragraph = field(default_factory=_Paragraph)
    buffers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    pending: bytearray = field(default_factory=bytearray)
    to_skip: int = 0
    fields: list[str] = field(default_factory=list[str])
    asides: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    table_asides: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    notes: int = 0
    cells: list[str] = field(default_factory=list[str])
    rows: list[list[str]] = field(default_factory=list[list[str]])

    def run(self, data: bytes) -> None:
        for kind, name, value, content in tokens(data):
            if kind == "open":
                self._flush()
                if len(self.stack) < _MAX_DEPTH:
                    self.stack.append(self.state)
                self.state = replace(self.state, starred=False, began=0)
                self.to_skip = 0
            elif kind == "close":
                self._flush()
                self._close()
            elif kind in ("hex", "text"):
                self._bytes(content)
            elif kind == "symbol":
                self._symbol(name)
            else:
                self._word(name, value)
        self._flush()
        if self.stack:
            self.found.warn("incomplete", "The file is cut off; what is there was read.")
        self._end_paragraph()
        self._end_table()

    def _bytes(self, content: bytes) -> None:
        if self.to_skip:
            dropped = min(self.to_skip, len(content))
            self.to_skip -= dropped
            content = content[dropped:]
        self.pending += content

    def _flush(self) -> None:
        if self.pending:
            text = self.pending.decode(self.state.codec, errors="replace")
            self.pending.clear()
            self._emit(text)

    def _emit(self, text: str) -> None:
        dest = self.state.dest
        if dest == "skip" or dest == "quiet" or (self.state.hidden and dest in ("body", "footnote", "box")):
            return
        self.buffers.setdefault(dest, []).append(text)
        if dest in ("body", "footnote", "box"):
            self.raw.append(text)

    def _symbol(self, name: str) -> None:
        if name == "*":
            self.state.starred = True
        elif name in "\r\n":
            self._word("par", None)
        elif name == "~":
            self._text("\u00a0")
        elif name == "_":
            self._text("-")
        elif name in "\\{}":
            self._bytes(name.encode())

    def _text(self, text: str) -> None:
        self._flush()
        if self.to_skip:
            self.to_skip -= 1
        else:
            self._emit(text)

    def _word(self, name: str, value: int | None) -> None:
        if name == "u" and value is not None:
            self._flush()
            self._emit(chr(value % 65536))
            self.to_skip = self.state.skip
            return
        self._flush()
        self.to_skip = 0
        if self._destination(name):
            return
        if name in SYMBOLS:
            self._emit(SYMBOLS[name])
        elif name in _ENDS:
            self._break()
        elif name in ("cell", "nestcell", "row", "nestrow"):
            self._table(name)
        else:
            self._property(name, value)

    def _destination(self, name: str) -> bool:
        state = self.state
        starred, state.starred = state.starred, False
        if state.dest == "skip" and name != "ud":
            return True
        if name in _ASIDE:
            state.dest = _ASIDE[name]
            self.buffers[state.dest] = []
            state.began = 1
        elif name in _RUNNING:
            state.dest = "running"
            self.buffers["running"] = []
            state.began = 1
        elif name in ("listtext", "pntext"):
            state.dest, state.began = "list", 1
            self.buffers["list"] = []
        elif name in ("fonttbl", "stylesheet"):
            state.dest = name
        elif name == "ud":
            state.dest = self.stack[-2].dest if len(self.stack) > 1 else "body"
            state.dest = "body" if state.dest == "quiet" else state.dest
        elif name == "field":
            self.fields.append("")
            state.began = -1
        elif name == "fldinst":
            state.dest, state.began = "fldinst", 1
            self.buffers["fldinst"] = []
        elif name == "fldrslt":
            state.began = 2 + len(self.buffers.get(state.dest, ()))
        elif name in _INFO and any(s.dest == "quiet" for s in self.stack[-1:]):
            state.dest, state.began = f"info:{name}", 1
        elif name in _QUIET:
            state.dest = "quiet"
        elif name in _SKIPPED or (starred and name not in _STARRED):
            self.pictures += name == "pict"
            state.dest = "skip"
        else:
            return False
        return True

    def _close(self) -> None:
        state = self.state
        self.to_skip = 0
        if state.began:
            self._end_destination(state)
        elif state.dest == "stylesheet":
            self._name_style()
        if self.stack:
            self.state = self.stack.pop()

    def _end_destination(self, state: _State) -> None:
        dest = state.dest
        if state.began == -1:
            if self.fields:
                self.fields.pop()
            return
        if state.began >= 2:
            parts = self.buffers.get(dest, [])
            address = self.fields[-1] if self.fields else ""
            start = state.began - 2
            if address and start < len(parts):
                parts[start:] = [linked(_joined(parts[start:]), address)]
            return
        text = _joined(self.buffers.pop(dest, []))
        if dest == "fldinst":
            link = _LINK.search(text)
            if self.fields and link:
                self.fields[-1] = link[1]
        elif dest == "list":
            self.paragraph.marker, self.paragraph.listed = text.strip(), True
        elif dest == "running":
            self.running.update(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
        elif dest.startswith("info:"):
            self.info[_INFO[dest[5:]]] = text.strip()
        elif dest == "comment":
            self.comments += not self.include_comments
            if self.include_comments:
                self.asides.append(("", text))
        elif dest == "footnote":
            self.notes += 1
            self.buffers.setdefault("body", []).append(f"[^{self.notes}]")
            self.asides.append((f"[^{self.notes}]: ", text))
        elif dest == "box":
            self.asides.append(("", text))

    def _property(self, name: str, value: int | None) -> None:
        state, paragraph = self.state, self.paragraph
        on = value != 0
        if name == "ansicpg":
            self.document = state.codec = code_page(value)
        elif name == "mac":
            self.document = state.codec = "mac_roman"
        elif name == "pc":
            self.document = state.codec = "cp437"
        elif name == "uc":
            state.skip = max(0, min(value if value is not None else 1, 10))
        elif name == "f":
            self.font = value or 0
            if state.dest != "fonttbl":
                state.codec = self.fonts.get(self.font, self.document)
        elif name == "fcharset" and state.dest == "fonttbl":
            self.fonts[self.font] = charset(value, self.document)
        elif name in ("v", "deleted"):
            state.hidden = on
        elif name == "plain":
            state.hidden = False
        elif state.dest == "stylesheet":
            self._style(name, value)
        elif name == "pard":
            self.paragraph = _Paragraph(marker=paragraph.marker, listed=bool(paragraph.marker))
        elif name == "s":
            paragraph.style = value or 0
        elif name == "outlinelevel":
            paragraph.outline = value
        elif name == "intbl":
            paragraph.in_table = on
        elif name == "ilvl":
            paragraph.level = max(0, min(value or 0, 8))
        elif name == "ls":
            paragraph.listed = bool(value)

    def _style(self, name: str, value: int | None) -> None:
        if name == "s":
            self.style = value or 0
        elif name == "outlinelevel" and value is not None and value < 9:
            self.styles[self.style] = value + 1

    def _name_style(self) -> None:
        name = "".join(self.buffers.pop("stylesheet", [])).strip(" ;")
        heading = _HEADING.match(name)
        if heading:
            self.styles[self.style] = int(heading[1])
        self.style = 0

    def _break(self) -> None:
        if self.state.dest == "body":
            if self.paragraph.in_table or self.cells:
                self._emit("\n")
            else:
                self._end_paragraph()
        elif self.state.dest in ("footnote", "box", "comment", "running"):
            self._emit("\n")

    def _table(self, name: str) -> None:
        if self.state.dest != "body":
            return
        if name == "nestcell":
            self._emit("; ")
        elif name == "nestrow":
            self._emit("\n")
        elif name == "cell":
            text = _joined(self.buffers.pop("body", []))
            marker = self.paragraph.marker
            self.cells.append(f"{marker} {text}" if marker else text)
            self.paragraph.marker = ""
        elif self.cells:
            self.rows.append(self.cells)
            self.cells = []
            self.table_asides += self.asides
            self.asides = []

    def _end_paragraph(self) -> None:
        text = _joined(self.buffers.pop("body", []))
        if self.cells:
            self.rows.append([*self.cells, text] if text.strip() else self.cells)
            self.cells, text = [], ""
        paragraph = self.paragraph
        if text.strip() or not paragraph.in_table:
            self._end_table()
        if text.strip():
            level = self.styles.get(paragraph.style) or None
            if paragraph.outline is not None:
                level = paragraph.outline + 1 if paragraph.outline < 9 else None
            marker = "-" if paragraph.marker in ("·", "•", "o", "§", "\uf0b7", "") else paragraph.marker
            if level and len(text) <= _MAX_TITLE:
                label = f"{paragraph.marker} " if paragraph.marker and marker != "-" else ""
                self.found.add("heading", label + " ".join(text.split()), level=min(level, 6))
            elif paragraph.listed:
                self.found.add("list_item", f"{marker} {text.strip()}", level=paragraph.level)
            else:
                self.found.add("paragraph", text)
        paragraph.marker = ""
        self._asides(self.asides)

    def _end_table(self) -> None:
        if self.rows:
            self.found.add("table", markdown_table(self.rows))
            self.rows = []
            self._asides(self.table_asides)

    def _asides(self, texts: list[tuple[str, str]]) -> None:
        """Notes and text boxes follow the paragraph or table they hang on."""
        for label, text in texts:
            if text.strip():
                self.found.add("paragraph", label + text.strip())
        texts.clear()


def _joined(parts: list[str]) -> str:
    """Text of a buffer; pairs of UTF-16 halves become the characters they stand for."""
    text = "".join(parts)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
