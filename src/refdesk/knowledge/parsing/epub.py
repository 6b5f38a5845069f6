"""EPUB: the chapters in the order of the spine, titles from the contents where a chapter has none."""

import re
from collections.abc import Iterator
from functools import partial

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.container import Container, resolve, xml_root
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.embedded_pictures import path_beside, pictures_beside
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.errors import CorruptFile, EmptyFile, NoText, ProtectionUnsupported
from refdesk.knowledge.parsing.html import html_blocks, html_text, self_closed_opened
from refdesk.knowledge.parsing.html_depth import html_tree
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC, says_what_it_is
from refdesk.knowledge.parsing.xml_tree import Element, local_name

_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?[^>]*>", re.IGNORECASE)
_SVG_PICTURE = re.compile(
    r"<svg\b[^>]*>(?:(?!</?svg\b).)*?<image\b[^>]*?\bhref\s*=\s*[\"']([^\"'<>]+)[\"'](?:(?!</?svg\b).)*?</svg>",
    re.IGNORECASE | re.DOTALL,
)
_PROLOG = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']""")
# These only scramble fonts; anything else in the list of encrypted parts is a lock.
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_META = ("title", "creator", "language", "date", "publisher", "identifier", "description")


class Epub:
    """Electronic books, version 2 and 3."""

    kind = "epub"
    suffixes = (".epub",)

    def supports(self, name: str, head: bytes) -> bool:
        """A ZIP that says so in its first member, or one with the container part of a book."""
        if not head.startswith(ZIP_MAGIC):
            return False
        return (
            (says_what_it_is(head) and b"application/epub+zip" in head[:256])
            or b"\nMETA-INF/container.xml\n" in head
            or name.lower().endswith(".epub")
        )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Chapter after chapter; the page of contents itself is left out."""
        with Container(data, options) as container:
            _refuse_locked(container)
            root = _part(container, "META-INF/container.xml")
            node = next(root.iter("{*}rootfile"), None) if root is not None else None
            opf = node.get("full-path", "") if node is not None else ""
            package = _part(container, opf)
            if package is None:
                raise CorruptFile("The book has no list of its parts.")
            found = BlockList()
            sources = list(_chapters(container, opf, package, found, options))
        if not found.blocks:
            raise (
                NoText
                if any("image" in n or n.endswith((".jpg", ".png")) for n in container.names)
                else EmptyFile
            )
        meta = _metadata(package) | {"chapters": len(sources)}
        return finish(name, self.kind, found, meta, "\n".join(sources))


def _refuse_locked(container: Container) -> None:
    root = _part(container, "META-INF/encryption.xml")
    for node in root.iter("{*}EncryptionMethod") if root is not None else ():
        parent = local_name(node.getparent())
        if parent == "EncryptedData" and node.get("Algorithm", "") not in _FONT_SCRAMBLING:
            raise ProtectionUnsupported(
                "The book is locked by its seller (DRM).", hint="Upload a copy without copy protection."
            )


def _part(container: Container, name: str) -> Element | None:
    """A part as XML; books may declare a document type, which is cut off with its entities."""
    if name not in container.names:
        return None
    return xml_root(_DOCTYPE.sub(b"", container.read(name), count=1))


def _chapters(
    container: Container, opf: str, package: Element, found: BlockList, options: ParseOptions
) -> Iterator[str]:
    items = {n.get("id", ""): n for n in package.iter("{*}item")}
    labels = _labels(container, opf, package, items)
    for reference in package.iter("{*}itemref"):
        item = items.get(reference.get("idref", ""))
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        member = resolve(opf, item.get("href", ""))
        if member not in container.names:
            found.warn("missing-chapter", f"The chapter “{member}” is not in the file.")
            continue
        content = container.read(member)
        prolog = _PROLOG.match(content[:256])
        text = decode(content, prolog[1].decode("ascii") if prolog else None).text
        # Covers and scanned pages are pictures inside a drawing, which is no text otherwise.
        text = _SVG_PICTURE.sub(r'<p><img src="\1"/></p>', self_closed_opened(text))
        source = html_text(text)
        if source.strip() or "<img" in text:
            if not re.search(r"<h[1-6]\b", text) and member in labels:
                found.add("heading", labels[member], level=1)
            with pictures_beside(options, partial(_picture, container, member)):
                html_blocks(text, found)
            yield source


def _picture(container: Container, member: str, address: str) -> bytes | None:
    path = path_beside(member, address)
    return container.read(path) if path is not None and path in container.names else None


def _labels(container: Container, opf: str, package: Element, items: dict[str, Element]) -> dict[str, str]:
    """Title of each chapter file from the contents of version 3 (XHTML) or 2 (NCX)."""
    labels: dict[str, str] = {}
    for item in items.values():
        member = resolve(opf, item.get("href", ""))
        if "nav" in (item.get("properties") or "").split() and member in container.names:
            tree, _ = html_tree(self_closed_opened(decode(container.read(member)).text))
            for link in tree.css("nav a[href]"):
                labels.setdefault(
                    resolve(member, link.attributes.get("href") or ""), " ".join(link.text().split())
                )
        elif item.get("media-type") == "application/x-dtbncx+xml":
            root = _part(container, member)
            for point in root.iter("{*}navPoint") if root is not None else ():
                text, content = point.find("{*}navLabel/{*}text"), point.find("{*}content")
                if text is not None and content is not None and text.text:
                    labels.setdefault(resolve(member, content.get("src", "")), " ".join(text.text.split()))
    return labels


def _metadata(package: Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in package.iter("{http://purl.org/dc/elements/1.1/}*"):
        name = local_name(node)
        if name in _META and node.text and node.text.strip():
            found.setdefault("author" if name == "creator" else name, node.text.strip())
    return found
