"""`read_section`: a passage that was found, with the paragraphs before and after it in its document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from refdesk.chat.agent.builtin.corpus import SNIPPET_CHARS, Corpus, as_result, digest_of
from refdesk.chat.agent.builtin.wording import WORDS, parameters_of
from refdesk.chat.agent.sources import Passage
from refdesk.chat.language import Language
from refdesk.kit.errors import NotFound
from refdesk.knowledge import Document, DocumentRepository, Paragraph, ParagraphRepository
from refdesk.tools import Tool, ToolCaller, ToolResult, ToolSpec

BEFORE, AFTER, MOST = 1, 2, 5


@dataclass(frozen=True, slots=True)
class ReadSection:
    """Its executor."""

    corpus: Corpus

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        paragraph_id = self._wanted(arguments)
        before, after = int(arguments.get("before", BEFORE)), int(arguments.get("after", AFTER))
        async with self.corpus.database.transaction() as session:
            paragraphs = ParagraphRepository(session, caller.scope)
            middle = await paragraphs.find(paragraph_id)
            document = None
            if middle is not None:
                document = await DocumentRepository(session, caller.scope).find(middle.document_id)
            if middle is None or document is None or not self.corpus.holds(document):
                raise NotFound("There is no such passage.")
            start = (
                await paragraphs.start_of_page_before(document.id, middle.position, before)
                if before
                else None
            )
            start = middle.position if start is None else start
            rows = await paragraphs.after(document.id, start, before + 1 + after)
            rows = [row for row in rows if row.is_active]
        return self._told(document, rows)

    def _wanted(self, arguments: Mapping[str, Any]) -> UUID:
        book = self.corpus.book
        if book is not None:
            passage = book.passage(int(arguments["source"]))
            if passage is None:
                raise NotFound("No result has this number.")
            return passage.paragraph_id
        try:
            return UUID(str(arguments["paragraph_id"]))
        except ValueError:
            raise NotFound("There is no such passage.") from None

    def _told(self, document: Document, rows: list[Paragraph]) -> ToolResult:
        book = self.corpus.book
        passages: list[tuple[int | None, Passage]] = []
        for row in rows:
            passage = _passage(document, row)
            passages.append((book.add(passage) if book is not None else None, passage))
        told = [
            ({"n": n} if n is not None else {"paragraph_id": str(passage.paragraph_id)})
            | {"section": passage.section, "page": passage.page, "text": passage.text}
            for n, passage in passages
        ]
        data = {"doc_name": document.name, "document_id": str(document.id), "passages": told}
        return as_result(data, subject=f"《{document.name}》", digest=digest_of(passages))


def _passage(document: Document, row: Paragraph) -> Passage:
    titles = [title for title in (*row.title_chain, row.title) if title]
    return Passage(
        paragraph_id=row.id,
        document_id=document.id,
        knowledge_base_id=document.knowledge_base_id,
        document=document.name,
        section=" › ".join(dict.fromkeys(titles)),
        page=row.page,
        text=row.content[: 2 * SNIPPET_CHARS],
        offset=0,
        similarity=1.0,
    )


def reading_tool(corpus: Corpus, language: Language) -> Tool:
    words = WORDS["read_section"][language]
    numbered = corpus.book is not None
    key = "source" if numbered else "paragraph_id"
    properties: dict[str, Mapping[str, Any]] = {
        key: {"type": "integer"} if numbered else {"type": "string"},
        "before": {"type": "integer", "minimum": 0, "maximum": MOST, "default": BEFORE},
        "after": {"type": "integer", "minimum": 0, "maximum": MOST, "default": AFTER},
    }
    spec = ToolSpec(
        id="builtin:read_section",
        name="read_section",
        description=words.description,
        parameters=parameters_of(words, properties, (key,)),
        origin="builtin",
        title=words.title,
        read_only=True,
    )
    return Tool(spec, ReadSection(corpus))
