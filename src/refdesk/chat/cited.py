"""Which paragraphs answers cite: versions of documents that hold these are not forgotten."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope

_CITED = text("""
SELECT DISTINCT c ->> 'paragraph_id' FROM runs, jsonb_array_elements(runs.citations) AS c
WHERE runs.workspace_id = :workspace_id AND c ->> 'paragraph_id' = ANY(CAST(:ids AS text[]))
""")


async def paragraphs_cited(session: AsyncSession, scope: Scope, ids: Sequence[UUID]) -> set[UUID]:
    """Those of these paragraphs that an answer of the workspace cites."""
    rows = await session.scalars(
        _CITED, {"workspace_id": scope.workspace_id, "ids": [str(paragraph_id) for paragraph_id in ids]}
    )
    return {UUID(found) for found in rows}
