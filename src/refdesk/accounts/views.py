"""Rows as the interface shows them."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.callers import Caller, default_workspace_id
from refdesk.accounts.schemas import (
    ApiKeyView,
    AuditView,
    GroupView,
    KeyResource,
    MemberView,
    SessionView,
    UserView,
    WorkspaceView,
)
from refdesk.accounts.scope import Role
from refdesk.accounts.tables import ApiKey, AuditEvent, Group, Membership, User, Workspace
from refdesk.accounts.tokens import csrf_token
from refdesk.accounts.workspaces import visible_workspaces
from refdesk.kit.errors import CursorInvalid


def after_cursor(cursor: str | None) -> UUID | None:
    """A list's cursor is the id of the last item of the page before. Raises `CursorInvalid`."""
    if cursor is None:
        return None
    try:
        return UUID(cursor)
    except ValueError:
        raise CursorInvalid from None


def next_cursor(ids: Sequence[UUID], limit: int) -> str | None:
    """The cursor of the page after one with these ids; null where the page was not full."""
    return str(ids[-1]) if len(ids) == limit else None


def user_view(user: User) -> UserView:
    return UserView(
        id=user.id,
        email=user.email,
        name=user.name,
        is_administrator=user.is_administrator,
        is_active=user.is_active,
        is_pending=user.password_hash is None,
        locale=user.locale,
        last_login_at=user.last_login_at,
        created_at=user.created_at,
    )


def workspace_view(workspace: Workspace, role: Role) -> WorkspaceView:
    return WorkspaceView.model_validate(
        {
            "id": workspace.id,
            "name": workspace.name,
            "role": role.label,
            "created_at": workspace.created_at,
        }
    )


def member_view(membership: Membership, user: User) -> MemberView:
    return MemberView.model_validate(
        {
            "user_id": user.id,
            "email": user.email,
            "name": user.name,
            "role": membership.role,
            "is_active": user.is_active,
            "is_pending": user.password_hash is None,
            "is_administrator": user.is_administrator,
            "created_at": membership.created_at,
        }
    )


def group_view(group: Group, member_ids: Sequence[UUID]) -> GroupView:
    return GroupView(id=group.id, name=group.name, member_ids=member_ids, created_at=group.created_at)


def key_view(key: ApiKey) -> ApiKeyView:
    resource = None
    if key.resource_kind is not None:
        resource = KeyResource.model_validate({"kind": key.resource_kind, "id": key.resource_id})
    return ApiKeyView.model_validate(
        {
            "id": key.id,
            "name": key.name,
            "prefix": key.prefix,
            "scopes": key.scopes,
            "resource": resource,
            "created_by": key.created_by,
            "expires_at": key.expires_at,
            "revoked_at": key.revoked_at,
            "last_used_at": key.last_used_at,
            "created_at": key.created_at,
        }
    )


def audit_view(event: AuditEvent) -> AuditView:
    return AuditView(
        id=event.id,
        workspace_id=event.workspace_id,
        actor_id=event.actor_id,
        actor=event.actor_label,
        action=event.action,
        target_kind=event.target_kind,
        target_id=event.target_id,
        details=event.details,
        created_at=event.created_at,
    )


async def session_view(session: AsyncSession, caller: Caller) -> SessionView:
    workspaces = await visible_workspaces(session, caller)
    return SessionView(
        via=caller.via,
        user=user_view(caller.user) if caller.user is not None else None,
        csrf_token=csrf_token(caller.session_token) if caller.session_token is not None else None,
        workspaces=[workspace_view(workspace, role) for workspace, role in workspaces],
        workspace_id=await default_workspace_id(session, caller),
        permissions=sorted(caller.permissions),
        expires_at=caller.expires_at,
    )
