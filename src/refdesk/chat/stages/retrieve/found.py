"""What came of a plan: for each question the search and the tools' answers, and all of it as one list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from refdesk.chat.evidence import Source
from refdesk.chat.prompts import fenced, fenced_tool
from refdesk.chat.searching import section_of
from refdesk.retrieval import Hit, SearchResult
from refdesk.tools import ToolResult


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A call that was made, or could not be, and what came of it."""

    id: str
    name: str
    title: str
    arguments: Mapping[str, Any]
    result: ToolResult


@dataclass(frozen=True, slots=True)
class PartFound:
    """One question. `search` is None where nothing was searched for it."""

    question: str
    search: SearchResult | None
    tools: tuple[ToolAnswer, ...] = ()

    @property
    def hits(self) -> list[Hit]:
        return self.search.hits if self.search is not None and self.search.found else []

    @property
    def answers(self) -> list[ToolAnswer]:
        """The tools that answered."""
        return [answer for answer in self.tools if answer.result.ok]


@dataclass(frozen=True, slots=True)
class Found:
    """All of it. `search` is every search as one, None where none was made."""

    question: str
    parts: tuple[PartFound, ...]
    search: SearchResult | None
    rules: tuple[str, ...] = ()

    @property
    def answers(self) -> list[ToolAnswer]:
        return [answer for part in self.parts for answer in part.answers]

    @property
    def hits(self) -> list[Hit]:
        """Each paragraph once, those of the first question first."""
        distinct = {hit.paragraph_id: hit for part in reversed(self.parts) for hit in reversed(part.hits)}
        return list(reversed(distinct.values()))

    @property
    def anything(self) -> bool:
        return bool(self.answers) or any(part.hits for part in self.parts)


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph as evidence: the text that is shown of it."""

    hit: Hit
    text: str

    def fenced(self, n: int) -> str:
        return fenced(n, self.hit.document_name, section_of(self.hit), self.hit.page, self.text)

    def source(self) -> Source:
        """What the evidence check compares with."""
        return Source(text=self.text, heading=section_of(self.hit))

    def citation(self, n: int, source: int) -> dict[str, Any]:
        return citation_of(self.hit, n, self.text, offset=self.hit.text_start, source=source)


@dataclass(frozen=True, slots=True)
class ToolText:
    """A tool's answer as evidence: the text that is shown of it."""

    answer: ToolAnswer
    text: str

    def fenced(self, n: int) -> str:
        return fenced_tool(n, self.answer.name, self.answer.title, self.text)

    def source(self) -> Source:
        said = " ".join(str(value) for value in self.answer.arguments.values())
        return Source(text=f"{self.text}\n{said}", heading=self.answer.title)

    def citation(self, n: int, source: int) -> dict[str, Any]:
        return tool_citation(self.answer.name, self.answer.title, self.text, n, source=source)


type Piece = Passage | ToolText


def citation_of(hit: Hit, n: int, text: str, *, offset: int, source: int) -> dict[str, Any]:
    """A citation as events and records hold it. `source` is the number in the prompt."""
    return {
        "kind": "paragraph",
        "n": n,
        "paragraph_id": str(hit.paragraph_id),
        "document_id": str(hit.document_id),
        "knowledge_base_id": str(hit.knowledge_base_id),
        "document": hit.document_name,
        "page": hit.page,
        "section": section_of(hit),
        "text": text,
        "offset": offset,
        "similarity": round(hit.similarity, 4),
        "source": source,
    }


def tool_citation(tool: str, title: str, text: str, n: int, *, source: int) -> dict[str, Any]:
    """A citation of what a tool answered."""
    return {
        "kind": "tool",
        "tool": tool,
        "n": n,
        "paragraph_id": None,
        "document_id": None,
        "knowledge_base_id": None,
        "document": title,
        "page": None,
        "section": "",
        "text": text,
        "offset": 0,
        "similarity": None,
        "source": source,
    }


def sources_of(pieces: Sequence[Piece]) -> list[Source]:
    """What the evidence check compares with: the text as the prompt had it."""
    return [piece.source() for piece in pieces]
