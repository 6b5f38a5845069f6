"""A folder that a client keeps in step: it sends a manifest, is told what is missing, and sends that.

Files are compared by their SHA-256, so a second run sends nothing. What is in no part of the manifest is
removed with the last part; a file that only moved keeps its document.
"""

import re
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession
from starlette.requests import Request

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.access import require_whole
from refdesk.knowledge.access.folders import hidden_folders_of
from refdesk.knowledge.errors import FileTooLarge, NoFiles
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.parsing import EmptyFile, UnsupportedKind
from refdesk.knowledge.receiving import Received, received_files
from refdesk.knowledge.repository import DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.schemas import DocumentView, FileOutcome, Problem
from refdesk.knowledge.sources.contents import (
    ALWAYS_REMOVABLE,
    add_document,
    problem_of,
    remove_document,
)
from refdesk.knowledge.sources.errors import (
    DeletedHere,
    ManifestSuperseded,
    PathInvalid,
    SourceKindMismatch,
    TooMuchVanished,
)
from refdesk.knowledge.sources.files import is_document_name
from refdesk.knowledge.sources.repository import ItemRepository, SourceRepository
from refdesk.knowledge.sources.schemas import (
    FolderUploadResult,
    Manifest,
    ManifestAnswer,
    ManifestFile,
    RefusedFile,
)
from refdesk.knowledge.tables import Document, Source, SourceItem
from refdesk.knowledge.versions import replace_file
from refdesk.knowledge.views import document_view, upload_limit

MAX_PATH_CHARS = 480
_DRIVE = re.compile(r"^[A-Za-z]:")


def relative_path(path: str) -> str:
    """A path inside the folder with `/`. Raises `PathInvalid` for one that leads out, or is too long."""
    plain = path.replace("\\", "/")
    parts = plain.split("/")
    if (
        not plain.strip()
        or plain.startswith("/")
        or _DRIVE.match(plain)
        or "\0" in plain
        or any(part in ("", ".", "..") for part in parts)
        or len(plain) > MAX_PATH_CHARS
    ):
        raise PathInvalid(path=path[:200])
    return plain


def check_file(path: str, size: int, limit: int) -> str:
    """The path in the folder of a file that may be a document, by its name and size alone.

    Raises `PathInvalid`, `UnsupportedKind`, `FileTooLarge` and `EmptyFile`.
    """
    relative = relative_path(path)
    if not is_document_name(relative):
        raise UnsupportedKind
    if size > limit:
        raise FileTooLarge(max_bytes=limit)
    if size == 0:
        raise EmptyFile
    return relative


def name_of(path: str) -> str:
    """How a file is called as a document: its path, each part without what cannot be shown."""
    return "/".join(display_name(part) for part in path.split("/"))


class Folders:
    """Folder sources of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope, settings: Settings) -> None:
        self.session = session
        self.scope = scope
        self.settings = settings
        self.sources = SourceRepository(session, scope)

    async def get(self, source_id: UUID, *, lock: bool = False) -> Source:
        """The source. Raises `NotFound`, `SourceKindMismatch` and, for whom some of it is hidden,
        `HiddenDocuments`: what they do not see must neither be removed nor come in a second time.
        """
        source = await self.sources.get(source_id, lock=lock)
        await require_whole(self.session, self.scope, source.knowledge_base_id, source_id=source_id)
        if source.kind != "folder":
            raise SourceKindMismatch("This source is not a folder.", kind=source.kind)
        return source

    async def limit_bytes(self, source: Source) -> int:
        base = await KnowledgeBaseRepository(self.session, self.scope).get(source.knowledge_base_id)
        return upload_limit(base, self.settings)

    async def manifest(self, source_id: UUID, body: Manifest) -> ManifestAnswer:
        """Compare a part of the manifest, and with the last one remove what is gone.

        Raises `ManifestSuperseded` and `TooMuchVanished`.
        """
        source = await self.get(source_id, lock=True)
        run = self._begin(source, body.run)
        items = ItemRepository(self.session, self.scope, source_id)
        answer = ManifestAnswer(run=run, upload=[], unchanged=0, renamed=[], removed=[], refused=[])
        files = self._accepted(body, answer, await self.limit_bytes(source))
        await self._compare(source, items, files, body, answer)
        if not body.more:
            if not body.keep:
                await self._remove_vanished(source, items, body, answer)
            source.state = "idle"
        await self._count(source, items)
        return answer

    def _begin(self, source: Source, run: UUID | None) -> UUID:
        if run is not None:
            if source.attempt != run:
                raise ManifestSuperseded
            return run
        started = new_id()
        source.attempt = started
        source.last_run_at = now()
        source.state = "running"
        source.error = None
        return started

    def _accepted(self, body: Manifest, answer: ManifestAnswer, limit: int) -> dict[str, ManifestFile]:
        files: dict[str, ManifestFile] = {}
        for file in body.files:
            try:
                files[check_file(file.path, file.size, limit)] = file
            except AppError as error:
                answer.refused.append(RefusedFile(path=file.path, code=error.code, reason=error.text))
        return files

    async def _compare(
        self,
        source: Source,
        items: ItemRepository,
        files: dict[str, ManifestFile],
        body: Manifest,
        answer: ManifestAnswer,
    ) -> None:
        present = await self.sources.present_documents(source.id)
        known = await items.by_keys([*files, *(file.path for file in answer.refused)])
        same: list[str] = []
        for path, file in files.items():
            item = known.get(path)
            has_document = item is not None and item.document_id in present
            was_deleted = item is not None and item.content_hash is not None and not has_document
            if was_deleted and not body.restore_deleted:
                await self._leave_deleted(items, path, answer)
                continue
            if item is not None and has_document and item.content_hash == bytes.fromhex(file.sha256):
                same.append(path)
            else:
                answer.upload.append(path)
        at = now()
        await items.saw(same, at, state="unchanged")
        # A file that changed, or can no longer be taken, is still there: its document stays meanwhile.
        await items.saw([path for path in known if path not in set(same)], at)
        answer.unchanged = len(same)
        if body.run is None and not body.more:
            await self._rename(source, items, files, known, answer)

    async def _leave_deleted(self, items: ItemRepository, path: str, answer: ManifestAnswer) -> None:
        error = DeletedHere()
        answer.refused.append(RefusedFile(path=path, code=error.code, reason=error.text))
        await items.save(path, state="skipped", document_id=None, error=problem_of(error), seen_at=now())

    async def _rename(
        self,
        source: Source,
        items: ItemRepository,
        files: dict[str, ManifestFile],
        known: dict[str, SourceItem],
        answer: ManifestAnswer,
    ) -> None:
        """New paths whose content lay under a path that is gone: the document moves with the file."""
        fresh = {path: bytes.fromhex(files[path].sha256) for path in answer.upload if path not in known}
        assert source.last_run_at is not None
        moved = await items.unseen_by_content(list(fresh.values()), source.last_run_at)
        for path, digest in fresh.items():
            item = moved.pop(digest, None)
            if item is None or item.document_id is None:
                continue
            document = await DocumentRepository(self.session, self.scope).find(item.document_id, lock=True)
            if document is None:
                continue
            document.name = name_of(path)
            document.meta = {**document.meta, "source_path": path}
            item.key, item.state, item.seen_at = path, "unchanged", now()
            answer.upload.remove(path)
            answer.renamed.append(path)
        await self.session.flush()

    async def _remove_vanished(
        self, source: Source, items: ItemRepository, body: Manifest, answer: ManifestAnswer
    ) -> None:
        assert source.last_run_at is not None
        vanished = await items.unseen(source.last_run_at)
        total = len(await self.sources.present_documents(source.id))
        if len(vanished) > max(ALWAYS_REMOVABLE, total / 2) and not body.allow_mass_removal:
            raise TooMuchVanished(documents=total, vanished=len(vanished))
        for item in vanished:
            if item.document_id is not None:
                await remove_document(self.session, self.scope, item.document_id)
            answer.removed.append(item.key)
        await items.remove(answer.removed)
        source.counts = {**source.counts, "removed": len(answer.removed)}

    async def take(self, source_id: UUID, received: Received) -> DocumentView:
        """One file of the folder: a new document, or a new version of the one at its path."""
        assert received.file is not None
        path = relative_path(received.name)
        if received.file.size == 0:
            raise EmptyFile
        source = await self.get(source_id, lock=True)
        items = ItemRepository(self.session, self.scope, source_id)
        item = await items.find(path)
        digest = received.file.sha256
        blob = await received.file.finish(self.session)
        documents = DocumentRepository(self.session, self.scope)
        document = None
        if item is not None and item.document_id is not None:
            document = await documents.find(item.document_id)
        state = "added" if document is None else "changed"
        is_same = document is not None and item is not None and item.content_hash == digest
        if document is None:
            document = await self._adopt(source, digest, path)
        if document is None:
            document = await add_document(
                self.session, self.scope, source, blob, name_of(path), {"source_path": path}
            )
        elif is_same:
            state = "unchanged"
        elif state == "changed":
            await replace_file(self.session, self.scope, document.id, blob, reason="sync")
        await items.save(
            path, state=state, document_id=document.id, content_hash=digest, error=None, seen_at=now()
        )
        await self._count(source, items)
        await self.session.flush()
        await self.session.refresh(document)
        hidden = await hidden_folders_of(self.session, self.scope, [document])
        return document_view(document, await documents.file_sizes([document]), hidden)

    async def _adopt(self, source: Source, digest: bytes, path: str) -> Document | None:
        """A document of the base that was uploaded from this very content, and belongs to no source yet."""
        documents = DocumentRepository(self.session, self.scope)
        found = await documents.with_content(source.knowledge_base_id, digest)
        if found is None or found.source_id is not None or found.is_draft:
            return None
        found.source_id = source.id
        found.name = name_of(path)
        found.meta = {**found.meta, "source_path": path}
        return found

    async def _count(self, source: Source, items: ItemRepository) -> None:
        await self.session.flush()
        assert source.last_run_at is not None
        counts = await items.counts(source.last_run_at)
        removed = source.counts.get("removed", 0) if source.state != "running" else 0
        source.counts = {"found": sum(counts.values()), **counts, "removed": removed}


async def receive_files(
    request: Request, database: Database, scope: Scope, settings: Settings, source_id: UUID
) -> FolderUploadResult:
    """The files of a request, each in a transaction of its own; the file name is the path in the folder."""
    async with database.transaction() as session:
        folders = Folders(session, scope, settings)
        limit = await folders.limit_bytes(await folders.get(source_id))
    result = FolderUploadResult(files=[], accepted=0, refused=0)
    async for received in received_files(
        request, database, scope, limit_bytes=limit, limit_name="the size limit of the knowledge base"
    ):
        try:
            if received.error is not None:
                raise received.error
            async with database.transaction() as session:
                view = await Folders(session, scope, settings).take(source_id, received)
        except AppError as error:
            if received.file is not None:
                await received.file.discard()
            problem = Problem(
                code=error.code, message=error.text, hint=error.hint_text, details=error.details
            )
            result.files.append(FileOutcome(name=received.name, error=problem))
            result.refused += 1
        else:
            result.files.append(FileOutcome(name=received.name, document=view))
            result.accepted += 1
    if not result.files:
        raise NoFiles
    return result
