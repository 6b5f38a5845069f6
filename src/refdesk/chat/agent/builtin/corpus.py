"""What the tools of the corpus share: which bases, through which search, and how a result is written."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.agent.sources import Passage, SourceBook
from refdesk.chat.profile import RunProfile
from refdesk.kit.database import Database
from refdesk.knowledge import Document, DocumentRepository
from refdesk.retrieval import Route, SearchRequest, SearchResult
from refdesk.tools import ToolResult

# What one result may say of one passage, in characters.
SNIPPET_CHARS = 1_200
NAMED_CHARS = 48


class Searching(Protocol):
    """Port to retrieval."""

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult: ...

    async def route(self, scope: Scope, request: SearchRequest) -> Route: ...


@dataclass(frozen=True, slots=True)
class Corpus:
    """`book` numbers the passages for an agent; None outside of a run, where passages go by their ids."""

    database: Database
    retriever: Searching
    profile: RunProfile
    book: SourceBook | None = None

    @property
    def base_ids(self) -> tuple[UUID, ...]:
        return self.profile.knowledge_base_ids

    def holds(self, document: Document) -> bool:
        """Whether a document can be read here: of these bases, ready, in use."""
        return document.knowledge_base_id in self.base_ids and document.is_active and not document.is_draft

    async def documents(self, scope: Scope, wanted: str) -> list[Document]:
        """The documents of this id or name, with or without its ending; at most those the caller may see."""
        async with self.database.transaction() as session:
            repository = DocumentRepository(session, scope)
            try:
                found = await repository.find(UUID(wanted))
                documents = [found] if found is not None else []
            except ValueError:
                documents = await repository.named(self.base_ids, [wanted.strip().strip('《》"“”')])
        return [document for document in documents if self.holds(document)]


def shown_passage(passage: Passage, n: int | None) -> dict[str, Any]:
    """A passage in a result (A7). An agent cites it by `n`; others know it by its paragraph."""
    shown: dict[str, Any] = {"n": n} if n is not None else {}
    shown |= {
        "doc_name": passage.document,
        "snippet": passage.text,
        "score": round(passage.similarity, 2),
        "document_id": str(passage.document_id),
        "section": passage.section,
        "page": passage.page,
    }
    return shown if n is not None else shown | {"paragraph_id": str(passage.paragraph_id)}


def as_result(data: Any, *, subject: str = "", digest: str = "") -> ToolResult:
    """JSON as a model reads it, non-ASCII kept."""
    details = {key: one for key, one in (("subject", subject), ("digest", digest)) if one}
    return ToolResult(json.dumps(data, ensure_ascii=False), data, details=details)


def digest_of(found: Sequence[tuple[int | None, Passage]]) -> str:
    """What a search found, in one line: names, numbers and the beginnings of passages."""
    return "；".join(
        f"《{passage.document}》" + (f"[{n}]" if n is not None else "") + f" {_beginning(passage.text)}"
        for n, passage in found
    )


def _beginning(text: str) -> str:
    # A fence or a bracket of a document must not look like one of ours.
    line = " ".join(text.split()).translate(str.maketrans("<>[]（）", "‹›〔〕()"))
    return line if len(line) <= NAMED_CHARS else line[: NAMED_CHARS - 1] + "…"
