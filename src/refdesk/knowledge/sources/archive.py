"""A ZIP that keeps a folder source in step: each file in it a document, synced one by one.

The same as a folder that a client sends, with the archive in the client's place: what is under the same path
with other content is a new version, what is new is added, what is gone is removed unless it is to be kept.
"""

import asyncio
import hashlib
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import IO
from uuid import UUID

from starlette.requests import Request

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings
from refdesk.knowledge import blobs
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.errors import NoFiles
from refdesk.knowledge.parse_settings import parse_options
from refdesk.knowledge.parsing import CorruptFile
from refdesk.knowledge.parsing.archive import member_names
from refdesk.knowledge.parsing.unpacking import check_sizes, read_member
from refdesk.knowledge.receiving import Received, received_files
from refdesk.knowledge.schemas import FileOutcome, Problem, SplitOptions
from refdesk.knowledge.sources.folder import Folders
from refdesk.knowledge.sources.schemas import (
    MAX_MANIFEST_FILES,
    ArchiveSync,
    Manifest,
    ManifestFile,
    RefusedFile,
    SyncRequest,
)
from refdesk.knowledge.tables import Blob

_FOREIGN = "__MACOSX"


@dataclass(frozen=True, slots=True)
class _Member:
    info: zipfile.ZipInfo
    file: ManifestFile


class ArchiveRun:
    """One archive for one source; each file is a transaction of its own, and a second run sends nothing."""

    def __init__(self, database: Database, scope: Scope, settings: Settings, source_id: UUID) -> None:
        self._database = database
        self._scope = scope
        self._settings = settings
        self._source_id = source_id
        self._options = parse_options(SplitOptions(), settings)
        self._limit = 0

    async def receive(self, request: Request, how: SyncRequest, *, keep: bool) -> ArchiveSync:
        """Sync with the archive of the request. Raises `NoFiles`, `CorruptFile`, `TooMuchVanished`."""
        async with self._database.transaction() as session:
            folders = Folders(session, self._scope, self._settings)
            self._limit = await folders.limit_bytes(await folders.get(self._source_id))
        incoming = received_files(
            request,
            self._database,
            self._scope,
            limit_bytes=self._settings.parse_max_unpacked_bytes,
            limit_name="REFDESK_PARSE_MAX_UNPACKED_BYTES",
        )
        async with aclosing(incoming) as files:
            async for received in files:
                if received.error is not None:
                    raise received.error
                assert received.file is not None
                with tempfile.TemporaryFile(prefix="refdesk-archive-") as file:
                    await self._copy(received.file, file)
                    return await self._sync(file, how, keep=keep)
        raise NoFiles

    async def _copy(self, received: IncomingFile, file: IO[bytes]) -> None:
        """The archive itself is not kept: what is in it is."""
        async with self._database.transaction() as session:
            blob: Blob = await received.finish(session)
        try:
            async for data in blobs.read(self._database, self._scope, blob.id, blob.size):
                await asyncio.to_thread(file.write, data)
            file.seek(0)
        finally:
            async with self._database.transaction() as session:
                await blobs.remove_unreferenced(session, self._scope, blob.id)

    async def _sync(self, file: IO[bytes], how: SyncRequest, *, keep: bool) -> ArchiveSync:
        try:
            archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise CorruptFile(reason=str(error)) from error
        with archive:
            members, refused = await asyncio.to_thread(self._members, archive)
            result = await self._compare([member.file for member in members], how, keep=keep)
            own = {refusal.path for refusal in refused}
            result.refused = refused + [item for item in result.refused if item.path not in own]
            by_path = {member.file.path: member for member in members}
            for path in result.upload:
                result.files.append(await self._take(archive, by_path[path]))
            return result

    def _members(self, archive: zipfile.ZipFile) -> tuple[list[_Member], list[RefusedFile]]:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if len(infos) > self._options.max_members:
            raise CorruptFile("The archive has more files than the limit allows.", members=len(infos))
        members: dict[str, _Member] = {}
        refused: list[RefusedFile] = []
        left = self._options.max_unpacked_bytes
        for info, name in zip(infos, member_names(infos), strict=True):
            if any(part.startswith(".") or part == _FOREIGN for part in name.split("/") if part != ".."):
                continue
            try:
                content = self._content(archive, info, left)
            except AppError as error:
                path = name[:1_000]
                refused.append(RefusedFile(path=path, code=error.code, reason=error.text))
                # Still there, though it cannot be read: its document stays.
                members[path] = _Member(info, ManifestFile(path=path, sha256="0" * 64, size=0))
                continue
            left -= len(content)
            digest = hashlib.sha256(content).hexdigest()
            path = name[:1_000]
            members[path] = _Member(info, ManifestFile(path=path, sha256=digest, size=len(content)))
        return list(members.values()), refused

    def _content(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> bytes:
        check_sizes(info.file_size, info.compress_size, self._options, left)
        return read_member(archive, info, min(left, self._limit))

    async def _compare(self, files: Sequence[ManifestFile], how: SyncRequest, *, keep: bool) -> ArchiveSync:
        result = ArchiveSync(upload=[], unchanged=0, renamed=[], removed=[], refused=[], files=[])
        run: UUID | None = None
        starts = range(0, max(len(files), 1), MAX_MANIFEST_FILES)
        for start in starts:
            body = Manifest(
                files=list(files[start : start + MAX_MANIFEST_FILES]),
                keep=keep,
                run=run,
                more=start != starts[-1],
                **how.model_dump(),
            )
            async with self._database.transaction() as session:
                folders = Folders(session, self._scope, self._settings)
                answer = await folders.manifest(self._source_id, body)
            run = answer.run
            result.upload += answer.upload
            result.unchanged += answer.unchanged
            result.renamed += answer.renamed
            result.removed += answer.removed
            result.refused += answer.refused
        return result

    async def _take(self, archive: zipfile.ZipFile, member: _Member) -> FileOutcome:
        path = member.file.path
        file = IncomingFile(self._database, self._scope, self._limit, "the size limit of the knowledge base")
        try:
            await file.write(await asyncio.to_thread(self._content, archive, member.info, self._limit))
            async with self._database.transaction() as session:
                folders = Folders(session, self._scope, self._settings)
                view = await folders.take(self._source_id, Received(path, file))
        except AppError as error:
            await file.discard()
            problem = Problem(
                code=error.code, message=error.text, hint=error.hint_text, details=error.details
            )
            return FileOutcome(name=path, error=problem)
        return FileOutcome(name=path, document=view)
