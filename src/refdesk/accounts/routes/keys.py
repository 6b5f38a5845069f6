"""API keys and the audit record. Keys are made and revoked by people, never by keys."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from refdesk.accounts import keys
from refdesk.accounts.access import InPerson, Owner, Viewer
from refdesk.accounts.repository import ApiKeyRepository, AuditRepository
from refdesk.accounts.schemas import ApiKeyCreated, ApiKeyRequest, ApiKeyView, AuditView
from refdesk.accounts.views import after_cursor, audit_view, key_view, next_cursor
from refdesk.kit.errors import Forbidden
from refdesk.kit.web import Page, PageQuery, Tx

router = APIRouter(prefix="/api/v1", tags=["keys"])
Paging = Annotated[PageQuery, Depends()]


@router.get(
    "/api-keys", operation_id="listApiKeys", summary="One's own keys; for owners all of the workspace"
)
async def list_api_keys(scope: Viewer, _caller: InPerson, query: Paging, session: Tx) -> Page[ApiKeyView]:
    found, total = await ApiKeyRepository(session, scope).page(after_cursor(query.cursor), query.limit)
    return Page(
        items=[key_view(key) for key in found],
        next_cursor=next_cursor([key.id for key in found], query.limit),
        total=total,
    )


@router.post(
    "/api-keys", operation_id="createApiKey", summary="Make a key; its secret is shown once", status_code=201
)
async def create_api_key(body: ApiKeyRequest, scope: Viewer, _caller: InPerson, session: Tx) -> ApiKeyCreated:
    key, secret = await keys.create_key(session, scope, body)
    return ApiKeyCreated(secret=secret, api_key=key_view(key))


@router.delete("/api-keys/{key_id}", operation_id="revokeApiKey", summary="Revoke a key", status_code=204)
async def revoke_api_key(key_id: UUID, scope: Viewer, _caller: InPerson, session: Tx) -> None:
    await keys.revoke_key(session, scope, key_id)


@router.get("/audit", operation_id="listAuditEvents", summary="Who did what, newest first")
async def list_audit_events(
    scope: Owner,
    query: Paging,
    session: Tx,
    installation: Annotated[
        bool, Query(description="The installation's own events (users, sign-ins); for administrators.")
    ] = False,
) -> Page[AuditView]:
    if installation and not scope.is_administrator:
        raise Forbidden(needed_role="administrator")
    found, total = await AuditRepository(session, scope, installation=installation).page(
        after_cursor(query.cursor), query.limit
    )
    return Page(
        items=[audit_view(event) for event in found],
        next_cursor=next_cursor([event.id for event in found], query.limit),
        total=total,
    )
