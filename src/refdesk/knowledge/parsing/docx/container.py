"""The ZIP container of an Office file, opened with guards against bombs and hostile XML."""

import io
import zipfile
import zlib
from typing import Self

from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.docx.xml import Element, XMLSyntaxError, etree
from refdesk.knowledge.parsing.errors import CorruptFile, UnpackedTooLarge

_RATIO_FROM = 8 * 1024 * 1024
_MAX_MEMBERS = 20_000
REL = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


class Container:
    """Members of an Office file by name. Raises `CorruptFile` and `UnpackedTooLarge`."""

    def __init__(self, data: bytes, options: ParseOptions) -> None:
        self._left = options.max_unpacked_bytes
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise CorruptFile(reason=str(error)) from error
        infos = self._zip.infolist()
        total = sum(info.file_size for info in infos)
        ratio = total / max(1, len(data))
        if len(infos) > _MAX_MEMBERS or total > options.max_unpacked_bytes:
            raise UnpackedTooLarge(unpacked_bytes=total)
        if total > _RATIO_FROM and ratio > options.max_unpack_ratio:
            raise UnpackedTooLarge(
                "The file is compressed suspiciously well and was refused.", ratio=round(ratio)
            )
        self.names = frozenset(info.filename for info in infos)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def read(self, name: str) -> bytes:
        """Bytes of a member, never more than is left of the limit, whatever its header claims."""
        try:
            with self._zip.open(name) as member:
                content = member.read(self._left + 1)
        except KeyError:
            raise CorruptFile(f"The file has no part “{name}”.") from None
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            RuntimeError,
            NotImplementedError,
        ) as error:
            raise CorruptFile(reason=str(error)) from error
        if len(content) > self._left:
            raise UnpackedTooLarge
        self._left -= len(content)
        return content

    def xml(self, name: str) -> Element | None:
        """A member as XML without entities or network; None where there is no such member."""
        if name not in self.names:
            return None
        content = self.read(name)
        if b"<!DOCTYPE" in content[:2048]:
            raise CorruptFile("The file holds a document type, which Office never writes.")
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True
        )
        try:
            return etree.fromstring(content, parser)
        except XMLSyntaxError as error:
            raise CorruptFile(reason=str(error)) from error

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Relation id → (kind, target) of a part; kinds are the last word of the type's address."""
        folder, _, leaf = part.rpartition("/")
        root = self.xml(f"{folder}/_rels/{leaf}.rels")
        if root is None:
            return {}
        return {
            r.get("Id", ""): (r.get("Type", "").rpartition("/")[2], r.get("Target", ""))
            for r in root.iter(REL)
        }
