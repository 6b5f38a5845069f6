"""What a crawl needs to know of a web page: its links, what it says to robots, its own address, its content.

The content that is kept is the page itself, or with a selector the elements it fits, under the page's own
head. Whether a page has changed is told by its main content: words and structure count, attributes, scripts
and navigation do not, so that a token that differs with every answer makes no new version.
"""

import hashlib
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from refdesk.kit.errors import AppError
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.html_content import main_content
from refdesk.knowledge.parsing.html_depth import flattened
from refdesk.knowledge.parsing.html_main import drop_invisible, drop_navigation
from refdesk.knowledge.sources.addresses import normalised
from refdesk.knowledge.sources.errors import PageNotWanted, PageWithoutText, SelectorInvalid

MAX_LINKS = 5_000
_META_CHARSET = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_REFRESH = re.compile(r"^\s*\d*\.?\d*\s*;?\s*url\s*=\s*['\"]?(.+?)['\"]?\s*$", re.IGNORECASE)
_BEGINS_LIKE_HTML = re.compile(r"\s*<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])", re.IGNORECASE)
_SKIPPED_TAGS = frozenset(("-comment", "script", "style", "noscript", "template"))


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page, read. `content` is what is stored (UTF-8); `digest` is of its words and structure.

    Where `problem` is set there is nothing to import; its links lead on all the same.
    """

    title: str
    links: tuple[str, ...]
    canonical: str | None
    noindex: bool
    nofollow: bool
    content: bytes
    digest: bytes
    problem: AppError | None = None


def check_selector(selector: str) -> None:
    """Raise `SelectorInvalid` for a selector that cannot be read."""
    try:
        LexborHTMLParser("<p></p>").css(selector)
    except (SelectolaxError, ValueError) as error:
        raise SelectorInvalid(reason=str(error)[:200]) from None


def read_page(
    body: bytes, address: str, headers: Mapping[str, str], charset: str | None, selector: str | None
) -> WebPage:
    """Read a page, whatever state it is in."""
    declared = _META_CHARSET.search(body[:8192])
    # Flat enough to be read in time, since this runs beside everything else that the worker does.
    text, _ = flattened(decode(body, charset or (declared[1].decode("ascii") if declared else None)).text)
    tree = LexborHTMLParser(text)
    base = _base(tree, address)
    noindex, nofollow = _robots(tree, headers)
    links = () if nofollow else tuple(dict.fromkeys(_links(tree, base)))[:MAX_LINKS]
    title = _title(tree)
    canonical = _canonical(tree, headers, base)
    page = partial(WebPage, title, links, canonical, noindex, nofollow)
    if noindex:
        return page(b"", b"", PageNotWanted("The page asks not to be indexed (noindex)."))
    try:
        kept = _selected(tree, selector) if selector else _whole(text)
        digest = _digest(kept, title, is_selected=bool(selector))
    except PageWithoutText as problem:
        return page(b"", b"", problem)
    return page(kept.encode("utf-8", "replace"), digest)


def _base(tree: LexborHTMLParser, address: str) -> str:
    node = tree.css_first("base[href]")
    found = None if node is None else normalised(node.attributes.get("href") or "", address)
    return found or address


def _title(tree: LexborHTMLParser) -> str:
    """The title, the first heading where there is none, or nothing."""
    for selector in ("title", "h1"):
        node = tree.css_first(selector)
        text = "" if node is None else _SPACE.sub(" ", node.text()).strip()
        if text:
            return text[:300]
    return ""


def _robots(tree: LexborHTMLParser, headers: Mapping[str, str]) -> tuple[bool, bool]:
    """Whether the page asks not to be imported, and its links not to be followed."""
    words = _header_directives(headers.get("x-robots-tag", ""))
    for node in tree.css("meta[name]"):
        if (node.attributes.get("name") or "").strip().lower() in ("robots", "refdesk"):
            words |= set(re.split(r"[\s,]+", (node.attributes.get("content") or "").lower()))
    return bool(words & {"noindex", "none"}), bool(words & {"nofollow", "none"})


def _header_directives(value: str) -> set[str]:
    """Directives of `X-Robots-Tag` for all robots or for this one; `otherbot: noindex` is not for us."""
    words: set[str] = set()
    mine = True
    for part in value.lower().split(","):
        name, colon, rest = part.partition(":")
        if colon and name.strip() not in ("unavailable_after", "max-snippet", "max-image-preview"):
            mine = name.strip() in ("refdesk", "*")
            part = rest
        if mine:
            words.add(part.strip())
    return words


def _links(tree: LexborHTMLParser, base: str) -> Iterator[str]:
    resolve = partial(normalised, base=base)
    for node in tree.css("a[href],area[href],link[rel][href],iframe[src],frame[src]"):
        relations = (node.attributes.get("rel") or "").lower().split()
        if "nofollow" in relations:
            continue
        if node.tag == "link" and not {"next", "prev"} & set(relations):
            continue
        target = resolve(node.attributes.get("href") or node.attributes.get("src") or "")
        if target:
            yield target
    for node in tree.css('meta[http-equiv="refresh" i][content]'):
        match = _REFRESH.match(node.attributes.get("content") or "")
        target = resolve(match[1]) if match else None
        if target:
            yield target


def _canonical(tree: LexborHTMLParser, headers: Mapping[str, str], base: str) -> str | None:
    for node in tree.css("link[rel][href]"):
        if "canonical" in (node.attributes.get("rel") or "").lower().split():
            return normalised(node.attributes.get("href") or "", base)
    match = re.search(r'<([^>]{1,2000})>\s*;[^,]*?rel="?canonical"?', headers.get("link", ""), re.IGNORECASE)
    return normalised(match[1], base) if match else None


def _whole(text: str) -> str:
    # A parser goes by the beginning of a file: a page that begins with its first heading must be known too.
    return text if _BEGINS_LIKE_HTML.match(text[:2048]) else "<!doctype html>\n" + text


def _selected(tree: LexborHTMLParser, selector: str) -> str:
    """A page of the elements that the selector fits, outermost only, under the page's head."""
    chosen: list[LexborNode] = []
    for node in tree.css(selector):
        if not any(_is_inside(node, outer) for outer in chosen):
            chosen.append(node)
    if not chosen:
        raise PageWithoutText("The selector fits nothing on this page.", selector=selector)
    head = "" if tree.head is None else tree.head.html or ""
    root = tree.css_first("html")
    language = html.escape((root.attributes.get("lang") or "") if root is not None else "")
    body = "\n".join(node.html or "" for node in chosen)
    return f'<!doctype html>\n<html lang="{language}">{head}<body><main>{body}</main></body></html>'


def _is_inside(node: LexborNode, outer: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent == outer:
            return True
        parent = parent.parent
    return False


def _digest(kept: str, title: str, *, is_selected: bool) -> bytes:
    """Digest of title, words and the kinds of elements. Raises `PageWithoutText`."""
    body = LexborHTMLParser(kept).body
    if body is None:
        raise PageWithoutText
    drop_invisible(body)
    main = body if is_selected else main_content(body)
    if not is_selected:
        drop_navigation(main)
    digest = hashlib.sha256(title.encode("utf-8", "replace"))
    has_text = False
    for node in main.traverse(include_text=True):
        tag = node.tag or ""
        if tag in _SKIPPED_TAGS:
            continue
        if tag == "-text":
            words = _SPACE.sub(" ", node.text_content or "").strip()
            if not words:
                continue
            has_text = True
            digest.update(words.encode("utf-8", "replace"))
        digest.update(b"\0" + tag.encode("utf-8", "replace") + b"\0")
    if not has_text:
        raise PageWithoutText
    return digest.digest()
