"""What changes the order and number of a document's paragraphs: adding, splitting, merging.

The column `position` says only the order: it has gaps, so that most additions write one row whatever the
length of the document. What is shown is the place, counted from 0 without gaps.
"""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.errors import NotFound
from refdesk.kit.ids import new_id
from refdesk.knowledge.errors import NoNextParagraph, ParagraphChanged, ParagraphTooLong, SplitOffsetInvalid
from refdesk.knowledge.paragraphs import Paragraphs, settle_edit
from refdesk.knowledge.passage_metadata import said_of, with_said
from refdesk.knowledge.question_texts import clean_questions
from refdesk.knowledge.schemas import AddedParagraph, ParagraphMerge, ParagraphPair, ParagraphView
from refdesk.knowledge.splitting.facts import joined_facts
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.knowledge.versions import origin_of

MAX_CONTENT_CHARS = 100_000


class ParagraphStructure:
    """The structure of the documents of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.paragraphs = Paragraphs(session, scope)
        self.repository = self.paragraphs.repository

    async def add(self, document_id: UUID, body: AddedParagraph) -> ParagraphView:
        """A new paragraph, behind another one, at the beginning (`after` null) or at the end (left out)."""
        document = await self.paragraphs.documents.get(document_id, lock=True)
        behind = await self._anchor(document, body)
        title, content = body.title.strip(), body.content
        paragraph = Paragraph(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            knowledge_base_id=document.knowledge_base_id,
            document_id=document_id,
            position=await self.repository.room_behind(document_id, behind),
            title=title,
            title_chain=list(body.title_chain),
            content=content,
            boxes=[],
            origins=[],
            meta={},
            is_edited=True,
        )
        # Whoever adds what was deleted takes the deletion back.
        origin = origin_of(paragraph.title_chain, title, content)
        if origin in document.removed_origins:
            document.removed_origins = [name for name in document.removed_origins if name != origin]
            paragraph.origins, paragraph.is_edited = [origin], False
        self.session.add(paragraph)
        document.paragraph_count += 1
        document.character_count += len(content)
        if document.progress_total:
            document.progress_total += 1
        await self.session.flush()
        questions = clean_questions(body.questions)
        if questions:
            ids = await self.paragraphs.questions.ensure(document.knowledge_base_id, questions)
            await self.paragraphs.questions.attach((paragraph.id, ids[text]) for text in questions)
        return await self.paragraphs.saved(document, paragraph)

    async def split(self, paragraph_id: UUID, offset: int, revision: int | None) -> ParagraphPair:
        """Cut a paragraph in two at `offset` characters; white space at the cut is dropped.

        The first keeps the id and the questions. Raises `SplitOffsetInvalid`.
        """
        paragraph, document = await self.paragraphs.lock(paragraph_id, revision)
        head, tail = paragraph.content[:offset].rstrip(), paragraph.content[offset:].lstrip()
        if not head or not tail:
            raise SplitOffsetInvalid(characters=len(paragraph.content))
        begins = len(paragraph.content) - len(tail)
        added = Paragraph(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            knowledge_base_id=document.knowledge_base_id,
            document_id=document.id,
            position=await self.repository.room_behind(document.id, paragraph.position),
            title=paragraph.title,
            title_chain=list(paragraph.title_chain),
            content=tail,
            page=paragraph.page,
            boxes=list(paragraph.boxes),
            start=min(paragraph.start + begins, paragraph.end),
            end=paragraph.end,
            is_active=paragraph.is_active,
            is_edited=True,
            origins=list(paragraph.origins),
            source_title=paragraph.title if paragraph.origins else None,
            source_content=tail if paragraph.origins else None,
            meta=dict(paragraph.meta),
        )
        document.character_count += len(head) + len(tail) - len(paragraph.content)
        document.paragraph_count += 1
        if document.progress_total:
            document.progress_total += 1
        paragraph.content, paragraph.end = head, min(paragraph.start + len(head), paragraph.end)
        paragraph.is_edited = True
        if paragraph.origins:
            paragraph.source_title, paragraph.source_content = paragraph.title, head
        paragraph.revision += 1
        self.session.add(added)
        first = await self.paragraphs.saved(document, paragraph)
        await self.paragraphs.renew_followers(document, [added.position])
        await self.session.refresh(added)
        return ParagraphPair(first=first, second=await self.paragraphs.shown(document, added))

    async def merge(self, paragraph_id: UUID, body: ParagraphMerge) -> ParagraphView:
        """Join a paragraph with the next one, which goes. Raises `NoNextParagraph`, `ParagraphTooLong`."""
        paragraph, document = await self.paragraphs.lock(paragraph_id, body.revision)
        following = await self.repository.after(document.id, paragraph.position + 1, 1)
        if not following:
            raise NoNextParagraph
        other = following[0]
        if body.next_revision is not None and body.next_revision != other.revision:
            raise ParagraphChanged(revision=other.revision, paragraph_id=str(other.id))
        content = paragraph.content + body.separator + _with_heading(paragraph, other, other.content)
        if len(content) > MAX_CONTENT_CHARS:
            raise ParagraphTooLong(max_chars=MAX_CONTENT_CHARS, characters=len(content))
        attached = await self.paragraphs.questions.of_paragraphs([other.id])
        await self._join(document, paragraph, other, content, body.separator)
        questions = attached.get(other.id, ())
        await self.paragraphs.questions.attach((paragraph.id, question.id) for question in questions)
        return await self.paragraphs.saved(document, paragraph)

    async def _join(
        self, document: Document, paragraph: Paragraph, other: Paragraph, content: str, separator: str
    ) -> None:
        source = paragraph.content if paragraph.source_content is None else paragraph.source_content
        second = other.content if other.source_content is None else other.source_content
        source_title = paragraph.title if paragraph.source_content is None else paragraph.source_title
        origins = list(dict.fromkeys((*paragraph.origins, *other.origins)))
        # `remove` takes the other one's characters off; the joined text has them, and what joins them.
        document.character_count += len(content) - len(paragraph.content)
        await self.paragraphs.remove(document, [other], for_good=False)
        if origins:
            paragraph.source_title = source_title
            paragraph.source_content = source + separator + _with_heading(paragraph, other, second)
        paragraph.content, paragraph.origins, paragraph.is_edited = content, origins, True
        paragraph.boxes = [*paragraph.boxes, *(box for box in other.boxes if box not in paragraph.boxes)]
        paragraph.end = max(paragraph.end, other.end)
        paragraph.hit_count += other.hit_count
        said = said_of(other.meta) | said_of(paragraph.meta)
        paragraph.meta = with_said(
            joined_facts(with_said(paragraph.meta, {}), with_said(other.meta, {})), said
        )
        paragraph.revision += 1
        settle_edit(paragraph)

    async def _anchor(self, document: Document, body: AddedParagraph) -> int | None:
        """The position to add behind; None for the beginning."""
        if "after" not in body.model_fields_set:
            return await self.repository.last_position(document.id)
        if body.after is None:
            return None
        found = await self.repository.find(body.after)
        if found is None or found.document_id != document.id:
            raise NotFound("There is no such paragraph in this document.")
        return found.position


def _with_heading(paragraph: Paragraph, other: Paragraph, content: str) -> str:
    """The heading of a section that joins another one becomes text, so that it is not lost."""
    begins = content.partition("\n")[0].strip()
    foreign = other.title and other.title not in (paragraph.title, begins)
    return f"{other.title}\n\n{content}" if foreign else content
