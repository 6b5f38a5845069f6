"""A preview that somebody works on stays: every change of it begins its time anew.

Two dependencies of routes, by what their path names; of documents that are no drafts they touch nothing.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from fastapi import Depends
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import BoundEditor, Scope
from refdesk.kit.clock import now
from refdesk.kit.settings import Settings
from refdesk.kit.web import Tx
from refdesk.knowledge.route_parts import SettingsDep
from refdesk.knowledge.tables import Document, Paragraph


async def extend(session: AsyncSession, scope: Scope, settings: Settings, document_id: Any) -> None:
    """Let the draft expire `REFDESK_DRAFT_HOURS` from now; `document_id` is an id or a query for one."""
    await session.execute(
        update(Document)
        .where(
            Document.workspace_id == scope.workspace_id,
            Document.id == document_id,
            Document.is_draft.is_(True),
            Document.deleted_at.is_(None),
        )
        .values(expires_at=now() + timedelta(hours=settings.draft_hours))
        .execution_options(synchronize_session=False)
    )


async def _of_document(document_id: UUID, session: Tx, scope: BoundEditor, settings: SettingsDep) -> None:
    await extend(session, scope, settings, document_id)


async def _of_paragraph(paragraph_id: UUID, session: Tx, scope: BoundEditor, settings: SettingsDep) -> None:
    owner = select(Paragraph.document_id).where(
        Paragraph.workspace_id == scope.workspace_id, Paragraph.id == paragraph_id
    )
    await extend(session, scope, settings, owner.scalar_subquery())


EXTENDS_DRAFT = [Depends(_of_document)]
EXTENDS_DRAFT_OF_PARAGRAPH = [Depends(_of_paragraph)]
