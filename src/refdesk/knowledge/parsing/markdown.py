"""Markdown → blocks by one pass over the lines.

A scanner of our own: it is linear, keeps the source text of each block, and takes fences at any indentation
(documentation tools indent them inside admonitions), where CommonMark libraries would report paragraphs.
Inline marks stay in the text; what is code, table or front matter never becomes a heading.
"""

import re
from itertools import pairwise
from typing import Any

from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.blocks import BlockKind, BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.embedded_pictures import addresses_in_markdown, show_picture
from refdesk.knowledge.parsing.front_matter import take_front_matter
from refdesk.knowledge.parsing.html import html_blocks
from refdesk.knowledge.parsing.plain import read_text

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t\u3000]+|$)")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_RULE = re.compile(r"^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"^([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_QUOTE = re.compile(r"^ {0,3}> ?")
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_TAGS = (
    r"(?:address|article|aside|blockquote|center|dd|details|dir|div|dl|dt|fieldset|figcaption|figure|footer|form"
    r"|h[1-6]|header|hr|iframe|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)"
)
_HTML = re.compile(rf"^ {{0,3}}</?{_TAGS}(?:[\s/>]|$)", re.IGNORECASE)
_TAG = re.compile(rf"</?{_TAGS}(?:\s[^<>]*)?/?>", re.IGNORECASE)
# What a line must begin with to be anything but a paragraph; an empty one does, too.
_MARK_CHARS = frozenset(["", *"#`~-*+_=|:<>0123456789"])
_BULLETS = frozenset(("- ", "* "))
_DEEPEST = 6
_MAY_BE_MARKS = frozenset("`~-*+_=|:0123456789")  # what lines of marks alone begin with
_ATTRIBUTES = re.compile(r"[ \t]*\{[ \t]*[#.][^{}]*\}[ \t]*$")
_SIGNS = re.compile(r"(?m)^(?:#{1,6} \S|```|\* \S|- \S|\|.+\|[ \t]*$|> \S)")


class Markdown:
    """Markdown by name, as any text may be Markdown."""

    kind = "markdown"
    suffixes = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")

    def supports(self, name: str, head: bytes) -> bool:
        """Text whose name ends in a Markdown suffix."""
        return name.lower().endswith(self.suffixes) and not looks_binary(head)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Blocks in order; front matter goes to `meta` and into one `front_matter` block."""
        found = BlockList()
        decoded = read_text(data, found)
        meta: dict[str, Any] = {"encoding": decoded.encoding}
        front, body = take_front_matter(decoded.text)
        if front is not None:
            meta |= front.meta
            found.add("front_matter", front.text)
        shown = markdown_blocks(body, found)
        if "title" not in meta:
            meta["title"] = next((b.text for b in found.blocks if b.kind == "heading"), None)
        source = [*front.text.split("\n"), *shown] if front else shown
        return finish(name, self.kind, found, meta, source, unmarked=without_marks)


def markdown_blocks(text: str, found: BlockList) -> list[str]:
    """Add the blocks of a piece of Markdown, such as a cell; gives its lines, comments left out."""
    shown = _drop_comments(text).split("\n")
    _Scanner(shown, found).run()
    return shown


def _drop_comments(text: str) -> str:
    """HTML comments are not shown; inside fences they are text."""
    if "<!--" not in text:
        return text
    parts = re.split(r"(?m)(^[ \t]*(?:```|~~~).*?^[ \t]*(?:```|~~~)[ \t]*$)", text, flags=re.DOTALL)
    return "".join(part if i % 2 else _without_comments(part) for i, part in enumerate(parts))


def _without_comments(text: str) -> str:
    """By hand: a regular expression looks for the end of each comment again where none has one."""
    parts: list[str] = []
    at = 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        parts.append(text[at:begin])
        at = end + 3
    return "".join([*parts, text[at:]])


def without_marks(text: str) -> str:
    """The independent reading: the source without the marks that only carry structure."""
    kept: list[str] = []
    for line in text.split("\n"):
        if line.lstrip()[:1] in _MAY_BE_MARKS:
            if _FENCE.match(line):
                continue  # an opening fence names a language, which is no text
            if _SETEXT.match(line) or _RULE.match(line) or _TABLE_RULE.match(line):
                continue
        kept.append((_TAG.sub("", line) if "<" in line else line).lstrip(" #>").rstrip(" #"))
    return "\n".join(kept)


class _Scanner:
    def __init__(self, lines: list[str], found: BlockList) -> None:
        self.lines = lines
        self.found = found
        self.i: int = 0
        self.list_indents: list[int] = []

    def run(self) -> None:
        lines, add, indents = self.lines, self.found.add, self.list_indents
        count = len(lines)
        i = 0
        while i < count:
            line = lines[i]
            if not line or line.isspace():
                i += 1
                continue
            first = line[0]
            if first not in _MARK_CHARS:
                if not first.isspace() and "<" not in line and (i + 1 == count or not lines[i + 1]):
                    # Most paragraphs are one line between blank ones: no rule below could apply to them.
                    indents.clear()
                    if "![" in line:
                        self._add("paragraph", line)
                    else:
                        add("paragraph", line)
                    i += 2
                    continue
                rules = _ANY_RULE
            elif line[:2] in _BULLETS and line[2:3].isalnum() and "|" not in line:
                following = lines[i + 1] if i + 1 < count else ""
                is_alone = not following or (following[:2] in _BULLETS and "|" not in following)
                if is_alone and "<" not in line and "![" not in line:
                    # Most items are a line of the outermost list, with another or nothing below.
                    indents[:] = (0,)
                    add("list_item", line, level=0)
                    i += 1
                    continue
                rules = _ITEM_RULE
            elif first == "#" and "|" not in line and line[-1] != "#":
                body = line.lstrip("#")
                level = len(line) - len(body)
                if level <= _DEEPEST and body[0] == " " and "#" not in body and "{" not in body:
                    indents.clear()
                    add("heading", body, level=level)
                    i += 1
                    continue
                rules = _RULES[first]
            else:
                rules = _RULES.get(first, _ANY_RULE)
            self.i = i
            for rule in rules:
                if rule(self, line):
                    break
            else:
                self._paragraph()
            i = self.i

    def fence(self, line: str) -> bool:
        opened = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if not opened:
            return False
        mark = opened[1]
        closing = re.compile(rf"^[ \t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
        end = self.i + 1
        while end < len(self.lines) and not closing.match(self.lines[end]):
            end += 1
        indent = len(line) - len(line.lstrip())
        body = [_outdent(text, indent) for text in self.lines[self.i + 1 : end]]
        self.found.add("code", "\n".join(body))
        self.i = end + 1
        return True

    def indented_code(self, line: str) -> bool:
        if self.list_indents or _indent(line) < 4:
            return False
        if _ITEM.match(line) and not self._preceded_by_blank():
            return False
        end = self.i
        while end < len(self.lines) and (_indent(self.lines[end]) >= 4 or not self.lines[end].strip()):
            if _FENCE.match(self.lines[end]):
                break
            end += 1
        body = [_outdent(text, 4) for text in self.lines[self.i : end]]
        # Chinese prose is often indented by four spaces or after an admonition: code has code's characters.
        kind = "code" if self._preceded_by_blank() and not _is_prose(body) else "paragraph"
        self.found.add(kind, "\n".join(body).rstrip())
        self.i = max(end, self.i + 1)
        return True

    def _preceded_by_blank(self) -> bool:
        return self.i == 0 or not self.lines[self.i - 1].strip()

    def heading(self, line: str) -> bool:
        atx = _ATX.match(line)
        if not atx:
            return False
        self.list_indents.clear()
        text = line[atx.end() :].rstrip(" \t")
        if text.endswith("#"):
            opened = text.rstrip("#")
            text = opened.rstrip(" \t") if not opened or opened[-1] in " \t" else text
        self.found.add("heading", _without_attributes(text), level=len(atx[1]))
        self.i += 1
        return True

    def rule(self, line: str) -> bool:
        if not _RULE.match(line):
            return False
        self.list_indents.clear()
        self.i += 1
        return True

    def table(self, line: str) -> bool:
        following = self.lines[self.i + 1] if self.i + 1 < len(self.lines) else ""
        if "|" not in line or "-" not in following or not _TABLE_RULE.match(following):
            return False
        if _cells(line) != _cells(following):
            return False
        end = self.i + 2
        while end < len(self.lines) and "|" in self.lines[end] and self.lines[end].strip():
            end += 1
        self.found.add("table", "\n".join(text.strip() for text in self.lines[self.i : end]))
        self.i = end
        return True

    def html(self, line: str) -> bool:
        if not _HTML.match(line):
            return False
        end = self.i
        while end < len(self.lines) and self.lines[end].strip() and not _FENCE.match(self.lines[end]):
            end += 1
        if "<table" in line.lower() or "<pre" in line.lower():
            tag = "</table>" if "<table" in line.lower() else "</pre>"
            while (
                end < len(self.lines) and tag not in "\n".join(self.lines[max(self.i, end - 1) : end]).lower()
            ):
                end += 1
        html_blocks("\n".join(self.lines[self.i : end]), self.found)
        self.i = end
        return True

    def quote(self, line: str) -> bool:
        if not _QUOTE.match(line):
            return False
        end = self.i
        while end < len(self.lines) and self.lines[end].strip():
            if end > self.i and not self.lines[end].lstrip().startswith(">") and self._starts_block(end):
                break
            end += 1
        body = [_QUOTE.sub("", text) for text in self.lines[self.i : end]]
        self._add("quote", "\n".join(body))
        self.i = end
        return True

    def item(self, line: str) -> bool:
        item = _ITEM.match(line)
        if not item:
            return False
        indent = _indent(line) if item[1] else 0
        while self.list_indents and indent < self.list_indents[-1]:
            self.list_indents.pop()
        if not self.list_indents or indent > self.list_indents[-1]:
            self.list_indents.append(indent)
        end, count = self.i + 1, len(self.lines)
        while end < count and self.lines[end].strip() and not self._starts_block(end):
            end += 1
        text = line if end == self.i + 1 else _running(self.lines[self.i : end])
        self._add("list_item", text, level=len(self.list_indents) - 1)
        self.i = end
        return True

    def _paragraph(self) -> None:
        if self.list_indents and _indent(self.lines[self.i]) == 0:
            self.list_indents.clear()
        end = self.i + 1
        while end < len(self.lines) and self.lines[end].strip():
            setext = _SETEXT.match(self.lines[end]) if self.lines[end].lstrip()[:1] in "=-" else None
            if setext:
                text = " ".join(part.strip() for part in self.lines[self.i : end])
                self.found.add("heading", _without_attributes(text), level=1 if setext[1][0] == "=" else 2)
                self.i = end + 1
                return
            if self._starts_block(end):
                break
            end += 1
        self._add("paragraph", _running(self.lines[self.i : end]))
        self.i = end

    def _add(self, kind: BlockKind, text: str, level: int | None = None) -> None:
        self.found.add(kind, text, level=level)
        if "![" in text or "<" in text:
            for address in addresses_in_markdown(text):
                show_picture(self.found, address)

    def _starts_block(self, i: int) -> bool:
        line = self.lines[i]
        following = self.lines[i + 1] if i + 1 < len(self.lines) else ""
        if "|" in line and "-" in following and _TABLE_RULE.match(following):
            return _cells(line) == _cells(following)
        if line[0] not in _MARK_CHARS and not line[0].isspace():
            return False
        first = line.lstrip()[:1]
        return bool(
            (first == "#" and _ATX.match(line))
            or (first in "`~-*+0123456789" and (_ITEM.match(line) or _FENCE.match(line) or _RULE.match(line)))
            or (first == "_" and _RULE.match(line))
            or (first == ">" and _indent(line) < 4)
            or (first == "<" and _HTML.match(line))
        )


# The rules a line can meet by its first character, in the order they are tried.
_ANY_RULE = (
    *(_Scanner.fence, _Scanner.indented_code, _Scanner.heading, _Scanner.rule, _Scanner.table),
    *(_Scanner.html, _Scanner.quote, _Scanner.item),
)
_ITEM_RULE = (_Scanner.item,)
_LIST_RULES = (_Scanner.fence, _Scanner.rule, _Scanner.table, _Scanner.item)
_RULES = {
    "#": (_Scanner.heading, _Scanner.table),
    **dict.fromkeys("-*+0123456789", _LIST_RULES),
}


def _without_attributes(heading: str) -> str:
    return _ATTRIBUTES.sub("", heading) if "{" in heading else heading


def _running(lines: list[str]) -> str:
    """Lines of one paragraph; a soft break inside Chinese text is no white space and goes."""
    if len(lines) == 1:
        return lines[0].strip()
    text = lines[0].strip()
    for above, line in pairwise(lines):
        soft = not above.endswith(("  ", "\\")) and min(text[-1:], line.strip()[:1]) >= "\u2e80"
        text += ("" if soft else "\n") + line.strip()
    return text


def _cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row.strip().strip("|"))) + 1


def _indent(line: str) -> int:
    """Columns of leading white space; a tab goes to the next multiple of four."""
    width = 0
    if line[:1] not in " \t":
        return 0
    for char in line:
        if char == " ":
            width += 1
        elif char == "\t":
            width += 4 - width % 4
        else:
            return width
    return 0


def _outdent(line: str, columns: int) -> str:
    width = 0
    for i, char in enumerate(line):
        if width >= columns or char not in " \t":
            return line[i:]
        width += 4 if char == "\t" else 1
    return ""


def _is_prose(lines: list[str]) -> bool:
    text = "".join(lines)
    return bool(re.search(r"[，。；！？]", text)) and not re.search(r"[{};=]|//|^\s*[#$]", text)
