"""Ids of what an import makes: they follow from the new base and the archive, so nothing is made twice."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any
from uuid import UUID

from refdesk.knowledge.schemas import DocumentWarning

_TAIL_BITS = (1 << 62) - 1


def document_id(base_id: UUID, number: int) -> UUID:
    """A UUIDv7 that follows from the base and the number, in the order of the numbers.

    36 bits of the random part count, the others are the base's own.
    """
    own = base_id.int & ((1 << 38) - 1)
    tail = (number << 38) | own
    return _uuid7(base_id, tail >> 62, tail)


def source_id(base_id: UUID, number: int) -> UUID:
    """The id of the base's source of this number."""
    return _hashed(base_id, "source", number)


def paragraph_id(base_id: UUID, document: int, key: UUID) -> UUID:
    """The id of what has this key in the archive, the same in every version of the document."""
    return _hashed(base_id, "paragraph", document, key)


def placed_warnings(
    base_id: UUID, document: int, warnings: Sequence[DocumentWarning]
) -> list[dict[str, Any]]:
    """Warnings as they are kept on a document; those about paragraphs name the new ones."""
    kept: list[dict[str, Any]] = []
    for warning in warnings:
        stored = warning.model_dump(mode="json", exclude_defaults=not warning.paragraph_ids)
        if warning.paragraph_ids:
            ids = [paragraph_id(base_id, document, key) for key in warning.paragraph_ids]
            stored["paragraph_ids"] = [str(key) for key in ids]
        kept.append({"page": None} | stored)
    return kept


def _hashed(base_id: UUID, *names: object) -> UUID:
    text = "/".join(str(name) for name in (base_id, *names))
    tail = int.from_bytes(blake2b(text.encode(), digest_size=10).digest())
    return _uuid7(base_id, tail >> 62, tail)


def _uuid7(base_id: UUID, head: int, tail: int) -> UUID:
    value = (base_id.int >> 80) << 80
    value |= 0x7 << 76 | (head & 0xFFF) << 64 | 0b10 << 62 | (tail & _TAIL_BITS)
    return UUID(int=value)
