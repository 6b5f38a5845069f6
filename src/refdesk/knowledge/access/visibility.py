"""Who may see what: the one condition that every read of a document's content passes.

A document counts under one list, `documents.acl_id`; 0 is everybody who may view its base. Whoever is on that
list, alone or through a group, may see it. Owners of the workspace, the local operator and the system's own
work see everything. An API key sees what the person sees to whom it belongs.
"""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, exists, or_, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Role, Scope, groups_of_caller
from refdesk.knowledge.access.errors import HiddenDocuments
from refdesk.knowledge.access.tables import AccessList, AccessListMember, RemovedDocument
from refdesk.knowledge.tables import Document, Paragraph, SourceItem

EVERYONE = 0
"""The list of documents that whoever may view the base may see."""


def sees_all(scope: Scope) -> bool:
    """Whether no access list holds for the caller."""
    return scope.via in ("system", "operator") or scope.role >= Role.OWNER


def lists_of(scope: Scope) -> Select[int]:
    """The lists the caller is on, to be asked within another query."""
    return select(AccessListMember.access_list_id).where(
        AccessListMember.workspace_id == scope.workspace_id,
        or_(
            AccessListMember.user_id == scope.user_id,
            AccessListMember.group_id.in_(groups_of_caller(scope)),
        ),
    )


def may_see(scope: Scope) -> ColumnElement[bool]:
    """Whether the caller may see the document of the row."""
    if sees_all(scope):
        return true()
    return or_(Document.acl_id == EVERYONE, Document.acl_id.in_(lists_of(scope)))


def may_see_owner_of_paragraph(scope: Scope) -> ColumnElement[bool]:
    """Whether the caller may see the document of the paragraph of the row."""
    if sees_all(scope):
        return true()
    return exists().where(Document.id == Paragraph.document_id, may_see(scope)).correlate(Paragraph)


def may_see_item(scope: Scope) -> ColumnElement[bool]:
    """Whether the caller may see the document of the source's item, or the one it had, if it ever had one."""
    if sees_all(scope):
        return true()
    visible = exists().where(Document.id == SourceItem.document_id, may_see(scope)).correlate(SourceItem)
    open_to_caller = or_(SourceItem.acl_id == EVERYONE, SourceItem.acl_id.in_(lists_of(scope)))
    return or_(and_(SourceItem.document_id.is_(None), open_to_caller), visible)


def keep_restriction(document: Document) -> RemovedDocument | None:
    """What is kept of a document that is removed, so that old answers go on hiding it; None: nothing."""
    if document.acl_id == EVERYONE:
        return None
    return RemovedDocument(id=document.id, workspace_id=document.workspace_id, acl_id=document.acl_id)


def hidden_of_removed(scope: Scope, document_ids: Collection[UUID]) -> Select[UUID]:
    """Those of these documents that were removed while hidden from the caller, or are by their list now."""
    return select(RemovedDocument.id).where(
        RemovedDocument.workspace_id == scope.workspace_id,
        RemovedDocument.id.in_(document_ids),
        RemovedDocument.acl_id.not_in(lists_of(scope)),
    )


async def visible_lists(
    session: AsyncSession, scope: Scope, knowledge_base_ids: Sequence[UUID]
) -> frozenset[int] | None:
    """The lists under which the caller may see documents of these bases; None: no list matters.

    None also where nothing in the bases is restricted, so that searches there pay for none of this.
    """
    if sees_all(scope) or not knowledge_base_ids:
        return None
    restricted = exists().where(
        Document.workspace_id == scope.workspace_id,
        Document.knowledge_base_id.in_(knowledge_base_ids),
        Document.acl_id != EVERYONE,
    )
    if not await session.scalar(select(restricted)):
        return None
    own = await session.scalars(
        select(AccessList.id).where(
            AccessList.workspace_id == scope.workspace_id,
            AccessList.knowledge_base_id.in_(knowledge_base_ids),
            AccessList.id.in_(lists_of(scope)),
        )
    )
    return frozenset((EVERYONE, *own))


async def sees_whole(
    session: AsyncSession, scope: Scope, knowledge_base_id: UUID, *, source_id: UUID | None = None
) -> bool:
    """Whether nothing in the base, or in one source of it, is hidden from the caller."""
    if sees_all(scope):
        return True
    hidden = exists().where(
        Document.workspace_id == scope.workspace_id,
        Document.knowledge_base_id == knowledge_base_id,
        Document.deleted_at.is_(None),
        ~may_see(scope),
    )
    if source_id is not None:
        hidden = hidden.where(Document.source_id == source_id)
    return not await session.scalar(select(hidden))


async def require_whole(
    session: AsyncSession, scope: Scope, knowledge_base_id: UUID, *, source_id: UUID | None = None
) -> None:
    """Raise `HiddenDocuments` if the base, or one source of it, holds documents hidden from the caller."""
    if not await sees_whole(session, scope, knowledge_base_id, source_id=source_id):
        raise HiddenDocuments
