"""Forgetting versions beyond the limit: the oldest go first, but none that an answer cites.

Owns which versions may go. Who cites is known by rooms above, which say so through `cited_paragraphs`.
"""

from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge import blobs
from refdesk.knowledge.tables import Document
from refdesk.knowledge.versions.repository import VersionRepository

type CitedParagraphs = Callable[[AsyncSession, Scope, Sequence[UUID]], Awaitable[set[UUID]]]
# Rooms above tell here which of some paragraphs they still lead people to.
cited_paragraphs: list[CitedParagraphs] = []


async def prune(session: AsyncSession, scope: Scope, document: Document, keep: int) -> int:
    """Remove versions before the latest `keep` earlier ones of the locked document. Returns how many.

    One whose snapshot alone holds a cited paragraph stays, however old it is.
    """
    versions = VersionRepository(session, scope)
    going = await versions.up_to(document.id, document.version - keep - 1)
    if not going:
        return 0
    held = await versions.past_paragraphs([version.id for version in going])
    asked = [paragraph_id for ids in held.values() for paragraph_id in ids]
    cited: set[UUID] = set()
    if asked:
        for told in cited_paragraphs:
            cited |= await told(session, scope, asked)
    removed = [version for version in going if cited.isdisjoint(held.get(version.id, ()))]
    blob_ids = {version.blob_id for version in removed if version.blob_id is not None}
    for version in removed:
        await session.delete(version)
    await session.flush()
    for blob_id in sorted(blob_ids):
        await blobs.remove_unreferenced(session, scope, blob_id)
    return len(removed)
