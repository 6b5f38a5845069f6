"""PPTX: slides in order, their titles as headings, lists, tables, charts and diagrams, then the notes.

`Block.page` is the number of the slide. Shapes are read in the order of the file, which is the order in which
a screen reader speaks them; the title comes first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.charts import chart_table
from refdesk.knowledge.parsing.container import Container, resolve
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.embedded_pictures import Pictures
from refdesk.knowledge.parsing.errors import CorruptFile, EmptyFile, NoText, TooManyPages
from refdesk.knowledge.parsing.grid import markdown_table
from refdesk.knowledge.parsing.links import linked
from refdesk.knowledge.parsing.pptx_raw import raw_slide
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC
from refdesk.knowledge.parsing.xml_tree import Element, local_name, whole_number

_RID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TITLES = ("title", "ctrTitle")
_RUNNING = ("dt", "ftr", "sldNum", "hdr")
_LISTED = ("body", "obj", "")
_CHANGING = ("slidenum", "datetime")
_MAX_DEPTH = 60


class Pptx:
    """PowerPoint presentations since 2007."""

    kind = "pptx"
    suffixes = (".pptx", ".pptm", ".ppsx", ".potx")

    def supports(self, name: str, head: bytes) -> bool:
        """A ZIP with the parts of a presentation."""
        if not head.startswith(ZIP_MAGIC):
            return False
        return b"\nppt/presentation.xml\n" in head or name.lower().endswith(self.suffixes)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Slides in the order of the presentation; hidden ones are read and reported."""
        with Container(data, options) as container:
            part = container.main_part("ppt/presentation.xml")
            root = container.xml(part)
            if root is None:
                raise CorruptFile("The file holds no presentation.")
            relations = container.relations(part)
            order = [node.get(f"{_RID}id", "") for node in root.iterfind("{*}sldIdLst/{*}sldId")]
            if len(order) > options.max_pages:
                raise TooManyPages(pages=len(order), limit=options.max_pages)
            found = BlockList()
            deck = _Deck(container, found, options)
            for number, relation in enumerate(order, 1):
                deck.slide(resolve(part, relations.get(relation, ("", ""))[1]), number)
            for text in deck.running if options.include_running else ():
                found.add("paragraph", text)
            pictures = sum(1 for member in container.names if member.startswith("ppt/media/"))
            if not found.blocks:
                raise NoText if pictures else EmptyFile("The presentation holds no text.")
            meta = {
                **container.core_properties(),
                "slides": len(order),
                "pictures": pictures or None,
                "running_footers": list(deck.running),
            }
        return finish(name, self.kind, found, meta, "\n".join(deck.raw), deck.running)


@dataclass(slots=True)
class _Deck:
    container: Container
    found: BlockList
    options: ParseOptions
    raw: list[str] = field(default_factory=list[str])
    running: dict[str, None] = field(default_factory=dict[str, None])
    part: str = ""
    page: int = 0
    relations: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    pictures: Pictures = field(init=False)

    def __post_init__(self) -> None:
        self.pictures = Pictures(self.container, self.found, self.options)

    def slide(self, part: str, number: int) -> None:
        root = self.container.xml(part)
        if root is None:
            self.found.warn("missing-slide", f"Slide {number} is not in the file.", number)
            return
        self.part, self.page = part, number
        self.relations = self.container.relations(part)
        if root.get("show") in ("0", "false"):
            self.found.warn(
                "hidden-slide", f"Slide {number} is hidden in the file; its text was read.", number
            )
        tree = root.find("{*}cSld/{*}spTree")
        shapes = list(_shapes(tree, 0)) if tree is not None else []
        self.raw.extend(raw_slide(self.container, part, root, comments=self.options.include_comments))
        titles = [shape for shape in shapes if _role(shape) in _TITLES]
        before = len(self.found.blocks)
        title = " ".join(" ".join(self._plain(body) for body in _bodies(t)) for t in titles).strip()
        if title:
            self.found.add("heading", title, level=1, page=number)
        elif number > 1:
            # Without a heading of its own the text would stand under the title of the slide before.
            self.found.add("heading", f"Slide {number}", level=1, page=number)
            before += 1
        for shape in shapes:
            if local_name(shape) == "pic":
                self._picture(shape)
            elif shape not in titles:
                self._shape(shape)
        self._notes()
        self._comments()
        if len(self.found.blocks) == before and not title and number > 1:
            self.found.drop_last()

    def _picture(self, shape: Element) -> None:
        for blip in shape.iter("{*}blip"):
            member = self.container.relation_target(self.part, blip.get(f"{_RID}embed", ""))
            self.pictures.add(member, page=self.page)

    def _shape(self, shape: Element) -> None:
        role = _role(shape)
        if local_name(shape) == "graphicFrame":
            self._graphic(shape)
        elif role in _RUNNING:
            text = " ".join(self._plain(body) for body in _bodies(shape)).strip()
            if text and role in ("ftr", "hdr"):
                self.running[text] = None
        else:
            for fill in shape.iterfind("{*}spPr/{*}blipFill"):
                self._picture(fill)
            for body in _bodies(shape):
                self._paragraphs(body, listed=role in _LISTED)

    def _paragraphs(self, body: Element, *, listed: bool) -> None:
        counters: dict[int, int] = {}
        paragraphs = [(p, self._text(p)) for p in body.iterfind("{*}p")]
        filled = [text for _, text in paragraphs if text.strip()]
        for node, text in paragraphs:
            properties = node.find("{*}pPr")
            level = whole_number(properties, "lvl") if properties is not None else 0
            marker = _marker(properties, listed=listed and len(filled) > 1)
            if not text.strip():
                continue
            if marker == "1":
                start = properties.find("{*}buAutoNum") if properties is not None else None
                first = whole_number(start, "startAt") if start is not None else 0
                counters[level] = counters[level] + 1 if level in counters else max(first, 1)
                counters = {depth: n for depth, n in counters.items() if depth <= level}
                self.found.add("list_item", f"{counters[level]}. {text}", level=level, page=self.page)
            elif marker:
                self.found.add("list_item", f"- {text}", level=level, page=self.page)
            else:
                self.found.add("paragraph", text, page=self.page)

    def _plain(self, body: Element) -> str:
        return " ".join(" ".join(self._text(p).split()) for p in body.iterfind("{*}p")).strip()

    def _text(self, paragraph: Element) -> str:
        parts: list[str] = []
        for node in paragraph:
            kind = local_name(node)
            if kind == "br":
                parts.append("\n")
            elif kind == "fld" and (node.get("type") or "").startswith(_CHANGING):
                continue
            elif kind in ("r", "fld"):
                text = "".join(t.text or "" for t in node.iterfind("{*}t"))
                link = node.find("{*}rPr/{*}hlinkClick")
                target = (
                    self.relations.get(link.get(f"{_RID}id", ""), ("", ""))[1] if link is not None else ""
                )
                parts.append(linked(text, target))
            elif kind != "pPr":
                parts.append("".join(t.text or "" for t in node.iter("{*}t")))
        return "".join(parts).replace("\x0b", "\n")

    def _graphic(self, frame: Element) -> None:
        table = frame.find(".//{*}tbl")
        if table is not None:
            rows = [
                ["" if _covered(cell) else self._cell(cell) for cell in row.iterfind("{*}tc")]
                for row in table.iterfind("{*}tr")
            ]
            self.found.add("table", markdown_table(rows), page=self.page)
        for picture in frame.iter("{*}pic"):
            self._picture(picture)
        for node in frame.iter("{*}relIds"):
            self._diagram(self.relations.get(node.get(f"{_RID}dm", ""), ("", ""))[1])
        for node in frame.iter("{*}chart"):
            target = self.relations.get(node.get(f"{_RID}id", ""), ("", ""))[1]
            root = self.container.xml(resolve(self.part, target)) if target else None
            if root is not None:
                title, rows = chart_table(root)
                self.found.add("caption", title, page=self.page)
                self.found.add("table", markdown_table(rows), page=self.page)

    def _cell(self, cell: Element) -> str:
        return "\n".join(self._text(p) for p in cell.iterfind("{*}txBody/{*}p"))

    def _diagram(self, target: str) -> None:
        root = self.container.xml(resolve(self.part, target)) if target else None
        for point in root.iter("{*}pt") if root is not None else ():
            for node in point.iterfind("{*}t/{*}p"):
                text = self._text(node)
                self.found.add("list_item", f"- {text}" if text.strip() else "", level=0, page=self.page)

    def _notes(self) -> None:
        for part in self.container.related(self.part, "notesSlide"):
            root = self.container.xml(part)
            tree = root.find("{*}cSld/{*}spTree") if root is not None else None
            bodies = [
                body
                for shape in (_shapes(tree, 0) if tree is not None else ())
                if _role(shape) == "body"
                for body in _bodies(shape)
            ]
            text = "\n".join(self._text(p) for body in bodies for p in body.iterfind("{*}p")).strip()
            if text:
                self.found.add("paragraph", f"Notes: {text}", page=self.page)

    def _comments(self) -> None:
        if not self.options.include_comments:
            return
        for kind in ("comments", "comment"):
            for part in self.container.related(self.part, kind):
                root = self.container.xml(part)
                for node in root.iter("{*}cm") if root is not None else ():
                    texts = [t.text or "" for t in (*node.iter("{*}text"), *node.iter("{*}t"))]
                    self.found.add("paragraph", "".join(texts), page=self.page)


def _shapes(node: Element, depth: int) -> Iterator[Element]:
    """Shapes through groups; of alternatives the first choice."""
    if depth > _MAX_DEPTH:
        raise CorruptFile("The shapes are nested deeper than any person would draw them.")
    for child in node:
        kind = local_name(child)
        if kind in ("sp", "cxnSp", "graphicFrame", "pic"):
            yield child
        elif kind == "grpSp":
            yield from _shapes(child, depth + 1)
        elif kind == "AlternateContent":
            choice = child.find("{*}Choice")
            choice = child.find("{*}Fallback") if choice is None else choice
            if choice is not None:
                yield from _shapes(choice, depth + 1)


def _role(shape: Element) -> str:
    """Kind of placeholder; `none` for a free shape, empty for a content placeholder."""
    place = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return (place.get("type") or "") if place is not None else "none"


def _bodies(shape: Element) -> list[Element]:
    return [child for child in shape if local_name(child) == "txBody"]


def _marker(properties: Element | None, *, listed: bool) -> str:
    """`1` for a numbered item, `-` for another one, empty for a paragraph."""
    if properties is not None:
        for child in properties:
            kind = local_name(child)
            if kind in ("buNone", "buAutoNum", "buChar", "buBlip"):
                return {"buNone": "", "buAutoNum": "1"}.get(kind, "-")
    return "-" if listed else ""


def _covered(cell: Element) -> bool:
    return cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")
