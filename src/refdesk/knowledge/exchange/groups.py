"""A checked archive as groups of whole documents with their paragraphs and vectors, read side by side.

A group ends with the document that makes it large enough, so memory is bounded by the largest document.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from refdesk.knowledge.exchange.archive import Archive
from refdesk.knowledge.exchange.records import (
    DOCUMENTS,
    ENTRIES,
    PARAGRAPHS,
    VECTORS,
    VERSIONS,
    DocumentRecord,
    EntryLine,
    ParagraphLine,
    VersionLine,
)

PARAGRAPHS_AT_ONCE = 1_000
DOCUMENTS_AT_ONCE = 200

type Vector = NDArray[np.float32]
# Which entry of a paragraph a vector is of: kind, start, end, and the question's number for entries of one.
type EntryKey = tuple[int, int, int, int | None]


@dataclass(slots=True)
class Item:
    """A document with all that belongs to it. `vectors` are by paragraph, counted within the document."""

    number: int
    document: DocumentRecord
    paragraphs: list[ParagraphLine] = field(default_factory=list[ParagraphLine])
    vectors: dict[int, dict[EntryKey, Vector]] = field(default_factory=dict[int, dict[EntryKey, Vector]])
    versions: list[VersionLine] = field(default_factory=list[VersionLine])


def groups(archive: Archive, *, entries: int, dimensions: int | None) -> Iterator[list[Item]]:
    """The documents in their order. Vectors are left out where `dimensions` is None."""
    paragraphs = _Peekable(archive.lines(PARAGRAPHS, ParagraphLine))
    versions = _Peekable(archive.lines(VERSIONS, VersionLine))
    with_vectors = dimensions is not None and archive.has(VECTORS)
    vectors = _Peekable(_entries(archive, entries, dimensions)) if with_vectors and dimensions else None
    group: list[Item] = []
    size = 0
    for number, document in enumerate(archive.lines(DOCUMENTS, DocumentRecord)):
        item = Item(number, document)
        while (line := paragraphs.head) is not None and line.d == number:
            item.paragraphs.append(line)
            paragraphs.advance()
        while (version := versions.head) is not None and version.d == number:
            item.versions.append(version)
            versions.advance()
        while vectors is not None and (pair := vectors.head) is not None and pair[0].d == number:
            entry, vector = pair
            item.vectors.setdefault(entry.p, {})[(entry.kind, entry.start, entry.end, entry.q)] = vector
            vectors.advance()
        group.append(item)
        size += len(item.paragraphs)
        if size >= PARAGRAPHS_AT_ONCE or len(group) >= DOCUMENTS_AT_ONCE:
            yield group
            group, size = [], 0
    if group:
        yield group


def _entries(archive: Archive, entries: int, dimensions: int) -> Iterator[tuple[EntryLine, Vector]]:
    lines = archive.lines(ENTRIES, EntryLine)
    for batch in archive.vectors(entries, dimensions):
        for vector in batch:
            yield next(lines), vector


class _Peekable[T]:
    """An iterator whose next item can be looked at."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self.head = next(items, None)

    def advance(self) -> None:
        self.head = next(self._items, None)
