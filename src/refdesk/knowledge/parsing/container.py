"""Office files and e-books as ZIP containers of XML parts: parts by name, relations, hostile XML refused."""

import io
import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Self
from urllib.parse import unquote

from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.errors import CorruptFile
from refdesk.knowledge.parsing.unpacking import check_sizes, open_zip, read_member
from refdesk.knowledge.parsing.xml_tree import Element, XMLSyntaxError, etree

REL = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
# ISO 29500 Strict has names of its own for the same elements and relations.
_STRICT_MARK = b"http://purl.oclc.org/ooxml/"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_CORE = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{http://purl.org/dc/elements/1.1/}creator",
    "language": "{http://purl.org/dc/elements/1.1/}language",
    "created": "{http://purl.org/dc/terms/}created",
    "modified": "{http://purl.org/dc/terms/}modified",
}


class Container:
    """Members of an Office file by name. Raises `CorruptFile` and `UnpackedTooLarge`."""

    def __init__(self, data: bytes, options: ParseOptions) -> None:
        self._left = options.max_unpacked_bytes
        self._zip = open_zip(data)
        infos = self._zip.infolist()
        check_sizes(sum(info.file_size for info in infos), len(data), options, self._left)
        self.names = frozenset(info.filename for info in infos)
        self._relations: dict[str, dict[str, tuple[str, str]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def read(self, name: str) -> bytes:
        """Bytes of a member, never more than is left of the limit, whatever its header claims."""
        content = read_member(self._zip, name, self._left)
        self._left -= len(content)
        return content

    def xml(self, name: str) -> Element | None:
        """A member as XML without entities or network; None where there is no such member."""
        if name not in self.names:
            return None
        return xml_root(self.read(name))

    def prepared(self, name: str) -> bytes:
        """A member that holds XML, in UTF-8 and with the usual names. Raises `CorruptFile`."""
        return _prepared(self.read(name))

    def elements(self, content: bytes, tags: Sequence[str]) -> Iterator[Element]:
        """Elements of a large part one after the other; each is emptied once the next is asked for.

        `content` is what `prepared` gives. A sheet of 200,000 rows takes a few megabytes this way and over
        1 GB as a tree.
        """
        try:
            for _, node in etree.iterparse(
                io.BytesIO(content),
                tag=tags,
                resolve_entities=False,
                no_network=True,
                huge_tree=True,
                remove_comments=True,
                remove_pis=True,
            ):
                yield node
                node.clear()
                while node.getprevious() is not None:
                    del node.getparent()[0]
        except XMLSyntaxError as error:
            raise CorruptFile(reason=str(error)) from error

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Relation id → (kind, target) of a part; kinds are the last word of the type's address."""
        if part not in self._relations:
            folder, _, leaf = part.rpartition("/")
            root = self.xml(f"{folder}/_rels/{leaf}.rels".lstrip("/"))
            self._relations[part] = {
                r.get("Id", ""): (r.get("Type", "").rpartition("/")[2], r.get("Target", ""))
                for r in (root.iter(REL) if root is not None else ())
            }
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """Names of the parts that `part` refers to with relations of a kind, those that exist."""
        targets = (resolve(part, target) for k, target in self.relations(part).values() if k == kind)
        return [name for name in targets if name in self.names]

    def main_part(self, usual: str) -> str:
        """The part the package says it begins with; some programs number it (`word/document2.xml`)."""
        if usual in self.names:
            return usual
        for kind, target in self.relations("").values():
            member = resolve("", target)
            if kind == "officeDocument" and member in self.names:
                return member
        return usual

    def relation_target(self, part: str, relation: str) -> str | None:
        """The member a relation of a part leads to, if there is one."""
        _, target = self.relations(part).get(relation, ("", ""))
        member = resolve(part, target) if target else ""
        return member if member in self.names else None

    def core_properties(self) -> dict[str, str]:
        """Title, author, language and dates of an Office file, where they are given."""
        root = self.xml("docProps/core.xml")
        if root is None:
            return {}
        found = {key: root.find(tag) for key, tag in _CORE.items()}
        return {key: node.text.strip() for key, node in found.items() if node is not None and node.text}


def resolve(part: str, target: str) -> str:
    """The member a relative address inside `part` points to, without its fragment."""
    path = unquote(target.partition("#")[0])
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(part), path)
    return posixpath.normpath(joined) if joined else part


def xml_root(content: bytes) -> Element:
    """XML without entities or network. Raises `CorruptFile`."""
    content = _prepared(content)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(content, parser)
    except XMLSyntaxError as error:
        raise CorruptFile(reason=str(error)) from error


def _prepared(content: bytes) -> bytes:
    """A part in UTF-8 with the usual names of its elements. Raises `CorruptFile` for a document type.

    Entities are what XML bombs are made of. Text never holds these marks: there `<` is written `&lt;`.
    """
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in content[:4]:
        text = decode(content).text
        content = re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1).encode("utf-8", "replace")
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise CorruptFile("The file holds a document type, which Office never writes.")
    if _STRICT_MARK in content:
        content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", content)
    return content
