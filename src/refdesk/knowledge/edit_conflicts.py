"""Deciding about edits whose place in the file says something else now: the edit stays, or the file wins.

Both texts are kept until somebody decides; whoever decides takes the paragraph out of the warning.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.documents import Documents
from refdesk.knowledge.errors import NoEditConflict
from refdesk.knowledge.paragraphs import Paragraphs, settle_conflict, write_text
from refdesk.knowledge.schemas import ConflictDecision, DocumentView
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.knowledge.versions import CONFLICT


class EditConflicts:
    """The edit conflicts of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.paragraphs = Paragraphs(session, scope)

    async def resolve(self, document_id: UUID, body: ConflictDecision) -> DocumentView:
        """Decide about all edits in conflict, or about those named. Raises `NoEditConflict`."""
        document = await self.paragraphs.documents.get(document_id, lock=True)
        open_ids = _reported(document)
        wanted = open_ids if body.paragraph_ids is None else set(body.paragraph_ids)
        if not wanted or wanted - open_ids:
            raise NoEditConflict(paragraph_ids=sorted(str(key) for key in wanted - open_ids)[:10])
        if body.keep == "theirs":
            rows = await self.paragraphs.repository.by_ids(sorted(wanted))
            await self._take_the_files(document, rows)
        settle_conflict(document, sorted(wanted))
        await self.session.flush()
        await self.paragraphs.have_indexed(document)
        return await Documents(self.session, self.scope).view(document_id)

    async def _take_the_files(self, document: Document, rows: Sequence[Paragraph]) -> None:
        """Let each say what the file says; of the halves of a paragraph the first one says it all."""
        told: dict[str, Paragraph] = {}
        for row in rows:
            first = next((told[origin] for origin in row.origins if origin in told), None)
            if first is not None and set(row.origins) <= set(first.origins):
                attached = await self.paragraphs.questions.of_paragraphs([row.id])
                await self.paragraphs.remove(document, [row], for_good=False)
                await self.paragraphs.questions.attach((first.id, q.id) for q in attached.get(row.id, ()))
                continue
            told |= dict.fromkeys(row.origins, row)
            if row.source_content is not None:
                write_text(document, row, row.source_title or "", row.source_content)
                row.revision += 1


def _reported(document: Document) -> set[UUID]:
    return {
        UUID(paragraph_id)
        for warning in document.warnings
        if warning["code"] == CONFLICT
        for paragraph_id in warning.get("paragraph_ids", ())
    }
