"""Pages nested deeper than any person nests, made flat before they are read.

A reader of HTML goes through all open elements for most tags, so that 100,000 of them inside one another take
minutes (a page of 1 MB: 250 s), whatever the page says. Browsers stop nesting at 512 and set deeper elements
side by side; here the tags of deeper elements are taken out, and all text stays. Counting must be cheap: what
cannot be deep by the number of its tags is not looked at any closer.
"""

import re
from collections import Counter
from collections.abc import Callable

from selectolax.lexbor import LexborHTMLParser

MAX_DEPTH = 500
_WINDOW = 4096
_VOID = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input"),
        *("link", "meta", "param", "source", "track", "wbr"),
    )
)
# Another one of these, or the end of what they are in, closes them: they do not nest by themselves.
_CLOSED_BY_OTHERS = frozenset(
    (
        *("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot"),
        *("option", "optgroup", "rp", "rt", "colgroup", "caption", "a"),
    )
)
_HELD = "|".join(sorted(_CLOSED_BY_OTHERS))
_BEGINNING = re.compile(rf"<(?:!|(?:{'|'.join(sorted(_VOID))}|{_HELD})[\s/>])", re.IGNORECASE)
_END = re.compile(rf"</(?:{_HELD})[\s>]", re.IGNORECASE)
_RAW = frozenset(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"])
_TAG = re.compile(r"<(?:!--|(/?)([a-zA-Z][^\s/<>]*))")


def html_tree(source: str) -> tuple[LexborHTMLParser, int]:
    """The tree of a page, and how many tags beyond `MAX_DEPTH` were taken out of it first."""
    source, removed = flattened(source)
    return LexborHTMLParser(source), removed


def flattened(source: str) -> tuple[str, int]:
    """The page without the tags of elements that are deeper than `MAX_DEPTH`, and how many these are."""
    if not _may_be_deep(source):
        return source, 0
    cuts = _too_deep(source)
    if not cuts:
        return source, 0
    kept: list[str] = []
    at = 0
    for start, end in cuts:
        kept.append(source[at:start])
        at = end
    kept.append(source[at:])
    # A space for each tag: words on both sides of a block are two words.
    return " ".join(kept), len(cuts)


def _may_be_deep(source: str) -> bool:
    """Whether there may be so many open tags anywhere: never False where there are, and mostly where not."""
    return (
        source.count("<") >= MAX_DEPTH
        and _reaches(source, _opened)
        # 50 MB take 0.2 s so far; pages full of `<br>` and open `<p>` are told apart by a closer look.
        and _reaches(source, _opened_for_long)
    )


def _reaches(source: str, count: Callable[[str], tuple[int, int]]) -> bool:
    depth = at = 0
    while 0 <= at < len(source):
        end = source.find("<", at + _WINDOW)  # no tag is cut in two
        begins, ends = count(source[at:] if end < 0 else source[at:end])
        if depth + begins > MAX_DEPTH:
            return True
        depth = max(0, depth + begins - ends)
        at = end
    return False


def _opened(window: str) -> tuple[int, int]:
    ends = window.count("</")
    return window.count("<") - ends, ends


def _opened_for_long(window: str) -> tuple[int, int]:
    """The same without tags that hold nothing, or that others close."""
    begins, ends = _opened(window)
    return begins - len(_BEGINNING.findall(window)), ends - len(_END.findall(window))


def _too_deep(source: str) -> list[tuple[int, int]]:
    """Spans of the tags, beginnings and ends, of elements that are too deep, in order."""
    cuts: list[tuple[int, int]] = []
    open_tags: list[str] = []
    names: Counter[str] = Counter()
    at = 0
    while tag := _TAG.search(source, at):
        at = tag.end()
        if tag[2] is None:
            end = source.find("-->", at)
            if end < 0:
                break
            at = end + 3
            continue
        name = tag[2].lower()
        if name in _VOID or name in _CLOSED_BY_OTHERS:
            continue
        close = _end_of_tag(source, at)
        if tag[1]:
            if not names[name]:
                continue
            deep = len(open_tags) > MAX_DEPTH
            while (popped := open_tags.pop()) != name:
                names[popped] -= 1
            names[name] -= 1
            if deep and len(open_tags) >= MAX_DEPTH:
                cuts.append((tag.start(), close))
        elif name in _RAW:
            end = re.compile(f"</{name}", re.IGNORECASE).search(source, at)
            if end is None:
                break
            at = end.end()
        else:
            open_tags.append(name)
            names[name] += 1
            if len(open_tags) > MAX_DEPTH:
                cuts.append((tag.start(), close))
    return cuts


def _end_of_tag(source: str, at: int) -> int:
    """Behind the next `>`, or before the next `<`: what a tag cannot hold."""
    while at < len(source):
        if source[at] == ">":
            return at + 1
        if source[at] == "<":
            return at
        at += 1
    return at
