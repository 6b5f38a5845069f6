"""Which part of a web page is its content: what is hidden or only leads elsewhere is taken out."""

import re

from selectolax.lexbor import LexborNode

_INVISIBLE = (
    "script,style,noscript,template,svg,canvas,iframe,object,embed,head,link,meta,title,"
    "button,select,input,textarea,[hidden]"
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_NAVIGATION = "nav," + ",".join(
    f'[role="{role}"]'
    for role in (
        *("navigation", "banner", "contentinfo", "search", "menu", "menubar", "tablist", "dialog"),
        *("doc-toc", "complementary"),
    )
)
_NAMES = re.compile(
    r"(?:^|[-_\s])(?:nav|navbar|navigation|menu|menubar|sidebar|breadcrumbs?|footer|foot|pagination|pager|skip|"
    r"skiptocontent|cookie|cookies|share|social|toc|table-of-contents|related|advert|ads|banner|copyright)"
    r"(?:$|[-_\s])|skipToContent|tableOfContents|menuNav|topNav|leftNav|navMenu",
    re.IGNORECASE,
)
_GUTTERS = ",".join(f".{name}" for name in ("linenos", "lineno", "gutter", "line-numbers", "rouge-gutter"))
_DIGITS_AND_SPACES = dict.fromkeys(map(ord, "0123456789 \t\r\n\u00a0"))
_SPACES = " \t\r\n\f\u00a0\u3000\u200b"


def visible_length(node: LexborNode) -> int:
    """Characters of a node that are not white space, counted without a copy of the text."""
    text = node.text()
    return len(text) - sum(map(text.count, _SPACES))


def _link_share(node: LexborNode) -> float:
    total = visible_length(node)
    return sum(visible_length(a) for a in node.css("a")) / total if total else 1.0


def drop_invisible(body: LexborNode) -> None:
    """Remove scripts, styles, controls and what the page itself hides."""
    for node in body.css(_INVISIBLE):
        node.decompose()
    for node in body.css("[style]"):
        if _HIDDEN_STYLE.search(node.attributes.get("style") or ""):
            node.decompose()


def main_content(body: LexborNode) -> LexborNode:
    """The element that holds the content; the body where the page does not say or says it badly."""
    whole = visible_length(body)
    for selector in ("main", '[role="main"]', "article"):
        candidates = body.css(selector)
        if len(candidates) == 1 and visible_length(candidates[0]) >= max(50, 0.25 * whole):
            return candidates[0]
    return body


def drop_navigation(main: LexborNode) -> int:
    """Remove navigation in place and return how many parts were removed.

    Elements that declare themselves (nav, roles) go at once; those that only have a telling class or id,
    and header, footer and aside, go when they are mostly links or small beside the rest.
    """
    whole = max(1, visible_length(main))
    removed = 0
    for node in main.css(_NAVIGATION):
        if visible_length(node) < 0.5 * whole:
            node.decompose()
            removed += 1
    for node in main.css("header,footer,aside,div,ul,section,p,td,a"):
        if node.parent is None:
            continue
        tag = node.tag or ""
        names = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
        declared = tag in ("footer", "aside") or (tag == "header" and node.css_first("h1,h2") is None)
        if not declared and not _NAMES.search(names):
            continue
        size = visible_length(node)
        if size >= 0.4 * whole or node.css_first("main,article,h1") is not None:
            continue
        if (declared and tag != "header") or _link_share(node) > 0.5 or size == 0:
            node.decompose()
            removed += 1
    return removed


def drop_marks(main: LexborNode) -> int:
    """Remove what tools add to the text: the sign that links to a heading, the numbers of lines of code."""
    removed = 0
    for link in main.css("h1 a,h2 a,h3 a,h4 a,h5 a,h6 a"):
        text = link.text().strip(_SPACES)
        address = link.attributes.get("href") or ""
        if text and "#" in address and not any(char.isalnum() for char in text):
            link.decompose()
            removed += 1
    for gutter in main.css(_GUTTERS):
        text = gutter.text().strip(_SPACES)
        if text and not text.translate(_DIGITS_AND_SPACES):
            gutter.decompose()
            removed += 1
    return removed
