"""The passages and answers of tools an agent was given, numbered once for a whole conversation.

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


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool that reads no documents answered, as far as a citation shows it."""

    tool: str
    title: str
    text: str

    def to_json(self) -> dict[str, Any]:
        return {"kind": "tool", **asdict(self)}


type Numbered = Passage | ToolAnswer


def _key(source: Numbered) -> tuple[object, str]:
    return (source.paragraph_id if isinstance(source, Passage) else source.tool, source.text)


class SourceBook:
    """Sources by number, from 1. `found` are the numbers this run's own tools gave, in order."""

    def __init__(self, sources: Mapping[int, Numbered] | None = None) -> None:
        self._sources = dict(sources or {})
        self._numbers = {_key(one): n for n, one in self._sources.items()}
        self.found: list[int] = []
        self.best = 0.0
        self.candidates = 0

    def __len__(self) -> int:
        """The greatest number there is."""
        return max(self._sources, default=0)

    def add(self, source: Numbered) -> int:
        """The number of a source; one that is known keeps its own."""
        key = _key(source)
        n = self._numbers.get(key)
        if n is None:
            n = self._numbers[key] = len(self) + 1
            self._sources[n] = source
        if n not in self.found:
            self.found.append(n)
        return n

    def put_back(self, n: int, source: Numbered) -> None:
        """A source that this run's tools gave before it waited, under the number it had then."""
        self._sources[n] = source
        self._numbers[_key(source)] = n
        if n not in self.found:
            self.found.append(n)

    def get(self, n: int) -> Numbered | None:
        return self._sources.get(n)

    def passage(self, n: int) -> Passage | None:
        """The passage of that number; None too where a tool's answer has it."""
        source = self._sources.get(n)
        return source if isinstance(source, Passage) else None

    def passages(self, numbers: Iterable[int] | None = None) -> list[tuple[int, Passage]]:
        """The passages among these numbers, by default among all."""
        wanted = self._sources if numbers is None else numbers
        return [(n, passage) for n in wanted if (passage := self.passage(n)) is not None]

    def to_json(self, numbers: Sequence[int]) -> dict[str, Any]:
        """The stored form of these sources."""
        return {str(n): self._sources[n].to_json() for n in numbers if n in self._sources}

    def evidence(self) -> list[Source]:
        """The passages as what a sentence of the answer may rest on."""
        return [Source(text=passage.text, heading=passage.section) for _, passage in self.passages()]


def sources_of(stored: Mapping[str, Any]) -> dict[int, Numbered]:
    return {int(n): _stored(one) for n, one in stored.items()}


def _stored(one: Mapping[str, Any]) -> Numbered:
    if one.get("kind") == "tool":
        return ToolAnswer(one["tool"], one["title"], one["text"])
    return Passage.stored(one)
