"""Text of one paragraph: final text of tracked changes, links, notes, and the text boxes anchored in it."""

import re
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.docx.numbering import W
from refdesk.knowledge.parsing.links import linked
from refdesk.knowledge.parsing.symbols import symbol_text, without_private
from refdesk.knowledge.parsing.xml_tree import Element, etree

R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_IMAGE_DATA = "{urn:schemas-microsoft-com:vml}imagedata"
_LINK_CODE = re.compile(r"""^\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)\"""")
_DROPPED_TAGS = (
    "del moveFrom pPr rPr delText delInstrText annotationRef footnoteRef endnoteRef "
    "commentRangeStart commentRangeEnd bookmarkStart bookmarkEnd proofErr sdtPr sdtEndPr fldData "
    "tblPr tblGrid"
)
_DROPPED = frozenset(f"{W}{name}" for name in _DROPPED_TAGS.split())
_TEXT = {f"{W}t", f"{M}t"}
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": "\t"}


@dataclass(slots=True)
class Inline:
    """Text of a paragraph, and what hangs on it: text boxes, notes and comments, drawings, in order.

    `drawings` are (kind, relation): `picture`, `chart` or `diagram`. `fields` are the fields still open:
    where each begins among the parts of the text, its code, and whether its result has begun.
    """

    text: str = ""
    boxes: list[Element] = field(default_factory=list[Element])
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    drawings: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    fields: list[tuple[int, list[str], bool]] = field(default_factory=list[tuple[int, list[str], bool]])


class RunReader:
    """Reads paragraphs; `links` maps relation ids to addresses."""

    def __init__(self, links: dict[str, str], include_comments: bool) -> None:
        self.links = links
        self.include_comments = include_comments
        self.note_numbers: dict[tuple[str, str], int] = {}

    def read(self, paragraph: Element) -> Inline:
        """The final text of a paragraph: insertions in, deletions out."""
        parts: list[str] = []
        inline = Inline()
        self._walk(paragraph, parts, inline)
        inline.text = "".join(parts).replace("\u00ad", "").strip("\n")
        return inline

    def _walk(self, node: Element, parts: list[str], inline: Inline) -> None:
        for child in node:
            tag = child.tag
            if not isinstance(tag, str) or tag in _DROPPED:
                continue
            if tag in _TEXT:
                parts.append(_shown_text(child))
            elif tag in _MARKS:
                parts.append(_MARKS[tag])
            elif tag == f"{W}hyperlink":
                self._link(child, parts, inline)
            elif tag in (f"{W}fldChar", f"{W}instrText"):
                _field(child, parts, inline)
            elif tag == f"{W}fldSimple":
                before = len(parts)
                self._walk(child, parts, inline)
                _link_field(child.get(f"{W}instr", ""), before, parts)
            elif tag in (f"{A}blip", _IMAGE_DATA, _CHART, _DIAGRAM):
                inline.drawings.append(_drawing(child))
            elif tag in (f"{W}footnoteReference", f"{W}endnoteReference", f"{W}commentReference"):
                self._note(child, parts, inline)
            elif tag == f"{MC}AlternateContent":
                self._alternative(child, parts, inline)
            elif tag == f"{W}txbxContent":
                inline.boxes.append(child)
            elif tag == f"{W}sym":
                parts.append(_symbol(child))
            elif tag == f"{W}rt":
                parts.extend(("(", "".join(t.text or "" for t in child.iter(f"{W}t")), ")"))
            elif tag == f"{W}r" and is_hidden(child):
                continue
            else:
                self._walk(child, parts, inline)

    def _link(self, node: Element, parts: list[str], inline: Inline) -> None:
        before = len(parts)
        self._walk(node, parts, inline)
        address = self.links.get(node.get(f"{R}id", ""), "")
        parts[before:] = [linked("".join(parts[before:]), address)]

    def _note(self, node: Element, parts: list[str], inline: Inline) -> None:
        kind = etree.QName(node).localname.removesuffix("Reference")
        key = (kind, node.get(f"{W}id", ""))
        if kind == "comment" and not self.include_comments:
            return
        number = self.note_numbers.setdefault(key, sum(1 for k, _ in self.note_numbers if k == kind) + 1)
        parts.append(f"[^{number if kind == 'footnote' else f'{kind}-{number}'}]")
        inline.notes.append(key)

    def _alternative(self, node: Element, parts: list[str], inline: Inline) -> None:
        """The choice and the fallback show the same thing: read one of them."""
        choices = [c for c in node if c.tag == f"{MC}Choice"] or [c for c in node if c.tag == f"{MC}Fallback"]
        for choice in choices[:1]:
            self._walk(choice, parts, inline)


def _field(node: Element, parts: list[str], inline: Inline) -> None:
    """Fields are written as begin, code, separator, shown result, end; of links the address is kept."""
    if node.tag == f"{W}instrText":
        if inline.fields and not inline.fields[-1][2]:
            inline.fields[-1][1].append(node.text or "")
        return
    kind = node.get(f"{W}fldCharType")
    if kind == "begin":
        form = node.find(f"{W}ffData")
        if form is not None:
            parts.append(_form(form))
        inline.fields.append((len(parts), [], False))
    elif kind == "separate" and inline.fields:
        inline.fields.append((len(parts), inline.fields.pop()[1], True))
    elif kind == "end" and inline.fields:
        begin, code, shown = inline.fields.pop()
        if shown:
            _link_field("".join(code), begin, parts)


def _link_field(code: str, begin: int, parts: list[str]) -> None:
    address = _LINK_CODE.match(code)
    if address and len(parts) > begin:
        parts[begin:] = [linked("".join(parts[begin:]), address[1])]


def _drawing(node: Element) -> tuple[str, str]:
    if node.tag == _CHART:
        return "chart", node.get(f"{R}id", "")
    if node.tag == _DIAGRAM:
        return "diagram", node.get(f"{R}dm", "")
    return "picture", node.get(f"{R}embed") or node.get(f"{R}id") or ""


def _shown_text(node: Element) -> str:
    """Text of a node; in symbol fonts some characters lie in the private area."""
    text = node.text or ""
    if not any("\uf000" <= char <= "\uf0ff" for char in text):
        return text
    fonts = node.getparent().find(f"{W}rPr/{W}rFonts") if node.getparent() is not None else None
    return without_private(text, fonts.get(f"{W}ascii", "") if fonts is not None else "")


def _symbol(node: Element) -> str:
    code = node.get(f"{W}char", "")
    font = node.get(f"{W}font", "")
    return symbol_text(font, int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{1,4}", code) else ""


def _form(node: Element) -> str:
    """What a field of an old form shows: a box, ticked or not, or the chosen entry of a list."""
    box = node.find(f"{W}checkBox")
    if box is not None:
        mark = box.find(f"{W}checked")
        mark = box.find(f"{W}default") if mark is None else mark
        return "☑" if mark is not None and mark.get(f"{W}val") not in ("0", "false") else "☐"
    choice = node.find(f"{W}ddList")
    entries = [e.get(f"{W}val", "") for e in choice.iterfind(f"{W}listEntry")] if choice is not None else []
    chosen = choice.find(f"{W}result") if choice is not None else None
    at = chosen.get(f"{W}val", "0") if chosen is not None else "0"
    return entries[int(at)] if at.isdigit() and int(at) < len(entries) else ""


def is_hidden(run: Element) -> bool:
    mark = run.find(f"{W}rPr/{W}vanish")
    return mark is not None and mark.get(f"{W}val") not in ("0", "false")
