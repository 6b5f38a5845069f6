"""Receiving an export: stored, checked from end to end, and only then a new base with a job that fills it."""

import asyncio
import tempfile
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession
from starlette.requests import Request

from refdesk.accounts import Scope
from refdesk.gateway import Gateway, ModelRepository
from refdesk.jobs import enqueue
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError, NotFound
from refdesk.kit.settings import Settings
from refdesk.knowledge import blobs
from refdesk.knowledge.bases import KnowledgeBases
from refdesk.knowledge.errors import NoFiles
from refdesk.knowledge.exchange.checking import Contents, check
from refdesk.knowledge.exchange.errors import ArchiveTooLarge, ImportNotFailed
from refdesk.knowledge.exchange.importing import fetch
from refdesk.knowledge.exchange.progress import Progress
from refdesk.knowledge.exchange.records import EmbedderRecord
from refdesk.knowledge.exchange.schemas import ImportView
from refdesk.knowledge.filenames import clean_title
from refdesk.knowledge.receiving import Received, received_files
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.schemas import KnowledgeBaseCreate
from refdesk.knowledge.sources.schemas import SourceProblem
from refdesk.knowledge.tables import Blob, KnowledgeBase
from refdesk.knowledge.views import SUGGESTED

IMPORT_BASE = "import-knowledge-base"


async def receive_archive(
    request: Request,
    database: Database,
    scope: Scope,
    settings: Settings,
    gateway: Gateway,
    name: str | None,
) -> ImportView:
    """The first file of a request. Raises `NoFiles`, `MalformedUpload`, and what `check` raises."""
    limit = settings.max_import_bytes
    async for received in received_files(
        request, database, scope, limit_bytes=limit, limit_name="REFDESK_MAX_IMPORT_BYTES"
    ):
        blob = await _stored(database, scope, received, limit)
        try:
            with tempfile.TemporaryFile(prefix="refdesk-import-") as file:
                await fetch(database, scope, blob.id, file)
                contents = await asyncio.to_thread(check, file, limit)
            async with database.transaction() as session:
                return await _begin(session, scope, settings, gateway, contents, blob, name)
        except AppError:
            async with database.transaction() as session:
                await blobs.remove_unreferenced(session, scope, blob.id)
            raise
    raise NoFiles


async def _stored(database: Database, scope: Scope, received: Received, limit: int) -> Blob:
    if received.file is None:
        raise ArchiveTooLarge(max_bytes=limit)
    async with database.transaction() as session:
        return await received.file.finish(session)


async def _begin(
    session: AsyncSession,
    scope: Scope,
    settings: Settings,
    gateway: Gateway,
    contents: Contents,
    blob: Blob,
    name: str | None,
) -> ImportView:
    record = contents.manifest.base
    body = KnowledgeBaseCreate(
        # A name that was asked for is taken or refused, by `create`; the export's own may get a number.
        name=clean_title(name) if name else await _free_name(session, scope, clean_title(record.name)),
        description=record.description,
        embedding_model_id=await _model_like(session, scope, contents.manifest.embedder),
        max_file_bytes=record.max_file_bytes,
        max_documents=record.max_documents,
        split_settings=record.settings.split,
        # A second sample library would be taken for the first one.
        meta={key: value for key, value in record.meta.items() if key != "sample"},
    )
    made = await KnowledgeBases(session, scope, settings).create(body, gateway)
    base = await KnowledgeBaseRepository(session, scope).get(made.id, lock=True)
    if record.suggested_questions:
        base.meta = {**base.meta, SUGGESTED: record.suggested_questions}
    progress = Progress("queued", contents.documents, 0, str(blob.id), contents.entries).save(base)
    await _enqueue(session, scope, base.id)
    return _view(base, progress)


async def _enqueue(session: AsyncSession, scope: Scope, base_id: UUID) -> None:
    await enqueue(
        session,
        IMPORT_BASE,
        lock=f"import:{base_id}",
        unique=True,
        line=base_id,
        workspace_id=str(scope.workspace_id),
        knowledge_base_id=str(base_id),
    )


async def retry_import(session: AsyncSession, scope: Scope, base_id: UUID) -> ImportView:
    """Go on with an import that failed, from where it stopped. Raises `NotFound`, `ImportNotFailed`."""
    base = await KnowledgeBaseRepository(session, scope).get(base_id, lock=True)
    progress = _progress(base)
    if progress.state != "failed":
        raise ImportNotFailed(state=progress.state)
    progress = progress.save(base, state="queued", error=None)
    await _enqueue(session, scope, base_id)
    return _view(base, progress)


async def _free_name(session: AsyncSession, scope: Scope, wanted: str) -> str:
    repository = KnowledgeBaseRepository(session, scope)
    name, number = wanted, 1
    while await repository.by_name(name) is not None:
        number += 1
        name = f"{wanted[:190]} {number}"
    return name


async def _model_like(session: AsyncSession, scope: Scope, embedder: EmbedderRecord | None) -> UUID | None:
    """The workspace's model that the vectors are of; None means its default one."""
    if embedder is None:
        return None
    for model in await ModelRepository(session, scope).all("EMBEDDING"):
        if (model.provider, model.model_name) == (embedder.provider, embedder.model_name):
            return model.id
    return None


async def import_view(session: AsyncSession, scope: Scope, base_id: UUID) -> ImportView:
    """How an import stands. Raises `NotFound` also for a base that was not imported."""
    base = await KnowledgeBaseRepository(session, scope).get(base_id)
    return _view(base, _progress(base))


def _progress(base: KnowledgeBase) -> Progress:
    progress = Progress.of(base)
    if progress is None:
        raise NotFound("This knowledge base was not imported.")
    return progress


def _view(base: KnowledgeBase, progress: Progress) -> ImportView:
    return ImportView(
        knowledge_base_id=base.id,
        name=base.name,
        state=progress.state,  # type: ignore[arg-type] - checked by the model
        documents=progress.documents,
        done=progress.done,
        reused_vectors=progress.reused_vectors,
        error=None if progress.error is None else SourceProblem.model_validate(progress.error),
    )
