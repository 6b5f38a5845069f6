"""The passages an agent was given, numbered once for a whole conversation.

A number is what a model cites by. It stays with its passage over rounds and turns, so an answer may cite what
an earlier round found, and a citation of anything else is none. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from refdesk.chat.evidence import Source
from refdesk.retrieval import Hit


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as a tool gave it: `text` begins at `offset` of its paragraph. `similarity` is calibrated;
    1 for what was read in its place and not found by likeness."""

    paragraph_id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    document: str
    section: str
    page: int | None
    text: str
    offset: int
    similarity: float

    @classmethod
    def of(cls, hit: Hit, section: str) -> "Passage":
        return cls(
            hit.paragraph_id,
            hit.document_id,
            hit.knowledge_base_id,
            hit.document_name,
            section,
            hit.page,
            hit.text,
            hit.text_start,
            round(hit.similarity, 4),
        )

    def to_json(self) -> dict[str, Any]:
        return {key: str(value) if isinstance(value, UUID) else value for key, value in asdict(self).items()}

    @classmethod
    def stored(cls, value: Mapping[str, Any]) -> "Passage":
        fields = dict(value)
        for key in ("paragraph_id", "document_id", "knowledge_base_id"):
            fields[key] = UUID(fields[key])
        return cls(**fields)


class SourceBook:
    """Passages by number, from 1. `found` are the numbers this run's own tools gave, in order."""

    def __init__(self, passages: Mapping[int, Passage] | None = None) -> None:
        self._passages = dict(passages or {})
        self._numbers = {(one.paragraph_id, one.text): n for n, one in self._passages.items()}
        self.found: list[int] = []
        self.best = 0.0
        self.candidates = 0

    def __len__(self) -> int:
        """The greatest number there is."""
        return max(self._passages, default=0)

    def add(self, passage: Passage) -> int:
        """The number of a passage; one that is known keeps its own."""
        key = (passage.paragraph_id, passage.text)
        n = self._numbers.get(key)
        if n is None:
            n = self._numbers[key] = len(self) + 1
            self._passages[n] = passage
        if n not in self.found:
            self.found.append(n)
        return n

    def put_back(self, n: int, passage: Passage) -> None:
        """A passage that this run's tools gave before it waited, under the number it had then."""
        self._passages[n] = passage
        self._numbers[(passage.paragraph_id, passage.text)] = n
        if n not in self.found:
            self.found.append(n)

    def get(self, n: int) -> Passage | None:
        return self._passages.get(n)

    def pairs(self, numbers: Iterable[int] | None = None) -> list[tuple[int, Passage]]:
        wanted = self._passages if numbers is None else numbers
        return [(n, self._passages[n]) for n in wanted if n in self._passages]

    def to_json(self, numbers: Sequence[int] | None = None) -> dict[str, Any]:
        """The stored form of these passages, by default of all."""
        return {str(n): passage.to_json() for n, passage in self.pairs(numbers)}

    def evidence(self) -> list[Source]:
        """What a sentence of the answer may rest on."""
        return [Source(text=passage.text, heading=passage.section) for _, passage in self.pairs()]


def passages_of(stored: Mapping[str, Any]) -> dict[int, Passage]:
    return {int(n): Passage.stored(one) for n, one in stored.items()}
