"""Which element of a web page holds its content, and what stands outside of it.

Pages say so badly: a lone `article` may be a teaser beside two chapters. An element is believed only where
nothing of substance stands outside; else the whole body is read, as too much text is found and too little is
not. Changes nothing in the tree but `show_alternatives`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from selectolax.lexbor import LexborNode

from refdesk.knowledge.parsing.html_main import is_beside_the_content, visible_length

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CLEAR_MAJORITY = 0.8
# A paragraph of fewer characters below a heading is a slogan.
_PARAGRAPH = 20
_PICTURE_NAME = re.compile(r"^\S+\.(?:png|jpe?g|gif|webp|svg|bmp|avif|ico)$", re.IGNORECASE)


@dataclass(slots=True)
class _Outside:
    """What stands outside an element and is no navigation: characters that are no links, and of what kind."""

    chars: int = 0
    has_title: bool = False
    has_heading: bool = False
    has_chapter: bool = False


def main_content(body: LexborNode) -> LexborNode:
    """The element that holds the content; the body where the page does not say or says it badly."""
    for selector in ("main", '[role="main"]', "article"):
        candidates = body.css(selector)
        if not candidates:
            continue
        chosen = _around(candidates, body)
        size = visible_length(chosen)
        if chosen.mem_id == body.mem_id or size < 50:
            return body
        outside = _outside(chosen, body)
        if outside.has_title and chosen.css_first("h1") is None:
            return body
        share = size / (size + outside.chars)
        if share >= _CLEAR_MAJORITY or (share >= 0.5 and not outside.has_chapter):
            return chosen
        return body
    return body


def texts_outside(main: LexborNode, body: LexborNode) -> list[str]:
    """The visible texts of the body that are not in `main`."""
    texts = (node.text(separator=" ") for node in _beside(main, body) if not (node.tag or "").startswith("!"))
    return [text for text in texts if text.strip()]


def show_alternatives(body: LexborNode) -> None:
    """Set the alternative text of each picture before it, but for names of files and what a caption says."""
    for picture in body.css("img[alt]"):
        text = " ".join((picture.attributes.get("alt") or "").split())
        if text and not _PICTURE_NAME.match(text) and not _is_captioned(picture, text):
            picture.insert_before(f" {text} ")


def _is_captioned(picture: LexborNode, text: str) -> bool:
    node = picture.parent
    for _ in range(4):
        if node is None or node.tag == "body":
            return False
        if node.tag == "figure":
            return text in " ".join(node.text().split())
        node = node.parent
    return False


def _around(nodes: list[LexborNode], body: LexborNode) -> LexborNode:
    """The innermost element that holds all of them."""
    chain = list(_upwards(nodes[0], body))
    place = {node.mem_id: n for n, node in enumerate(chain)}
    # The first of the chain that is met on the way up from each: neighbours meet it at once.
    return chain[max(next(place[up.mem_id] for up in _upwards(n, body) if up.mem_id in place) for n in nodes)]


def _upwards(node: LexborNode, body: LexborNode) -> Iterator[LexborNode]:
    """The node and all that are around it, up to the body."""
    current: LexborNode | None = node
    while current is not None and current.mem_id != body.mem_id:
        yield current
        current = current.parent
    yield body


def _beside(main: LexborNode, body: LexborNode) -> Iterator[LexborNode]:
    """The largest parts of the body that do not hold `main`, in order from level to level."""
    path = list(_upwards(main, body))
    for inner, outer in pairwise(path):
        child = outer.child
        while child is not None:
            if child.mem_id != inner.mem_id:
                yield child
            child = child.next


def _outside(main: LexborNode, body: LexborNode) -> _Outside:
    found = _Outside()
    waiting = list(_beside(main, body))[::-1]
    while waiting:
        node = waiting.pop()
        tag = node.tag or ""
        if tag == "-text":
            size = len("".join((node.text_content or "").split()))
            found.chars += size
            found.has_chapter |= found.has_heading and size >= _PARAGRAPH
            continue
        if tag == "a" or tag.startswith(("-", "!")) or is_beside_the_content(node):
            continue
        if tag in _HEADINGS:
            size = visible_length(node)
            found.has_title |= tag == "h1" and size > 0
            found.has_heading |= size > 0
            found.chars += size
            continue
        children: list[LexborNode] = []
        child = node.child
        while child is not None:
            children.append(child)
            child = child.next
        waiting.extend(reversed(children))
    return found
