"""Web addresses: one spelling for each page, and which of them belong to a source.

Two spellings of one page would be two documents, so fragments, default ports, dots, the order of parameters
and the parameters of trackers and sessions are taken away before anything is compared.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal
from urllib.parse import quote, unquote, urljoin, urlsplit

import httpx

MAX_ADDRESS_CHARS = 2_000
MAX_REPEATS = 3
_TRACKING = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|_hsenc|_hsmi|spm|scm"
    r"|phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id",
    re.IGNORECASE,
)
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/?]*", re.IGNORECASE)
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)


def normalised(address: str, base: str | None = None) -> str | None:
    """The one spelling of an address (relative to `base`); None for what is no page of the web.

    Addresses with credentials, other schemes, or more than 2,000 characters are none.
    """
    address = re.sub(r"[\t\r\n]", "", address).strip()
    if not address or len(address) > 2 * MAX_ADDRESS_CHARS:
        return None
    try:
        joined = urljoin(base, address) if base else address
        url = httpx.URL(joined)
        if url.scheme not in ("http", "https") or not url.host or url.userinfo:
            return None
        path = _one_spelling(_SESSION_IN_PATH.sub("", urlsplit(str(url)).path)) or "/"
        query = _query(url.query.decode("ascii", "replace"))
        host = url.raw_host.decode("ascii").rstrip(".")
    except (httpx.InvalidURL, ValueError):
        return None
    if ":" in host:
        host = f"[{host}]"
    port = "" if url.port in (None, 443 if url.scheme == "https" else 80) else f":{url.port}"
    found = f"{url.scheme}://{host}{port}{path}{query}"
    return found if len(found) <= MAX_ADDRESS_CHARS else None


def _one_spelling(path: str) -> str:
    """Escapes of plain characters undone, others in capitals (RFC 3986, 6.2.2); dots resolved."""

    def plain(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if character in _UNRESERVED else match[0].upper()

    kept: list[str] = []
    segments = _ESCAPE.sub(plain, path).split("/")
    for number, segment in enumerate(segments):
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
        if segment in (".", "..") and number == len(segments) - 1:
            kept.append("")
    return quote("/".join(kept), safe="/%:@!$&'()*+,;=~-._")


def _query(query: str) -> str:
    if not query:
        return ""
    kept = [part for part in query.split("&") if part and not _TRACKING.fullmatch(part.partition("=")[0])]
    return "?" + "&".join(sorted(kept)) if kept else ""


def is_same_page(one: str, other: str) -> bool:
    """Whether two addresses differ only in parameters, a closing slash or the name of an index page."""

    def core(address: str) -> tuple[str, str]:
        parts = urlsplit(address)
        return parts.netloc, _INDEX.sub("/", parts.path).rstrip("/")

    return core(one) == core(other)


def is_trap(address: str) -> bool:
    """Whether a path repeats a part more often than people do: links that grow with every page."""
    segments = [segment for segment in urlsplit(address).path.split("/") if segment]
    return any(segments.count(segment) > MAX_REPEATS for segment in set(segments)) or len(segments) > 40


def path_name(address: str) -> str:
    """The last part of the path as people write it, or the host."""
    parts = urlsplit(address)
    name = unquote(parts.path.rstrip("/").rsplit("/", 1)[-1])
    return name or parts.netloc


@dataclass(frozen=True, slots=True)
class Territory:
    """Which addresses belong to a source: those of the start page's host (either scheme), below its folder
    where `scope` is `path`, that fit an `include` pattern if there are any, and no `exclude` pattern.

    Patterns know `*` and `?`; one that begins with a slash is compared with path and query, any other with
    the whole address. A start such as `/docs`, without slash or ending, means the folder of that name, unless
    it is known to be a page (`start_is_page`, see `settled`).
    """

    start: str
    scope: Literal["path", "host"] = "path"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    start_is_page: bool = False

    def holds(self, address: str) -> bool:
        if address == self.start:
            return True
        if not self.is_near(address):
            return False
        fits = [pattern for pattern in self.include if _fits(pattern, address)]
        if self.include and not fits:
            return False
        return not any(_fits(pattern, address) for pattern in self.exclude)

    def settled(self, links: Iterable[str]) -> "Territory":
        """Whether `/docs/intro` is a folder or a page of `/docs/` shows in where its links lead."""
        below = self.start.rstrip("/") + "/"
        is_folder = any(link.startswith(below) for link in links)
        return self if is_folder else replace(self, start_is_page=True)

    def is_near(self, address: str) -> bool:
        """Whether host and path are right, whatever the patterns say."""
        start, parts = urlsplit(self.start), urlsplit(address)
        if parts.netloc != start.netloc:
            return False
        if self.scope == "host":
            return True
        folder = start.path[: start.path.rfind("/") + 1]
        last = start.path[len(folder) :]
        if last and "." not in last and not self.start_is_page:
            return parts.path == start.path or parts.path.startswith(start.path + "/")
        return parts.path.startswith(folder)


def _fits(pattern: str, address: str) -> bool:
    if pattern.startswith("/"):
        parts = urlsplit(address)
        address = parts.path + (f"?{parts.query}" if parts.query else "")
    return fnmatchcase(address, pattern)
