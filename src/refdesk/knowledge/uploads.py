"""Receiving files: the multipart body goes straight into stored chunks, a file at a time, never whole.

One file's refusal does not lose the others. A file over the limit is refused at the byte that is too many;
a bounded part of what follows is skipped to reach the next file, then the request is not read any further.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.requests import ClientDisconnect, Request

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.access.folders import Folders
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.documents import enqueue_processing, require_room
from refdesk.knowledge.drafts import require_draft_room
from refdesk.knowledge.errors import DuplicateDocument, MalformedUpload, NoFiles
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.multipart import Event, PartBegin, PartData, decode_name, events
from refdesk.knowledge.parsing import EmptyFile
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.schemas import DocumentView, FileOutcome, Problem, SplitOptions, UploadResult
from refdesk.knowledge.split_checks import require_usable
from refdesk.knowledge.tables import Blob, Document, KnowledgeBase
from refdesk.knowledge.versions import add_document
from refdesk.knowledge.views import document_view, upload_limit

# How much of a refused file is read past to reach the next one.
SKIP_BYTES = 8 * 1024 * 1024
MAX_FILES = 1_000
MAX_FIELD_BYTES = 64 * 1024


@dataclass(slots=True)
class Target:
    """Where the files go, and with which limits and settings; `drafts_expire_after` makes previews."""

    base_id: UUID
    limit_bytes: int
    limit_name: str
    split: dict[str, Any]
    allow_duplicate: bool
    folder_id: UUID | None = None
    drafts_expire_after: timedelta | None = None

    @classmethod
    def of(
        cls,
        base: KnowledgeBase,
        settings: Settings,
        *,
        allow_duplicate: bool,
        folder_id: UUID | None = None,
        drafts: bool = False,
    ) -> "Target":
        limit = upload_limit(base, settings)
        own = limit == base.max_file_bytes
        return cls(
            base_id=base.id,
            limit_bytes=limit,
            limit_name="max_file_bytes of the knowledge base" if own else "REFDESK_MAX_UPLOAD_BYTES",
            split=base.settings.get("split", {}),
            allow_duplicate=allow_duplicate,
            folder_id=folder_id,
            drafts_expire_after=timedelta(hours=settings.draft_hours) if drafts else None,
        )


async def receive(request: Request, database: Database, scope: Scope, target: Target) -> UploadResult:
    """Read the request's files into documents.

    Raises `MalformedUpload`, `NoFiles`, and, where not one file was accepted, the first refusal with all
    outcomes in its details.
    """
    reception = _Reception(database, scope, target)
    try:
        async for event in events(request):
            if not await reception.take(event):
                reception.unread = True
                break
    except (FormParserError, ClientDisconnect):
        reception.break_off(MalformedUpload())
    except AppError as error:  # settings that do not fit: the files before them are saved and must be told
        reception.break_off(error)
    finally:
        await reception.close()
    return reception.result()


class _Reception:
    """One request's files as they come."""

    def __init__(self, database: Database, scope: Scope, target: Target) -> None:
        self._database = database
        self._scope = scope
        self._target = target
        self._outcomes: list[FileOutcome] = []
        self._errors: list[AppError] = []
        self._file: IncomingFile | None = None
        self._name = ""
        self._field: bytearray | None = None
        self._field_name = ""
        self._skipped: int | None = None
        self.unread = False

    async def take(self, event: Event) -> bool:
        """False when the rest of the request is not to be read."""
        if isinstance(event, PartBegin):
            self._begin(event.headers)
        elif isinstance(event, PartData):
            return await self._data(event.data)
        else:
            await self._end()
        return True

    def _begin(self, headers: dict[bytes, bytes]) -> None:
        _, options = parse_options_header(headers.get(b"content-disposition", b""))
        filename = options.get(b"filename")
        self._skipped = None
        if filename is None:
            self._field = bytearray()
            self._field_name = options.get(b"name", b"").decode(errors="replace")
            return
        if len(self._outcomes) >= MAX_FILES:
            raise MalformedUpload(f"At most {MAX_FILES} files can be sent at once.")
        self._name = display_name(decode_name(filename))
        self._file = IncomingFile(
            self._database, self._scope, self._target.limit_bytes, self._target.limit_name
        )

    async def _data(self, data: bytes) -> bool:
        if self._field is not None:
            self._field += data
            if len(self._field) > MAX_FIELD_BYTES:
                raise MalformedUpload(f"A form field is longer than {MAX_FIELD_BYTES} bytes.")
        elif self._file is not None:
            try:
                await self._file.write(data)
            except AppError as error:
                await self._file.discard()
                self._file = None
                self._refuse(error)
                self._skipped = 0
        elif self._skipped is not None:
            self._skipped += len(data)
            return self._skipped <= SKIP_BYTES
        return True

    async def _end(self) -> None:
        if self._field is not None:
            await self._take_field(self._field_name, bytes(self._field))
            self._field = None
        elif self._file is not None:
            await self._finish(self._file)
            self._file = None

    async def _take_field(self, name: str, raw: bytes) -> None:
        if name == "settings":
            try:
                options = SplitOptions.model_validate_json(raw)
            except ValidationError as error:
                problems = error.errors(include_url=False, include_context=False, include_input=False)
                raise MalformedUpload("The settings are not valid.", problems=problems) from None
            await require_usable(options)
            self._target.split = options.model_dump(exclude_defaults=True)
        elif name == "allow_duplicate":
            self._target.allow_duplicate = raw.strip().lower() == b"true"

    async def _finish(self, file: IncomingFile) -> None:
        try:
            if file.size == 0:
                raise EmptyFile
            async with self._database.transaction() as session:
                blob = await file.finish(session)
                await self._require_room(session)
                repository = DocumentRepository(session, self._scope)
                if not self._target.allow_duplicate:
                    same = await repository.with_content(self._target.base_id, file.sha256)
                    if same is not None:
                        raise DuplicateDocument(
                            f"The same file is already here as “{same.name}”.",
                            document_id=str(same.id),
                            document_name=same.name,
                            state=same.state,
                        )
                document = self._document(blob)
                if self._target.folder_id is not None:
                    await Folders(session, self._scope).place(document, self._target.folder_id)
                await add_document(session, document)
                await session.refresh(document)
                await enqueue_processing(session, self._scope, document.id)
                view = document_view(document, {blob.id: blob.size}, ())
        except AppError as error:
            await file.discard()
            self._refuse(error)
            return
        self._accept(view)

    async def _require_room(self, session: AsyncSession) -> None:
        if self._target.drafts_expire_after is None:
            await require_room(session, self._scope, self._target.base_id)
        else:
            await require_draft_room(session, self._scope, self._target.base_id)

    def _document(self, blob: Blob) -> Document:
        expires = self._target.drafts_expire_after
        return Document(
            id=new_id(),
            workspace_id=self._scope.workspace_id,
            knowledge_base_id=self._target.base_id,
            blob_id=blob.id,
            name=self._name,
            warnings=[],
            meta={},
            split_settings=self._target.split,
            is_draft=expires is not None,
            expires_at=None if expires is None else now() + expires,
            created_by=self._scope.user_id,
        )

    def _accept(self, view: DocumentView) -> None:
        self._outcomes.append(FileOutcome(name=self._name, document=view))

    def _refuse(self, error: AppError) -> None:
        self._errors.append(error)
        problem = Problem(code=error.code, message=error.text, hint=error.hint_text, details=error.details)
        self._outcomes.append(FileOutcome(name=self._name, error=problem))

    def break_off(self, error: AppError) -> None:
        """The request ended in the middle; the file or field that was arriving is refused."""
        if self._field is not None:
            self._name = self._field_name
            self._refuse(error)
        elif self._file is not None or not self._outcomes:
            self._refuse(error)
        self.unread = True

    async def close(self) -> None:
        """Leave nothing behind of a file that did not arrive whole."""
        if self._file is not None:
            await self._file.discard()

    def result(self) -> UploadResult:
        accepted = sum(outcome.document is not None for outcome in self._outcomes)
        result = UploadResult(
            files=self._outcomes,
            accepted=accepted,
            refused=len(self._outcomes) - accepted,
            unread=self.unread,
        )
        if not self._outcomes:
            raise NoFiles
        if not accepted:
            first = self._errors[0]
            first.details["files"] = [outcome.model_dump(mode="json") for outcome in self._outcomes]
            first.details["unread"] = self.unread
            raise first
        return result
