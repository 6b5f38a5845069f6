"""Addresses from a site's sitemaps (sitemaps.org): XML, lists of sitemaps, plain text, packed or not."""

import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO

import structlog

from refdesk.kit.errors import AppError
from refdesk.knowledge.parsing.xml_tree import XMLSyntaxError, etree, local_name
from refdesk.knowledge.sources.addresses import normalised
from refdesk.knowledge.sources.fetching import Fetcher

log = structlog.get_logger(__name__)

MAX_SITEMAPS = 50
MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # the limit of the protocol, unpacked
MAX_ADDRESSES = 50_000


async def sitemap_addresses(fetcher: Fetcher, starts: Iterable[str], most: int = MAX_ADDRESSES) -> list[str]:
    """Addresses of pages in the sitemaps and in those they name; what cannot be read is passed over."""
    waiting = list(dict.fromkeys(starts))
    seen: set[str] = set()
    found: dict[str, None] = {}
    while waiting and len(seen) < MAX_SITEMAPS and len(found) < most:
        address = waiting.pop(0)
        if address in seen:
            continue
        seen.add(address)
        try:
            answer = await fetcher.fetch(address, max_bytes=MAX_SITEMAP_BYTES)
        except AppError as error:
            log.info("sitemap.unreadable", address=address, code=error.code)
            continue
        if answer.status != 200:
            continue
        for is_sitemap, location in locations(answer.body):
            target = normalised(location, answer.address)
            if target is None:
                continue
            if is_sitemap:
                waiting.append(target)
            elif len(found) < most:
                found[target] = None
    return list(found)


def locations(data: bytes) -> Iterator[tuple[bool, str]]:
    """Whether it is a sitemap, and its address, of each entry. Damaged files give what stands before."""
    if data[:2] == b"\x1f\x8b":
        data = _gunzip(data)
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        for line in data.decode("utf-8-sig", "replace").splitlines():
            if line.strip().startswith(("http://", "https://")):
                yield False, line.strip()
        return
    try:
        # No entities and no network: the file is from strangers. `huge_tree` stays off.
        for _, element in etree.iterparse(
            BytesIO(data),
            events=("end",),
            tag="{*}loc",
            resolve_entities=False,
            no_network=True,
            recover=True,
        ):
            parent = element.getparent()
            name = "" if parent is None else local_name(parent)
            text = str(element.text or "").strip()
            if text and name in ("sitemap", "url"):
                yield name == "sitemap", text
            if parent is not None:
                parent.clear()
    except XMLSyntaxError:
        return


def _gunzip(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(data, MAX_SITEMAP_BYTES)
    except zlib.error:
        return b""
