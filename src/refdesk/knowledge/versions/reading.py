"""Reading versions: their list, the paragraphs and the file of each, and what differs between two."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.errors import CursorInvalid, NotFound
from refdesk.kit.web import Page
from refdesk.knowledge.cursors import decode_position
from refdesk.knowledge.errors import NoOriginal, NoVersionsYet
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.schemas import (
    DiffChange,
    DiffCounts,
    DiffPart,
    DiffSide,
    DocumentDiff,
    ParagraphPage,
    ParagraphView,
    VersionView,
)
from refdesk.knowledge.tables import Blob, Document, DocumentVersion
from refdesk.knowledge.versions import diff, snapshot
from refdesk.knowledge.versions.records import ParagraphRecord
from refdesk.knowledge.versions.repository import VersionRepository
from refdesk.knowledge.views import past_paragraph_view, version_view


class Versions:
    """Versions of the documents of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = VersionRepository(session, scope)
        self.documents = DocumentRepository(session, scope)

    async def page(self, document_id: UUID, *, limit: int, cursor: str | None) -> Page[VersionView]:
        """Versions, the newest first; the cursor is the last number seen."""
        document = await self._document(document_id)
        before = None if cursor is None else decode_position(cursor)
        await self.repository.current(document)
        found = await self.repository.page(document_id, document.version, limit=limit + 1, before=before)
        shown = found[:limit]
        sizes = await self.documents.file_sizes(shown)
        items = [
            self._view(document, version, sizes.get(version.blob_id or UUID(int=0))) for version in shown
        ]
        following = str(shown[-1].number) if len(found) > limit else None
        return Page(
            items=items,
            next_cursor=following,
            total=await self.repository.count(document_id, document.version),
        )

    async def paragraphs(
        self, document_id: UUID, number: int, *, limit: int, cursor: str | None
    ) -> ParagraphPage:
        """The paragraphs of a version in reading order; the cursor is the position of the first one."""
        document = await self._document(document_id)
        records = await self._records(document, number)
        first = 0 if cursor is None else decode_position(cursor)
        shown = records[first : first + limit]
        if first and not shown:
            raise CursorInvalid
        is_current = number == document.version
        return ParagraphPage(
            items=[
                past_paragraph_view(document, record, first + i, version=number, is_current=is_current)
                for i, record in enumerate(shown)
            ],
            next_cursor=str(first + limit) if first + limit < len(records) else None,
            previous_cursor=str(max(first - limit, 0)) if first else None,
            total=len(records),
        )

    async def original(self, document_id: UUID, number: int) -> tuple[Document | DocumentVersion, Blob]:
        """What a version says of itself and the file it was made from, or `NoOriginal`."""
        document = await self._document(document_id)
        version = await self._version(document, number)
        source = document if number == document.version else version
        blob = await self.documents.blob(source)
        if blob is None:
            raise NoOriginal
        return source, blob

    async def past_paragraph(self, paragraph_id: UUID) -> ParagraphView:
        """A paragraph that is no longer in its document, as the last version says that had it."""
        version = await self.repository.last_with(paragraph_id)
        if version is None:
            raise NotFound("There is no such paragraph.")
        document = await self.documents.find(version.document_id)
        records = [] if document is None else await self._records(document, version.number)
        for position, record in enumerate(records):
            assert document is not None
            if record.id == paragraph_id:
                return past_paragraph_view(
                    document, record, position, version=version.number, is_current=False
                )
        raise NotFound("There is no such paragraph.")

    async def diff(
        self, document_id: UUID, earlier: int, later: int, *, limit: int, cursor: str | None
    ) -> DocumentDiff:
        """What differs between two versions; the cursor is the number of changes seen."""
        document = await self._document(document_id)
        before = await self._records(document, earlier)
        after = await self._records(document, later)
        first = 0 if cursor is None else decode_position(cursor)
        comparison = await asyncio.to_thread(diff.compare, before, after)
        shown = comparison.changes[first : first + limit]
        parts = await asyncio.to_thread(diff.all_parts, shown)
        kinds = [change.kind for change in comparison.changes]
        return DocumentDiff(
            from_version=earlier,
            to_version=later,
            counts=DiffCounts(
                added=kinds.count("added"),
                removed=kinds.count("removed"),
                changed=kinds.count("changed"),
                moved=kinds.count("moved"),
                unchanged=comparison.unchanged,
            ),
            items=[_change_view(c, p) for c, p in zip(shown, parts, strict=True)],
            next_cursor=str(first + limit) if first + limit < len(kinds) else None,
            total=len(kinds),
        )

    async def _document(self, document_id: UUID) -> Document:
        document = await self.documents.get(document_id)
        if document.is_draft:
            raise NoVersionsYet
        return document

    async def _version(self, document: Document, number: int) -> DocumentVersion:
        found = None
        if number == document.version:
            found = await self.repository.current(document)
        elif number < document.version:
            found = await self.repository.find(document.id, number)
        if found is None:
            raise NotFound("The document has no such version.", version=number)
        return found

    async def _records(self, document: Document, number: int) -> list[ParagraphRecord]:
        await self._version(document, number)
        if number == document.version:
            return await self.repository.present(document.id)
        data = await self.repository.snapshot(document.id, number)
        if data is None:
            return []
        return (await asyncio.to_thread(snapshot.decode, data)).paragraphs

    def _view(self, document: Document, version: DocumentVersion, size: int | None) -> VersionView:
        is_current = version.number == document.version
        return version_view(version, document if is_current else version, size, is_current=is_current)


def _change_view(change: diff.Change, parts: Sequence[diff.Part]) -> DiffChange:
    return DiffChange(
        kind=change.kind,
        before=_side_view(change.before),
        after=_side_view(change.after),
        parts=[DiffPart(op=part.op, text=part.text) for part in parts],
    )


def _side_view(side: diff.Side | None) -> DiffSide | None:
    if side is None:
        return None
    record = side.record
    return DiffSide(
        paragraph_id=record.id,
        position=side.position,
        title=record.title,
        title_chain=record.title_chain,
        page=record.page,
    )
