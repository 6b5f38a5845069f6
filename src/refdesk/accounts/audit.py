"""The record of who did what. Written in the caller's transaction, so it tells what really happened."""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.callers import Caller
from refdesk.accounts.scope import Scope
from refdesk.accounts.tables import AuditEvent


def audit(
    session: AsyncSession,
    scope: Scope,
    action: str,
    target: tuple[str, UUID] | None = None,
    **details: Any,
) -> None:
    """Record an act within a workspace.

    `action` is `noun.verb` (`member.add`), at most 64 characters; `target` is a kind and an id. `details`
    must be JSON-serialisable and must not hold secrets.
    """
    session.add(
        AuditEvent(
            workspace_id=scope.workspace_id,
            actor_id=scope.user_id,
            actor_label=scope.actor,
            action=action,
            target_kind=target[0] if target else None,
            target_id=target[1] if target else None,
            details=details,
        )
    )


def audit_installation(
    session: AsyncSession,
    caller: Caller | Scope | str,
    action: str,
    target: tuple[str, UUID] | None = None,
    actor_id: UUID | None = None,
    **details: Any,
) -> None:
    """Record an act on the installation itself (users, sign-ins). A `str` caller is someone not signed in."""
    if isinstance(caller, Caller):
        label, actor_id = caller.actor, caller.user.id if caller.user is not None else None
    elif isinstance(caller, Scope):
        label, actor_id = caller.actor, caller.user_id
    else:
        label = caller
    session.add(
        AuditEvent(
            workspace_id=None,
            actor_id=actor_id,
            actor_label=label[:320],
            action=action,
            target_kind=target[0] if target else None,
            target_id=target[1] if target else None,
            details=details,
        )
    )
