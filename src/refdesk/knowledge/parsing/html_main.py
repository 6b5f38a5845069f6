"""What of a web page is not its content: what is hidden or only leads elsewhere is taken out.

Whatever is taken out of the visible text is handed to the caller, who counts it. Which element holds the
content is told by `html_content`.
"""

import re

from selectolax.lexbor import LexborNode

_INVISIBLE = (
    "script,style,noscript,template,svg,canvas,iframe,object,embed,head,link,meta,title,"
    "button,select,input,textarea,[hidden]"
)
_BUTTONS_OF_TEXT = ",".join(f"{tag} button" for tag in ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"))
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_ROLES = (
    *("navigation", "banner", "contentinfo", "search", "menu", "menubar", "tablist", "dialog"),
    *("doc-toc", "complementary"),
)
_NAVIGATION = "nav," + ",".join(f'[role="{role}"]' for role in _ROLES)
_NAMES = re.compile(
    r"(?:^|[-_\s])(?:nav|navbar|navigation|menu|menubar|sidebar|breadcrumbs?|footer|foot|pagination|pager|skip|"
    r"skiptocontent|cookie|cookies|share|social|toc|table-of-contents|related|advert|ads|banner|copyright)"
    r"(?:$|[-_\s])|skipToContent|tableOfContents|menuNav|topNav|leftNav|navMenu",
    re.IGNORECASE,
)
_GUTTERS = ",".join(f".{name}" for name in ("linenos", "lineno", "gutter", "line-numbers", "rouge-gutter"))
_NOTES = re.compile(
    r"(?:^|[-_\s])(?:note|notes|tip|tips|hint|info|important|warning|caution|danger|attention|alert|notice|"
    r"admonition|callout|example|definition|footnotes?)(?:$|[-_\s])",
    re.IGNORECASE,
)
_CONTACTS = 'address,a[href^="mailto:"],a[href^="tel:"]'
_CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.\w|\+?\d[\d\s()/-]{6,}\d")
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
    for control in body.css(_BUTTONS_OF_TEXT):
        control.unwrap()  # a heading that opens and closes what is below it is a heading
    for node in body.css(_INVISIBLE):
        node.decompose()
    for node in body.css("[style]"):
        if _HIDDEN_STYLE.search(node.attributes.get("style") or ""):
            node.decompose()


def drop_navigation(main: LexborNode, left_out: list[str] | None = None) -> int:
    """Remove navigation in place and return how many parts were removed; their texts go into `left_out`.

    Elements that declare themselves (nav, roles) go at once; those that only have a telling class or id,
    and header, footer and aside, go when they are mostly links or small beside the rest. Notes and warnings,
    asides of prose inside an article and footers that tell how to reach somebody stay.
    """
    whole = max(1, visible_length(main))
    removed = 0
    for node in main.css(_NAVIGATION):
        if visible_length(node) < 0.5 * whole and not _is_note(node):
            removed += _drop(node, left_out)
    for node in main.css("header,footer,aside,div,ul,section,p,td,a"):
        if node.parent is None:
            continue
        tag = node.tag or ""
        declared = tag in ("footer", "aside") or (tag == "header" and node.css_first("h1,h2") is None)
        if not declared and not _NAMES.search(_names(node)):
            continue
        size = visible_length(node)
        if size >= 0.4 * whole or node.css_first("main,article,h1") is not None or _is_note(node):
            continue
        if tag in ("footer", "aside") and _belongs_to_article(node):
            continue
        if (declared and tag != "header") or _link_share(node) > 0.5 or size == 0:
            removed += _drop(node, left_out)
    return removed


def is_beside_the_content(node: LexborNode) -> bool:
    """Whether an element outside the main part is navigation or a frame of the page, by what it says."""
    if _is_note(node):
        return False
    if node.tag in ("nav", "header", "footer", "aside", "menu") or node.attributes.get("role") in _ROLES:
        return True
    return node.tag != "body" and _NAMES.search(_names(node)) is not None


def _drop(node: LexborNode, left_out: list[str] | None) -> int:
    if left_out is not None:
        left_out.append(node.text(separator=" "))
    node.decompose()
    return 1


def _names(node: LexborNode) -> str:
    return f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"


def _is_note(node: LexborNode) -> bool:
    """A box that is part of the text, such as a warning, whatever element it is made of."""
    names = _names(node)
    if node.tag in ("nav", "header", "footer") or _NAMES.search(names):
        return False  # a cookie notice is no note
    return _NOTES.search(names) is not None


def _belongs_to_article(node: LexborNode) -> bool:
    """Whether an aside or footer is text of the article or main part around it."""
    if not _has_ancestor(node, ("article", "main")):
        return False
    if node.tag == "footer":
        return node.css_first(_CONTACTS) is not None or _CONTACT.search(node.text()) is not None
    return not _NAMES.search(_names(node)) and _link_share(node) <= 0.5


def _has_ancestor(node: LexborNode, tags: tuple[str, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False


def drop_marks(main: LexborNode, left_out: list[str]) -> int:
    """Remove what tools add to the text: the sign that links to a heading, the numbers of lines of code."""
    removed = 0
    for link in main.css("h1 a,h2 a,h3 a,h4 a,h5 a,h6 a"):
        text = link.text().strip(_SPACES)
        address = link.attributes.get("href") or ""
        if text and "#" in address and not any(char.isalnum() for char in text):
            removed += _drop(link, left_out)
    for gutter in main.css(_GUTTERS):
        text = gutter.text().strip(_SPACES)
        if text and not text.translate(_DIGITS_AND_SPACES):
            removed += _drop(gutter, left_out)
    return removed
