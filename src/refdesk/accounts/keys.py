"""API keys: made and revoked by people, never allowed more than their creator's present role."""

from collections.abc import Awaitable, Callable, Collection
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.audit import audit
from refdesk.accounts.errors import ScopeTooWide
from refdesk.accounts.repository import ApiKeyRepository
from refdesk.accounts.schemas import ApiKeyRequest
from refdesk.accounts.scope import Permission, Role, Scope
from refdesk.accounts.tables import ApiKey
from refdesk.accounts.tokens import new_api_key, token_hash
from refdesk.kit.clock import now
from refdesk.kit.errors import Invalid, NotFound

ResourceCheck = Callable[[AsyncSession, Scope, UUID], Awaitable[object]]

# By kind ("application", "knowledge_base"): raises `NotFound` for a thing that is not in the scope. The
# rooms that own the things put theirs in at import.
key_resources: dict[str, ResourceCheck] = {}

_NEEDED_ROLE: dict[Permission, Role] = {
    "read": Role.VIEWER,
    "ask": Role.VIEWER,
    "write": Role.EDITOR,
    "manage": Role.OWNER,
}


async def create_key(session: AsyncSession, scope: Scope, request: ApiKeyRequest) -> tuple[ApiKey, str]:
    """A new key and its secret, which is not stored. Raises `ScopeTooWide`, `NotFound`, `Invalid`."""
    too_wide = sorted(p for p in request.scopes if _NEEDED_ROLE[p] > scope.role)
    if too_wide:
        raise ScopeTooWide(too_wide=too_wide, role=scope.role.label)
    if request.expires_at is not None and request.expires_at <= now():
        raise Invalid("expires_at lies in the past.")
    if request.resource is not None and request.resource.kind in key_resources:
        await key_resources[request.resource.kind](session, scope, request.resource.id)
    secret = new_api_key()
    key = await ApiKeyRepository(session, scope).add(
        ApiKey(
            created_by=scope.user_id,
            name=request.name,
            prefix=secret[:8],
            key_hash=token_hash(secret),
            scopes=sorted(set(request.scopes)),
            resource_kind=request.resource.kind if request.resource else None,
            resource_id=request.resource.id if request.resource else None,
            expires_at=request.expires_at,
        )
    )
    await session.refresh(key)
    audit(session, scope, "api-key.create", ("api_key", key.id), name=key.name, scopes=key.scopes)
    return key, secret


async def revoke_key(session: AsyncSession, scope: Scope, key_id: UUID) -> None:
    """The key stops working at once; it stays in the list as revoked."""
    key = await ApiKeyRepository(session, scope).get(key_id)
    if key is None:
        raise NotFound("There is no such key.")
    if key.revoked_at is None:
        key.revoked_at = now()
        await session.flush()
        audit(session, scope, "api-key.revoke", ("api_key", key.id), name=key.name)


async def key_names(session: AsyncSession, scope: Scope, key_ids: Collection[UUID]) -> dict[UUID, str]:
    """Names of those of these keys that are the workspace's, revoked ones too."""
    rows = await session.execute(
        select(ApiKey.id, ApiKey.name).where(
            ApiKey.workspace_id == scope.workspace_id, ApiKey.id.in_(key_ids)
        )
    )
    return dict(rows.all())
