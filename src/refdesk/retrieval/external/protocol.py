"""What every source of knowledge can be asked: the contract that one conformance suite holds all to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

type Value = str | int | float | bool
"""A value of metadata. Lists and objects are not carried to every kind of source, so to none."""

MAX_TOP_K = 100
MAX_QUERY_CHARS = 4_000
KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
"""What a key of metadata may look like: it becomes a column or a field name in some sources."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document to hand over. `id` is the caller's; the same id again replaces what was there."""

    id: str
    title: str
    text: str
    metadata: Mapping[str, Value] = field(default_factory=dict[str, Value])
    url: str | None = None


@dataclass(frozen=True, slots=True)
class SourceHit:
    """A document that was found. `text` is the piece of it that is nearest.

    `score` 0–1 orders the hits of one source; those of two are not comparable.
    """

    doc_id: str
    title: str
    text: str
    score: float
    metadata: Mapping[str, Value] = field(default_factory=dict[str, Value])
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a source can do besides searching. `by_meaning`: it finds what is said in other words."""

    can_ingest: bool
    can_update_metadata: bool
    can_filter: bool
    by_meaning: bool


class KnowledgeSource(Protocol):
    """A source of knowledge. Safe to use from many tasks at once; errors are those of `errors`."""

    @property
    def capabilities(self) -> Capabilities: ...

    async def ingest(self, document: SourceDocument) -> str:
        """Take a document, or replace the one of its id. Returns the id it is found by."""
        ...

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        """The nearest documents, best first, each once and by the text of its best piece. `filters` are
        equalities that all must hold."""
        ...

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        """Set these keys of a document's metadata; the others stay."""
        ...

    async def close(self) -> None:
        """Let go of connections. Nothing may be asked afterwards."""
        ...
