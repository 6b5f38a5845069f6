"""Importing tables of questions and answers: each row a paragraph, with its questions attached."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.requests import Request

from refdesk.accounts import Scope
from refdesk.kit.border_types import clean_text
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge import blobs
from refdesk.knowledge.documents import enqueue_processing, require_room
from refdesk.knowledge.errors import DuplicateDocument, NoFiles
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.parsing import EmptyFile
from refdesk.knowledge.qa.errors import QaNoRows
from refdesk.knowledge.qa.reading import read_limited
from refdesk.knowledge.qa.renewing import KIND, left_out
from refdesk.knowledge.qa.rows import QaRow, QaTable
from refdesk.knowledge.qa.schemas import BadRowView, QaImportResult, QaOutcome
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.receiving import Received, received_files
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.schemas import Problem
from refdesk.knowledge.tables import Blob, Document, KnowledgeBase, Paragraph
from refdesk.knowledge.versions import OriginNames, new_version
from refdesk.knowledge.views import document_view, upload_limit

TOLD_ROWS = 1_000
_BATCH = 1_000


async def receive_tables(
    request: Request,
    database: Database,
    scope: Scope,
    settings: Settings,
    base: KnowledgeBase,
    *,
    allow_duplicate: bool,
) -> QaImportResult:
    """The files of a request, each a document of its own; a file that fails does not lose the others.

    Raises `NoFiles`, and where there is only one file its refusal.
    """
    importer = _Import(database, scope, settings, base, allow_duplicate=allow_duplicate)
    result = QaImportResult(files=[], accepted=0, refused=0)
    errors: list[AppError] = []
    async for received in received_files(
        request,
        database,
        scope,
        limit_bytes=upload_limit(base, settings),
        limit_name="the size limit of the knowledge base",
    ):
        name = display_name(received.name)
        try:
            result.files.append(await importer.take(name, received))
            result.accepted += 1
        except AppError as error:
            if received.file is not None:
                await received.file.discard()
            errors.append(error)
            problem = Problem(
                code=error.code, message=error.text, hint=error.hint_text, details=error.details
            )
            result.files.append(QaOutcome(name=name, error=problem))
            result.refused += 1
    if not result.files:
        raise NoFiles
    if len(errors) == len(result.files) == 1:
        raise errors[0]
    return result


class _Import:
    def __init__(
        self,
        database: Database,
        scope: Scope,
        settings: Settings,
        base: KnowledgeBase,
        *,
        allow_duplicate: bool,
    ) -> None:
        self._database = database
        self._scope = scope
        self._settings = settings
        self._base_id = base.id
        self._allow_duplicate = allow_duplicate

    async def take(self, name: str, received: Received) -> QaOutcome:
        if received.error is not None:
            raise received.error
        assert received.file is not None
        if received.file.size == 0:
            raise EmptyFile
        async with self._database.transaction() as session:
            blob = await received.file.finish(session)
        try:
            data = await blobs.load(self._database, self._scope, blob)
            table = await read_limited(data, name, self._settings)
            bad_rows = [
                BadRowView(row=b.number, place=b.place, code=b.code, reason=b.reason) for b in table.bad
            ]
            if not table.rows:
                told = [row.model_dump() for row in bad_rows[:20]]
                raise QaNoRows(bad_rows=told, bad_row_count=len(bad_rows))
            async with self._database.transaction() as session:
                outcome = await self._save(session, name, blob, table)
        except AppError:
            async with self._database.transaction() as session:
                await blobs.remove_unreferenced(session, self._scope, blob.id)
            raise
        outcome.bad_row_count, outcome.bad_rows = len(bad_rows), bad_rows[:TOLD_ROWS]
        return outcome

    async def _save(self, session: AsyncSession, name: str, blob: Blob, table: QaTable) -> QaOutcome:
        await require_room(session, self._scope, self._base_id)
        documents = DocumentRepository(session, self._scope)
        if not self._allow_duplicate:
            same = await documents.with_content(self._base_id, blob.sha256)
            if same is not None:
                raise DuplicateDocument(
                    f"The same file is already here as “{same.name}”.",
                    document_id=str(same.id),
                    document_name=same.name,
                    state=same.state,
                )
        document = self._document(name, blob, table)
        session.add(document)
        await session.flush()
        session.add(new_version(document, 1, "upload"))
        await self._add_paragraphs(session, document, table.rows)
        await enqueue_processing(session, self._scope, document.id)
        await session.flush()
        await session.refresh(document)
        questions = len({question for row in table.rows for question in row.questions})
        view = document_view(document, {blob.id: blob.size}, ())
        return QaOutcome(name=name, document=view, rows=len(table.rows), questions=questions)

    def _document(self, name: str, blob: Blob, table: QaTable) -> Document:
        return Document(
            id=new_id(),
            workspace_id=self._scope.workspace_id,
            knowledge_base_id=self._base_id,
            blob_id=blob.id,
            name=name,
            kind=KIND,
            warnings=left_out(table),
            meta={},
            split_settings={},
            character_count=sum(len(row.content) for row in table.rows),
            paragraph_count=len(table.rows),
            progress_total=len(table.rows),
            split_at=now(),
            created_by=self._scope.user_id,
        )

    async def _add_paragraphs(self, session: AsyncSession, document: Document, rows: Sequence[QaRow]) -> None:
        names = OriginNames()
        questions = QuestionRepository(session, self._scope)
        start = 0
        for first in range(0, len(rows), _BATCH):
            batch = rows[first : first + _BATCH]
            values: list[dict[str, Any]] = []
            asked: list[tuple[UUID, list[str]]] = []
            for position, row in enumerate(batch, first):
                title, content = clean_text(row.title), clean_text(row.content)
                paragraph_id = new_id()
                asked.append((paragraph_id, [clean_text(question) for question in row.questions]))
                values.append(
                    {
                        "id": paragraph_id,
                        "workspace_id": self._scope.workspace_id,
                        "knowledge_base_id": document.knowledge_base_id,
                        "document_id": document.id,
                        "position": position,
                        "title": title,
                        "title_chain": [],
                        "content": content,
                        "start": start,
                        "end": start + len(content),
                        "origins": [names.name([], title, content)],
                    }
                )
                start += len(content) + 2
            await session.execute(insert(Paragraph), values)
            ids = await questions.ensure(self._base_id, (q for _, some in asked for q in some))
            await questions.attach((paragraph, ids[q]) for paragraph, some in asked for q in some)
