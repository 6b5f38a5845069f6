"""What a question should find, from names and ids to what the caller may see of it.

An expected document that is gone and one that is hidden from the caller are the same here: unavailable,
counted and never named.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.evaluation.cases import Expected
from refdesk.evaluation.schemas import ExpectedDocument, ExpectedParagraph, ExpectedView, QuestionInput
from refdesk.evaluation.tables import TestQuestion
from refdesk.knowledge import Document, DocumentRepository, Paragraph, ParagraphRepository

_BATCH = 5_000


def as_id(text: str) -> UUID | None:
    """The id that a text is, or None for a name."""
    try:
        return UUID(text.strip())
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Library:
    """The documents and paragraphs that questions speak of, as far as the caller may see them."""

    documents: dict[UUID, Document] = field(default_factory=dict[UUID, Document])
    paragraphs: dict[UUID, Paragraph] = field(default_factory=dict[UUID, Paragraph])
    by_name: dict[str, list[UUID]] = field(default_factory=dict[str, list[UUID]])

    @classmethod
    async def of_stored(
        cls, session: AsyncSession, scope: Scope, questions: Iterable[TestQuestion]
    ) -> "Library":
        stored = list(questions)
        return await cls._read(
            session,
            scope,
            {key for question in stored for key in question.expected_document_ids},
            {key for question in stored for key in question.expected_paragraph_ids},
        )

    @classmethod
    async def of_given(
        cls, session: AsyncSession, scope: Scope, base_ids: Sequence[UUID], given: Iterable[QuestionInput]
    ) -> "Library":
        """Names are looked for in the bases `base_ids`, ids in the whole workspace."""
        questions = list(given)
        texts = {text.strip() for question in questions for text in question.documents}
        ids = {key for text in texts if (key := as_id(text)) is not None}
        names = sorted(text for text in texts if text and as_id(text) is None)
        paragraph_ids = {key for question in questions for key in question.paragraph_ids}
        library = await cls._read(session, scope, ids, paragraph_ids)
        repository = DocumentRepository(session, scope)
        for start in range(0, len(names), _BATCH):
            for document in await repository.named(base_ids, names[start : start + _BATCH]):
                library.documents[document.id] = document
                lowered = document.name.lower()
                for name in {lowered, lowered.rsplit(".", 1)[0]}:
                    library.by_name.setdefault(name, []).append(document.id)
        return library

    @classmethod
    async def _read(
        cls, session: AsyncSession, scope: Scope, document_ids: set[UUID], paragraph_ids: set[UUID]
    ) -> "Library":
        paragraphs: list[Paragraph] = []
        ordered = sorted(paragraph_ids)
        for start in range(0, len(ordered), _BATCH):
            paragraphs += await ParagraphRepository(session, scope).by_ids(ordered[start : start + _BATCH])
        wanted = sorted(document_ids | {paragraph.document_id for paragraph in paragraphs})
        documents: list[Document] = []
        for start in range(0, len(wanted), _BATCH):
            documents += await DocumentRepository(session, scope).reread(wanted[start : start + _BATCH])
        seen = {document.id: document for document in documents if not document.is_draft}
        return cls(
            seen, {paragraph.id: paragraph for paragraph in paragraphs if paragraph.document_id in seen}
        )

    def of_question(self, question: TestQuestion) -> Expected:
        """What a stored question expects."""
        return self._expected(
            question.expected_document_ids, question.expected_paragraph_ids, question.expects_nothing, ()
        )

    def of_input(self, question: QuestionInput) -> Expected:
        """What a question that was given expects. A name that several documents have means any of them."""
        ids: list[UUID] = []
        unknown: list[str] = []
        for text in (text.strip() for text in question.documents):
            key = as_id(text)
            found = self.by_name.get(text.lower(), []) if key is None else [key]
            ids += [one for one in found if one in self.documents]
            if text and not any(one in self.documents for one in found):
                unknown.append(text)
        lost = [key for key in question.paragraph_ids if key not in self.paragraphs]
        kept = [key for key in question.paragraph_ids if key in self.paragraphs]
        return self._expected(ids, kept, question.expects_nothing, (*unknown, *map(str, lost)))

    def _expected(
        self,
        document_ids: Sequence[UUID],
        paragraph_ids: Sequence[UUID],
        nothing: bool,
        unknown: tuple[str, ...],
    ) -> Expected:
        documents = frozenset(key for key in document_ids if key in self.documents)
        paragraphs = frozenset(key for key in paragraph_ids if key in self.paragraphs)
        asked = len(set(document_ids)) + len(set(paragraph_ids))
        unavailable = asked - len(documents) - len(paragraphs)
        return Expected(documents, paragraphs, nothing, unavailable, tuple(dict.fromkeys(unknown)))

    def view(self, expected: Expected) -> ExpectedView:
        """What is shown of it."""
        documents = sorted(
            (self.documents[key] for key in expected.document_ids), key=lambda one: (one.name, one.id)
        )
        paragraphs = sorted(
            (self.paragraphs[key] for key in expected.paragraph_ids),
            key=lambda one: (one.document_id, one.position),
        )
        return ExpectedView(
            documents=[ExpectedDocument(id=one.id, name=one.name) for one in documents],
            paragraphs=[
                ExpectedParagraph(
                    id=one.id,
                    document_id=one.document_id,
                    document_name=self.documents[one.document_id].name,
                    title=one.title,
                    position=one.position,
                )
                for one in paragraphs
            ],
            nothing=expected.is_unanswerable,
            unavailable=expected.unavailable,
            unknown=list(expected.unknown),
        )
