"""Asking for a new version of a document: another file, the same read again, other split settings, or an
earlier version again.

Only notes what is wanted and has it processed. The present version stays as it is, is found and can be read
until the new one is complete, and also where the new file turns out to be unreadable.
"""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.jobs import Urgency
from refdesk.kit.clock import now
from refdesk.kit.errors import NotFound
from refdesk.knowledge import blobs, parsed_texts
from refdesk.knowledge.errors import (
    EditedParagraphs,
    NoOriginal,
    NoVersionsYet,
    StillRunning,
    VersionIsCurrent,
)
from refdesk.knowledge.filenames import display_name, renewed_name
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.queueing import enqueue_processing
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.tables import Blob, Document, DocumentVersion
from refdesk.knowledge.versions.repository import VersionRepository, new_version

RUNNING = frozenset(("queued", "parsing", "splitting", "indexing"))


async def replace_file(
    session: AsyncSession,
    scope: Scope,
    document_id: UUID,
    blob: Blob,
    *,
    name: str | None = None,
    keeps_name: bool = False,
    reason: str = "upload",
) -> Document:
    """Let the document be made from another file; a job reads it and makes the new version.

    `reason`: `upload` or `sync`. `name` renames the document with it, or with `keeps_name` gives it no more
    than the file's ending. The file it has already changes nothing but the name, unless limits cut its
    reading short: who uploads it once more has it read again. One that is still being read is superseded.
    Raises `NotFound`.
    """
    document = await DocumentRepository(session, scope).get(document_id, lock=True)
    called = document.name if name is None else display_name(name)
    if keeps_name:
        called = renewed_name(document.name, called)
    versions = VersionRepository(session, scope)
    is_cut_short = any(warning["code"] in parsed_texts.CUT_SHORT for warning in document.warnings)
    is_read_again = is_cut_short and reason == "upload"
    if blob.id == document.blob_id and document.state == "ready" and not is_read_again:
        document.name = called
        return document
    if document.is_draft:
        former, document.blob_id, document.name, document.split_at = document.blob_id, blob.id, called, None
        await _queue_again(session, scope, document)
        if former is not None and former != blob.id:
            await blobs.remove_unreferenced(session, scope, former)
        return document
    pending = await _begin(session, scope, document, reason)
    former, pending.blob_id, pending.name = pending.blob_id, blob.id, called
    await session.flush()
    if former is not None and former != blob.id:
        await blobs.remove_unreferenced(session, scope, former)
    current = await versions.current(document)
    details = {"name": document.name, "from": current.number}
    audit(session, scope, "document.replace", ("document", document_id), **details)
    return document


async def split_again(
    session: AsyncSession, scope: Scope, document: Document, settings: dict[str, Any], *, discard_edits: bool
) -> None:
    """Have the locked document split with other settings. What was edited is lost where its paragraph is.

    Raises `NoOriginal`, `StillRunning`, `EditedParagraphs`.
    """
    if document.blob_id is None:
        raise NoOriginal
    if document.state in RUNNING:
        raise StillRunning(state=document.state)
    edited = await ParagraphRepository(session, scope).count_edited(document.id)
    if edited and not discard_edits:
        raise EditedParagraphs(edited=edited)
    if document.is_draft:
        document.split_settings, document.split_at = settings, None
        await _queue_again(session, scope, document)
        return
    waiting = await VersionRepository(session, scope).pending(document)
    # A file that could not be read yet is tried with the new settings; it stays the reason.
    reason = "split" if waiting is None or waiting.reason == "rollback" else waiting.reason
    pending = await _begin(session, scope, document, reason)
    pending.split_settings = settings
    await session.flush()


async def read_again(session: AsyncSession, scope: Scope, document_id: UUID) -> Document:
    """Have the file the document is made from read anew, as after an update of Refdesk or of its settings.

    What an earlier reading left behind is not used. The result is a new version, with ids, edits, questions
    and flags carried over; a file that was never read has none before it. Raises `NotFound`, `NoOriginal`
    and `StillRunning`.
    """
    document = await DocumentRepository(session, scope).get(document_id, lock=True)
    if document.blob_id is None:
        raise NoOriginal
    if document.state in RUNNING:
        raise StillRunning(state=document.state)
    await parsed_texts.keep(session, scope, document, None)
    waiting = await VersionRepository(session, scope).pending(document)
    was_never_read = waiting is None and document.split_at is None
    if document.is_draft or was_never_read:
        document.split_at = None
        await _queue_again(session, scope, document)
    else:
        # A new file that could not be read yet is tried once more; it stays the reason.
        reason = "reread" if waiting is None or waiting.reason == "rollback" else waiting.reason
        await _begin(session, scope, document, reason)
        await session.flush()
    audit(session, scope, "document.reread", ("document", document_id), name=document.name)
    return document


async def restore(session: AsyncSession, scope: Scope, document_id: UUID, number: int) -> Document:
    """Bring version `number` back as a new version, or drop the one that is being made.

    Raises `NotFound`, `VersionIsCurrent` and `NoVersionsYet`.
    """
    document = await DocumentRepository(session, scope).get(document_id, lock=True)
    if document.is_draft:
        raise NoVersionsYet
    versions = VersionRepository(session, scope)
    wanted = await versions.find(document_id, number)
    if wanted is None or number > document.version:
        raise NotFound("The document has no such version.", version=number)
    if number == document.version:
        await _drop_pending(session, scope, document)
        return document
    pending = await _begin(session, scope, document, "rollback")
    pending.restores = number
    pending.name, pending.blob_id, pending.split_settings = wanted.name, wanted.blob_id, wanted.split_settings
    await session.flush()
    audit(session, scope, "document.restore", ("document", document_id), name=document.name, version=number)
    return document


async def _begin(session: AsyncSession, scope: Scope, document: Document, reason: str) -> DocumentVersion:
    """The version to be, as the present one but for what the caller changes."""
    versions = VersionRepository(session, scope)
    await versions.current(document)
    pending = await versions.pending(document)
    if pending is None:
        pending = new_version(document, document.version + 1, reason)
        session.add(pending)
    elif pending.reason == "rollback":
        pending.name, pending.blob_id = document.name, document.blob_id
        pending.split_settings = document.split_settings
    pending.reason, pending.restores, pending.created_by = reason, None, scope.user_id
    document.split_at = None
    await _queue_again(session, scope, document, Urgency.BULK if reason == "sync" else Urgency.AWAITED)
    return pending


async def _drop_pending(session: AsyncSession, scope: Scope, document: Document) -> None:
    pending = await VersionRepository(session, scope).pending(document)
    if pending is None:
        raise VersionIsCurrent(version=document.version)
    blob_id = pending.blob_id
    await session.delete(pending)
    document.split_at = now()
    await _queue_again(session, scope, document)
    if blob_id is not None:
        await blobs.remove_unreferenced(session, scope, blob_id)


async def _queue_again(
    session: AsyncSession, scope: Scope, document: Document, urgency: Urgency = Urgency.AWAITED
) -> None:
    document.state = "queued"
    document.error = None
    document.cancel_requested = False
    document.attempt = None
    await session.flush()
    await enqueue_processing(session, scope, document.id, urgency=urgency)
