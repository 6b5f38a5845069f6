"""Keeping what parsing brought, compressed, so that other split settings do not read the file again.

Kept for previews, where people try one setting after another, and for files that took long. It is used only
by the release that made it and for the settings of reading it was made with. What a limit of time or pages
cut short is not kept: the next reading may get further.
"""

import asyncio
import zlib
from collections.abc import Sequence
from uuid import UUID

import orjson
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk import __version__
from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge import blobs
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.errors import ContentLost
from refdesk.knowledge.parsing import ParseWarning
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.schemas import SplitOptions
from refdesk.knowledge.tables import Blob, Document

# Parsing that was quicker than this is done again rather than kept.
_WORTH_KEEPING_S = 5.0
# Warnings of readings that limits cut short; how far one gets depends on how busy the machine is.
CUT_SHORT = frozenset(("ocr-incomplete", "ocr-skipped"))
_MAX_BYTES = 512 * 1024 * 1024


def is_worth_keeping(warnings: Sequence[ParseWarning], took_s: float, *, is_draft: bool) -> bool:
    """Whether to keep what was read, with these warnings, in `took_s` seconds."""
    if any(warning.code in CUT_SHORT for warning in warnings):
        return False
    return is_draft or took_s > _WORTH_KEEPING_S


def _head(options: SplitOptions, source: Blob) -> dict[str, object]:
    return {
        "release": __version__,
        "sha256": source.sha256.hex(),
        "reading": [options.include_comments, options.include_running, options.sheet_form],
    }


def packed(encoded: bytes, options: SplitOptions, source: Blob) -> bytes:
    """A parse result, as JSON, with what it was made of. 10 MB of text take 0.2 s."""
    return orjson.dumps(_head(options, source)) + b"\n" + zlib.compress(encoded, 1)


def unpacked(data: bytes, options: SplitOptions, source: Blob) -> bytes | None:
    """The parse result as JSON, or None if it was made otherwise."""
    head, _, body = data.partition(b"\n")
    if orjson.loads(head) != _head(options, source):
        return None
    return zlib.decompress(body)


async def load(
    database: Database, scope: Scope, document_id: UUID, options: SplitOptions, source: Blob
) -> bytes | None:
    """What was kept for this document, as JSON, if it is of use."""
    async with database.transaction() as session:
        repository = DocumentRepository(session, scope)
        document = await repository.find(document_id)
        blob = None if document is None else await repository.parsed_blob(document)
    if blob is None:
        return None
    try:
        return await asyncio.to_thread(unpacked, await blobs.load(database, scope, blob), options, source)
    except ContentLost:
        return None


async def write(database: Database, scope: Scope, data: bytes) -> IncomingFile:
    """Store a packed result; it belongs to nothing until `keep` has tied it to its document."""
    incoming = IncomingFile(database, scope, _MAX_BYTES, "parsed text")
    await incoming.write(data)
    return incoming


async def keep(
    session: AsyncSession, scope: Scope, document: Document, incoming: IncomingFile | None
) -> None:
    """Tie a stored result to the locked document; None leaves it with nothing, for another file."""
    former = document.parsed_blob_id
    blob = None if incoming is None else await incoming.finish(session)
    document.parsed_blob_id = None if blob is None else blob.id
    await session.flush()
    if former is not None and former != document.parsed_blob_id:
        await blobs.remove_unreferenced(session, scope, former)
