"""HTML → blocks of the main content, without navigation, in document order.

Tables of data become Markdown tables; tables that only lay out a page are read cell by cell. What was left
out as navigation is counted in `meta["navigation_chars"]`, so that nothing disappears unseen.
"""

import re
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import character_counts, finish
from refdesk.knowledge.parsing.embedded_pictures import show_picture
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.errors import EmptyFile, NoText
from refdesk.knowledge.parsing.html_content import main_content, show_alternatives, texts_outside
from refdesk.knowledge.parsing.html_dates import page_dates
from refdesk.knowledge.parsing.html_depth import html_tree
from refdesk.knowledge.parsing.html_main import drop_invisible, drop_marks, drop_navigation
from refdesk.knowledge.parsing.html_table import is_layout, ruby_text, table_markdown
from refdesk.knowledge.parsing.plain import report_damage

_META = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_PROLOG = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']""")
_SNIFF = re.compile(rb"<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f\u00a0\u200b]+")
_LINES = re.compile(r" *\n *")
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([A-Za-z][\w:-]*)((?:\s[^<>]*?)?)/>"
)
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_BLOCK_TAGS = (
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol p pre "
    "section summary table tbody td tfoot th thead tr ul caption"
)
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_MAX_DEPTH = 200


class Html:
    """Web pages, by content or name."""

    kind = "html"
    suffixes = (".html", ".htm", ".xhtml", ".shtml")

    def supports(self, name: str, head: bytes) -> bool:
        """Content that begins like a page, or text whose name says so."""
        if looks_binary(head):
            return False
        plain = head.replace(b"\x00", b"") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head
        begins = plain.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
        if begins[:1] == b"<" and not begins.startswith(b"<?xml") and _SNIFF.search(begins[:1024]):
            return True
        return name.lower().endswith(self.suffixes)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Headings, paragraphs, lists, code, quotes and tables of the main content."""
        declared = _META.search(data[:8192]) or _PROLOG.match(data[:1024])
        decoded = decode(data, declared[1].decode("ascii") if declared else None)
        found = BlockList()
        report_damage(decoded, found)
        if not decoded.text.strip():
            raise EmptyFile("The page is empty.")
        meta = {"encoding": decoded.encoding}
        xml = decoded.text[:200].lstrip().startswith("<?xml")
        tree, removed_tags = html_tree(self_closed_opened(decoded.text) if xml else decoded.text)
        if removed_tags:
            found.warn(
                "nested-too-deep",
                "The page nests its elements deeper than any browser shows; those too deep were set side by "
                "side, and their text was kept.",
            )
        del decoded  # the text, the tree and the blocks of a page of 50 MB need not stand side by side
        meta = _metadata(tree) | meta
        body = tree.body
        if body is None:
            raise NoText("The page has no text.", hint="It may be built by a script in the browser.")
        drop_invisible(body)
        show_alternatives(body)
        # All that the page shows, counted before anything is cut: what is lost and not told lowers coverage.
        source = character_counts([body.text(separator=" ")])
        main = main_content(body)
        left_out = texts_outside(main, body)
        parts = len(left_out) + drop_navigation(main, left_out) + drop_marks(main, left_out)
        navigation = character_counts(left_out)
        source -= navigation
        meta["navigation_chars"] = navigation.total()
        meta["navigation_parts"] = parts
        del left_out, navigation
        _Walker(found).walk(main)
        del tree, body, main
        if not found.blocks:
            raise NoText("The page has no text.", hint="It may be built by a script in the browser.")
        return finish(name, self.kind, found, meta, source)


def self_closed_opened(text: str) -> str:
    """XHTML with `<title/>` as `<title></title>`: to a reader of HTML the former never ends."""
    return _SELF_CLOSED.sub(r"<\1\2></\1>", text)


def html_blocks(source: str, found: BlockList) -> None:
    """Add the blocks of a piece of HTML, such as one embedded in Markdown."""
    tree, _ = html_tree(source)
    if tree.body is not None:
        drop_invisible(tree.body)
        _Walker(found).walk(tree.body)


def html_text(source: str) -> str:
    """All text that a piece of HTML shows, without structure: the independent reading of it."""
    tree, _ = html_tree(source)
    if tree.body is None:
        return ""
    drop_invisible(tree.body)
    return tree.body.text(separator=" ")


def _metadata(tree: LexborHTMLParser) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    title = tree.css_first("title")
    if title is not None:
        meta["title"] = _SPACE.sub(" ", title.text()).strip()
    for key, selector in (
        ("author", 'meta[name="author"]'),
        ("description", 'meta[name="description"]'),
        ("keywords", 'meta[name="keywords"]'),
    ):
        node = tree.css_first(selector)
        if node is not None:
            meta[key] = (node.attributes.get("content") or "").strip()
    root = tree.css_first("html")
    if root is not None:
        meta["language"] = root.attributes.get("lang")
    return meta | page_dates(tree)


class _Walker:
    """Collects inline text until a block begins, then flushes it as a paragraph."""

    def __init__(self, found: BlockList) -> None:
        self.found = found
        self.inline: list[str] = []
        self.pictures: list[str] = []
        self.list_depth = -1
        self.marker: str | None = None
        self.quoted = False

    def walk(self, root: LexborNode) -> None:
        self._children(root, 0)
        self._flush()

    def _children(self, node: LexborNode, depth: int) -> None:
        child = node.child
        while child is not None:
            self._node(child, depth + 1)
            child = child.next

    def _node(self, node: LexborNode, depth: int) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self.inline.append(_SPACE.sub(" ", node.text_content or ""))
        elif tag == "br":
            self.inline.append("\n")
        elif tag == "img":
            self.pictures.append(node.attributes.get("src") or "")
        elif depth > _MAX_DEPTH:
            # Deeper than any person nests: keep the text, give up the structure.
            self.inline.append(_SPACE.sub(" ", node.text(separator=" ")))
        elif tag in _HEADINGS:
            self._flush()
            self._heading(node, _HEADINGS[tag])
        elif tag == "pre":
            self._flush()
            self.found.add("code", _lined(node).replace("\u00a0", " "))
        elif tag == "rt":
            self.inline.append(ruby_text(node))
        elif tag == "table" and not is_layout(node):
            self._flush()
            caption, text, pictures = table_markdown(node)
            self.found.add("caption", caption)
            self.found.add("table", text)
            self.pictures.extend(pictures)
            self._flush()
        elif tag in ("ul", "ol", "menu"):
            self._list(node, depth)
        elif tag in ("blockquote", "figcaption", "caption", "dt"):
            self._special(node, tag, depth)
        elif tag in _BLOCKS:
            self._flush()
            self._children(node, depth)
            self._flush()
        elif tag and not tag.startswith(("-", "!", "_")):
            self._inline(node, tag, depth)

    def _heading(self, node: LexborNode, level: int) -> None:
        """A heading on one line, and behind it the pictures in it."""
        self.found.add("heading", _one_line(_lined(node)), level=level)
        for picture in node.css("img"):
            self.pictures.append(picture.attributes.get("src") or "")
        self._flush()

    def _inline(self, node: LexborNode, tag: str, depth: int) -> None:
        code = tag in ("code", "kbd", "samp") and node.css_first("pre") is None
        if code and "\n" in node.text().strip():
            self._flush()
            self.found.add("code", _lined(node))
            return
        self._children(node, depth)

    def _list(self, node: LexborNode, depth: int) -> None:
        self._flush()
        self.list_depth += 1
        start = node.attributes.get("start") or "1"
        number = int(start) if start.lstrip("-").isdigit() else 1
        child = node.child
        while child is not None:
            if child.tag == "li":
                self._flush()
                self.marker = f"{number}. " if node.tag == "ol" else "- "
                number += 1
                self._children(child, depth + 1)
                self._flush()
                self.marker = None
            else:
                self._node(child, depth + 1)
            child = child.next
        self._flush()
        self.list_depth -= 1

    def _special(self, node: LexborNode, tag: str, depth: int) -> None:
        self._flush()
        if tag == "blockquote":
            outer, self.quoted = self.quoted, True
            self._children(node, depth)
            self._flush()
            self.quoted = outer
        elif tag == "dt":
            self._children(node, depth)
            self._flush()
        else:
            self.found.add("caption", _one_line(node.text(separator=" ")))

    def _flush(self) -> None:
        self._flush_text()
        pictures, self.pictures = self.pictures, []
        for address in pictures:
            show_picture(self.found, address)

    def _flush_text(self) -> None:
        if not self.inline:
            return
        text = _LINES.sub("\n", _SPACE_RUNS.sub(" ", "".join(self.inline))).strip()
        self.inline.clear()
        if not text:
            return
        if self.list_depth >= 0:
            marker, self.marker = self.marker or "", ""
            self.found.add("list_item", marker + text, level=self.list_depth)
        else:
            self.found.add("quote" if self.quoted else "paragraph", text)


_SPACE_RUNS = re.compile(r"[ \t]{2,}")


def _lined(node: LexborNode) -> str:
    """Text of a node with a line break where the page breaks the line."""
    if node.css_first("br") is None:
        return node.text()
    parts: list[str] = []
    for child in node.traverse(include_text=True):
        if child.tag == "br":
            parts.append("\n")
        elif child.tag == "-text":
            parts.append(child.text_content or "")
    return "".join(parts)


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
