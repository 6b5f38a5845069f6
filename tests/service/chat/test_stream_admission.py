"""A long stream asks again whether its caller may still listen."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from sqlalchemy import delete, update
from starlette.requests import Request

from refdesk.accounts import Admissions, Role, Scope, still_admitted
from refdesk.accounts.tables import LoginSession, Membership, User
from refdesk.accounts.tokens import new_token, token_hash
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.testing.library import Library


async def signed_in(library: Library) -> tuple[Request, Scope]:
    """A viewer's request with a session cookie, and its scope."""
    user_id, token = new_id(), new_token()
    async with library.database.transaction() as session:
        session.add(User(id=user_id, email=f"{user_id}@example.org", name="Viewer"))
        await session.flush()
        session.add(Membership(workspace_id=library.workspace_id, user_id=user_id, role="viewer"))
        session.add(
            LoginSession(
                id=new_id(),
                user_id=user_id,
                token_hash=token_hash(token),
                last_seen_at=now(),
                expires_at=now() + timedelta(hours=1),
            )
        )
    app: Any = SimpleNamespace(
        state=SimpleNamespace(database=library.database, admissions=Admissions(fresh_s=0.0))
    )
    headers = [(b"cookie", f"refdesk_session={token}".encode())]
    request = Request({"type": "http", "method": "GET", "path": "/", "headers": headers, "app": app})
    scope = Scope(workspace_id=library.workspace_id, user_id=user_id, role=Role.VIEWER, via="session")
    return request, scope


@pytest.mark.parametrize("loss", ["disabled", "removed"])
async def test_who_was_disabled_or_removed_is_no_longer_admitted(
    library: Library, database: Database, loss: Literal["disabled", "removed"]
) -> None:
    request, scope = await signed_in(library)
    assert await still_admitted(request, scope)
    async with database.transaction() as session:
        if loss == "disabled":
            await session.execute(update(User).where(User.id == scope.user_id).values(is_active=False))
        else:
            await session.execute(delete(Membership).where(Membership.user_id == scope.user_id))
    assert not await still_admitted(request, scope)
