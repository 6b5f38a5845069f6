"""The package of an OpenDocument file: its parts, metadata, and what its styles mean."""

import re
from dataclasses import dataclass, field
from typing import Any

from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.container import Container
from refdesk.knowledge.parsing.errors import CorruptFile, ProtectionUnsupported
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC, says_what_it_is
from refdesk.knowledge.parsing.xml_tree import Element, local_name, whole_number

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
TEXT = f"{{{_NS}text:1.0}}"
TABLE = f"{{{_NS}table:1.0}}"
STYLE = f"{{{_NS}style:1.0}}"
DRAW = f"{{{_NS}drawing:1.0}}"
OFFICE = f"{{{_NS}office:1.0}}"
PRESENTATION = f"{{{_NS}presentation:1.0}}"
XLINK = "{http://www.w3.org/1999/xlink}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_CHAIN = 20
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_MIME = b"application/vnd.oasis.opendocument."


@dataclass(frozen=True, slots=True)
class ListLevel:
    """Numbering of one level: `form` as in `ordinals`, `bullet` or `none`."""

    form: str
    prefix: str
    suffix: str
    start: int
    shown_levels: int


@dataclass(frozen=True, slots=True)
class _Style:
    names: tuple[str, ...]
    outline: int | None
    list_style: str | None
    hidden: bool


@dataclass(slots=True)
class Styles:
    """Styles by family and name, and list styles by name; `outline` is the numbering of headings."""

    by_name: dict[tuple[str, str], tuple[_Style, str | None]] = field(
        default_factory=dict[tuple[str, str], tuple[_Style, str | None]]
    )
    lists: dict[str, dict[int, ListLevel]] = field(default_factory=dict[str, dict[int, ListLevel]])
    outline: dict[int, ListLevel] = field(default_factory=dict[int, ListLevel])

    def add(self, root: Element | None) -> None:
        """Take in the styles of `styles.xml` or `content.xml`."""
        for node in (
            root.iter(f"{STYLE}style", f"{TEXT}list-style", f"{TEXT}outline-style")
            if root is not None
            else ()
        ):
            name = node.get(f"{STYLE}name", "")
            if node.tag == f"{TEXT}list-style":
                self.lists[name] = _levels(node)
            elif node.tag == f"{TEXT}outline-style":
                self.outline = _levels(node)
            else:
                table = node.find(f"{STYLE}table-properties")
                slide = node.find(f"{STYLE}drawing-page-properties")
                style = _Style(
                    names=tuple(n.lower() for n in (name, node.get(f"{STYLE}display-name", "")) if n),
                    outline=whole_number(node, f"{STYLE}default-outline-level") or None,
                    list_style=node.get(f"{STYLE}list-style-name"),
                    hidden=(table is not None and table.get(f"{TABLE}display") == "false")
                    or (slide is not None and slide.get(f"{PRESENTATION}visibility") == "hidden"),
                )
                key = (node.get(f"{STYLE}family", ""), name)
                self.by_name[key] = (style, node.get(f"{STYLE}parent-style-name"))

    def chain(self, family: str, name: str | None) -> list[_Style]:
        """A style and what it inherits from."""
        found: list[_Style] = []
        while name and len(found) < _CHAIN and (family, name) in self.by_name:
            style, name = self.by_name[family, name]
            found.append(style)
        return found

    def role(self, name: str | None) -> str:
        """`title`, `subtitle`, `code`, `quote`, `caption` or nothing, for a paragraph style."""
        names = [n for style in self.chain("paragraph", name) for n in style.names] or [(name or "").lower()]
        for role, pattern in _ROLES:
            if any(pattern.match(n) for n in names):
                return role
        return ""

    def hides(self, family: str, name: str | None) -> bool:
        """Whether a style hides its sheet (family `table`) or slide (`drawing-page`)."""
        return any(style.hidden for style in self.chain(family, name))


_ROLES = (
    ("title", re.compile(r"^(?:title|标题|文档标题)$")),
    ("subtitle", re.compile(r"^subtitle$")),
    ("code", re.compile(r"^(?:preformatted(?:_20_| )text|source(?:_20_| )?code.*|html preformatted)$")),
    ("quote", re.compile(r"^(?:quotations?|quote)$")),
    ("caption", re.compile(r"^(?:caption|illustration|table|drawing|figure)$")),
)


def _levels(node: Element) -> dict[int, ListLevel]:
    levels: dict[int, ListLevel] = {}
    for child in node:
        at = whole_number(child, f"{TEXT}level")
        if not at:
            continue
        form = child.get(f"{STYLE}num-format") or "none"
        if local_name(child) in ("list-level-style-bullet", "list-level-style-image"):
            form = "bullet"
        elif form.startswith(("一", "壹")):
            form = "chineseCounting"
        levels[at] = ListLevel(
            form=_FORMS.get(form, form),
            prefix=child.get(f"{STYLE}num-prefix", ""),
            suffix=child.get(f"{STYLE}num-suffix", ""),
            start=whole_number(child, f"{TEXT}start-value", 1),
            shown_levels=min(whole_number(child, f"{TEXT}display-levels", 1), 10),
        )
    return levels


def supports(name: str, head: bytes, kinds: tuple[bytes, ...], suffixes: tuple[str, ...]) -> bool:
    """Whether a ZIP says it is one of these kinds of OpenDocument file, or says nothing and is named so."""
    if not head.startswith(ZIP_MAGIC):
        return False
    at = head.find(_MIME, 0, 256) if says_what_it_is(head) else -1
    if at >= 0:
        return any(head[at + len(_MIME) :].startswith(kind) for kind in kinds)
    return name.lower().endswith(suffixes)


@dataclass(slots=True)
class Package:
    """An open OpenDocument file; `header` and `footer` stand on every page.

    Raises `ProtectionUnsupported` and `CorruptFile`.
    """

    container: Container
    body: Element
    styles: Styles
    meta: dict[str, Any]
    header: list[str]
    footer: list[str]

    @classmethod
    def read(cls, container: Container, part: str, options: ParseOptions) -> "Package":
        """`part` is `text`, `spreadsheet` or `presentation`."""
        manifest = container.xml("META-INF/manifest.xml")
        if manifest is not None and next(manifest.iter("{*}encryption-data"), None) is not None:
            raise ProtectionUnsupported(
                "The file is protected by a password; OpenDocument files cannot be unlocked here.",
                hint="Open it in LibreOffice, save it without a password and upload that copy.",
            )
        content = container.xml("content.xml")
        body = content.find(f"{OFFICE}body/{OFFICE}{part}") if content is not None else None
        if body is None:
            raise CorruptFile("The file holds no OpenDocument content.")
        styles = Styles()
        common = container.xml("styles.xml")
        styles.add(common)
        styles.add(content)
        running: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
        for page in common.iter(f"{STYLE}master-page") if common is not None else ():
            for node in page:
                place = local_name(node).partition("-")[0]
                if place in running and node.get(f"{STYLE}display") != "false":
                    running[place].update(dict.fromkeys(_lines(node)))
        # Slides name theirs beside the pages.
        for place, found in running.items():
            for node in body.iterfind(f"{PRESENTATION}{place}-decl"):
                found.update(dict.fromkeys(filter(None, ["".join(node.itertext()).strip()])))
        meta = _metadata(container.xml("meta.xml"))
        return cls(container, body, styles, meta, list(running["header"]), list(running["footer"]))

    @property
    def running(self) -> list[str]:
        """Headers and footers, each text once."""
        return list(dict.fromkeys([*self.header, *self.footer]))


def _lines(node: Element) -> list[str]:
    """Lines of a header or footer without what changes from page to page."""
    lines = (_steady(p).strip() for p in node.iter(f"{TEXT}p", f"{TEXT}h"))
    return [line for line in lines if any(c.isalnum() for c in line)]


def _steady(node: Element) -> str:
    if node.tag in _CHANGING:
        return ""
    parts = [node.text or ""]
    for child in node:
        parts += (_steady(child), child.tail or "")
    return "".join(parts)


def _metadata(root: Element | None) -> dict[str, Any]:
    if root is None:
        return {}
    found = {key: next(root.iter(tag), None) for key, tag in _META.items()}
    return {key: node.text.strip() for key, node in found.items() if node is not None and node.text}


_CHANGING = frozenset(
    f"{TEXT}{name}" for name in ("page-number", "page-count", "sheet-name", "date", "time", "file-name")
)
_META = {
    "title": f"{_DC}title",
    "author": f"{_DC}creator",
    "language": f"{_DC}language",
    "created": f"{{{_NS}meta:1.0}}creation-date",
    "modified": f"{_DC}date",
}
