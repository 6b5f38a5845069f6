"""RTF → blocks: groups are a stack of states, destinations say where text goes."""

import re
from dataclasses import dataclass, field, replace

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.errors import EmptyFile, NoText
from refdesk.knowledge.parsing.links import linked
from refdesk.knowledge.parsing.rtf.plain import plain_text
from refdesk.knowledge.parsing.rtf.tokens import SYMBOLS, charset, code_page, tokens
from refdesk.knowledge.parsing.rtf.writing import Aside, Writer, picture_bytes
from refdesk.knowledge.parsing.symbols import is_symbol_font, symbol_text

_HEADING = re.compile(r"^(?:heading|标题|標題|überschrift|titre)\s*([1-9])$", re.IGNORECASE)
_LINK = re.compile(r"""HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)\"""")
_MAX_DEPTH = 20_000
# Where text goes besides the body. `quiet` groups are silent themselves but may hold texts that are shown.
_SKIPPED_WORDS = (
    "colortbl objdata themedata datastore listtable listoverridetable rsidtbl generator xmlnstbl shprslt "
    "nonshppict filetbl revtbl latentstyles nonesttables bkmkstart bkmkend objclass objname pn pnseclvl "
    "fontemb falt panose private xe tc txe rxe template pgptbl mmathPr mmathPict"
)
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
_RUNNING = frozenset(["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"])
_ASIDE = {"footnote": "footnote", "shptxt": "box", "dptxbxtext": "box", "annotation": "comment"}
_STARRED = frozenset(
    ("shpinst", "annotation", "fldinst", "ud", "do", "shppict", "moMath", "moMathPara", "nesttableprops")
)
_QUIET = frozenset(("shp", "shpinst", "do", "info", "upr", "sp"))
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords"}
_NESTED = "; "
_ENDS = frozenset(("par", "sect", "page", "column"))


@dataclass(slots=True)
class _State:
    """What a group inherits; `out` is where its text goes."""

    dest: str = "body"
    codec: str = "cp1252"
    symbol: str = ""
    skip: int = 1
    hidden: bool = False
    starred: bool = False
    began: int = 0


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
        machine = _Machine(Writer(found, options))
        machine.run(data)
        if not found.blocks:
            raise NoText if machine.pictures else EmptyFile("The document holds no text.")
        header, footer = list(machine.running["header"]), list(machine.running["footer"])
        meta = {
            **machine.info,
            "running_headers": list(dict.fromkeys([*header, *footer])),
            "pictures": machine.pictures or None,
            "comments_left_out": machine.comments or None,
        }
        source = plain_text(data)
        if options.include_running:
            found = _framed(found, header, footer)
            source = "".join([source, *header, *footer])
        return finish(name, self.kind, found, meta, source)


def _framed(found: BlockList, header: list[str], footer: list[str]) -> BlockList:
    """The blocks between headers and footers, which the file may name anywhere."""
    framed = BlockList(warnings=found.warnings)
    for text in header:
        framed.add("paragraph", text)
    for b in found.blocks:
        framed.add(b.kind, b.text, level=b.level, confidence=b.confidence, pictures=b.pictures)
    for text in footer:
        framed.add("paragraph", text)
    return framed


@dataclass(slots=True)
class _Machine:
    writer: Writer
    info: dict[str, str] = field(default_factory=dict[str, str])
    running: dict[str, dict[str, None]] = field(
        default_factory=lambda: dict[str, dict[str, None]](header={}, footer={})
    )
    pictures: int = 0
    comments: int = 0
    stack: list[_State] = field(default_factory=list[_State])
    state: _State = field(default_factory=_State)
    document: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict[int, str])
    symbol_fonts: dict[int, str] = field(default_factory=dict[int, str])
    font: int = 0
    style: int = 0
    buffers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    pending: bytearray = field(default_factory=bytearray)
    binary: bytes = b""
    to_skip: int = 0
    fields: list[str] = field(default_factory=list[str])
    notes: int = 0

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
            elif name == "bin":
                self.binary = content if self.state.dest == "pict" else b""
            else:
                self._word(name, value)
        self._flush()
        if self.stack:
            self.writer.found.warn("incomplete", "The file is cut off; what is there was read.")
        self._end_paragraph()
        self.writer.end_table()

    def _bytes(self, content: bytes) -> None:
        if self.to_skip:
            dropped = min(self.to_skip, len(content))
            self.to_skip -= dropped
            content = content[dropped:]
        self.pending += content

    def _flush(self) -> None:
        if self.pending:
            if self.state.symbol and self.state.dest != "pict":
                text = "".join(symbol_text(self.state.symbol, byte) for byte in self.pending)
            else:
                text = self.pending.decode(self.state.codec, errors="replace")
            self.pending.clear()
            self._emit(text)

    def _emit(self, text: str) -> None:
        dest = self.state.dest
        if dest == "skip" or dest == "quiet" or (self.state.hidden and dest in ("body", "footnote", "box")):
            return
        self.buffers.setdefault(dest, []).append(text)

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
            char = value % 65536
            symbol = self.state.symbol if char >= 0xF000 else ""
            self._emit(symbol_text(symbol, char) if symbol else chr(char))
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
            state.dest, state.began = name[:6], 1
            self.buffers[state.dest] = []
        elif name == "pict":
            self.pictures += 1
            state.dest, state.began = "pict", 1
            self.buffers["pict"], self.binary = [], b""
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
        elif name in _SKIPPED or (starred and name not in _STARRED) or _is_mark_of_math(name):
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
        elif state.dest == "fonttbl":
            self._name_font()
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
            self.writer.paragraph.marker, self.writer.paragraph.listed = text.strip(), True
        elif dest in self.running:
            lines = (line.strip() for line in text.split("\n"))
            self.running[dest].update(dict.fromkeys(line for line in lines if line))
        elif dest.startswith("info:"):
            self.info[_INFO[dest[5:]]] = text.strip()
        else:
            self._aside(dest, text)

    def _aside(self, dest: str, text: str) -> None:
        """What hangs on a paragraph is complete."""
        asides = self.writer.asides
        if dest == "pict":
            asides.append(Aside(picture=picture_bytes(text, self.binary)))
            self.binary = b""
        elif dest == "comment":
            shown = self.writer.options.include_comments
            self.comments += not shown
            if shown:
                asides.append(Aside(text))
        elif dest == "footnote":
            self.notes += 1
            self.buffers.setdefault("body", []).append(f"[^{self.notes}]")
            if text.strip():
                asides.append(Aside(f"[^{self.notes}]: {text.strip()}"))
        elif dest == "box":
            asides.append(Aside(text))

    def _property(self, name: str, value: int | None) -> None:
        state, paragraph = self.state, self.writer.paragraph
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
                state.symbol = self.symbol_fonts.get(self.font, "")
        elif name == "fcharset" and state.dest == "fonttbl":
            self.fonts[self.font] = charset(value, self.document)
        elif name in ("v", "deleted"):
            state.hidden = on
        elif name == "plain":
            state.hidden = False
        elif state.dest == "stylesheet":
            self._style(name, value)
        elif name == "pard":
            self.writer.begin_paragraph()
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
            self.writer.headings[self.style] = value + 1

    def _name_style(self) -> None:
        name = "".join(self.buffers.pop("stylesheet", [])).strip(" ;")
        heading = _HEADING.match(name)
        if heading:
            self.writer.headings[self.style] = int(heading[1])
        self.style = 0

    def _name_font(self) -> None:
        name = "".join(self.buffers.pop("fonttbl", [])).strip(" ;")
        if is_symbol_font(name):
            self.symbol_fonts[self.font] = name

    def _break(self) -> None:
        if self.state.dest == "body":
            if self.writer.paragraph.in_table or self.writer.cells:
                self._emit("\n")
            else:
                self._end_paragraph()
        elif self.state.dest in ("footnote", "box", "comment", "header", "footer"):
            self._emit("\n")

    def _table(self, name: str) -> None:
        if self.state.dest != "body":
            return
        if name == "nestcell":
            self._emit(_NESTED)
        elif name == "nestrow":
            parts = self.buffers.get("body", [])
            if parts and parts[-1] == _NESTED:
                parts.pop()
            self._emit("\n")
        elif name == "cell":
            self.writer.end_cell(_joined(self.buffers.pop("body", [])))
        else:
            self.writer.end_row()

    def _end_paragraph(self) -> None:
        self.writer.end_paragraph(_joined(self.buffers.pop("body", [])))


def _is_mark_of_math(name: str) -> bool:
    """Properties of formulas, such as `mfPr`; their texts are no text."""
    return len(name) > 3 and name.startswith("m") and name.endswith("Pr")


def _joined(parts: list[str]) -> str:
    """Text of a buffer; pairs of UTF-16 halves become the characters they stand for."""
    text = "".join(parts)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
