"""The first administrator: a one-time token printed by `serve`, and the gate that holds all else back.

Set-up is needed until an administrator exists who can sign in. A new token makes older ones worthless.
"""

from datetime import timedelta

import orjson
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from refdesk.accounts.audit import audit_installation
from refdesk.accounts.callers import Caller
from refdesk.accounts.directory import TokenStore, UserStore, WorkspaceStore
from refdesk.accounts.errors import SetupDone, SetupRequired, SetupTokenWrong
from refdesk.accounts.repository import MembershipRepository
from refdesk.accounts.scope import Role
from refdesk.accounts.tables import OneTimeToken, User
from refdesk.accounts.tokens import new_token, token_hash
from refdesk.accounts.workspaces import create_workspace, default_workspace_name
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.operator_key import OPERATOR_PREFIX, is_operator
from refdesk.kit.problem import PROBLEM_TYPE, problem_body
from refdesk.kit.settings import Settings

PURPOSE = "setup"
TOKEN_LIFETIME = timedelta(days=7)


async def setup_required(session: AsyncSession) -> bool:
    """Whether no administrator exists who can sign in."""
    return not await UserStore(session).has_administrator()


async def issue_setup_token(session: AsyncSession) -> str | None:
    """A new one-time token for the first administrator; None if there is one already."""
    if not await setup_required(session):
        return None
    await TokenStore(session).void(user_id=None, purposes=(PURPOSE,))
    token = new_token()
    session.add(
        OneTimeToken(purpose=PURPOSE, token_hash=token_hash(token), expires_at=now() + TOKEN_LIFETIME)
    )
    await session.flush()
    return token


async def check_setup_token(session: AsyncSession, token: str) -> OneTimeToken:
    """Raises `SetupDone` or `SetupTokenWrong`."""
    if not await setup_required(session):
        raise SetupDone
    found = await TokenStore(session).find(token_hash(token), (PURPOSE,), now())
    if found is None:
        raise SetupTokenWrong
    return found


async def complete_setup(
    session: AsyncSession, *, token: str, email: str, name: str, password_hash: str, locale: str | None
) -> User:
    """Make the first administrator, and the first workspace if there is none, owned by them."""
    users = UserStore(session)
    await users.lock_administrators()
    found = await check_setup_token(session, token)
    user = await users.by_email(email)
    if user is None:
        user = User(email=email, name=name)
        session.add(user)
    user.name, user.password_hash, user.locale = name, password_hash, locale
    user.is_administrator = user.is_active = True
    found.used_at = now()
    await session.flush()
    await session.refresh(user)
    caller = Caller("session", user=user)
    audit_installation(session, caller, "setup.complete", ("user", user.id))
    first = await WorkspaceStore(session).first_id()
    if first is None:
        await create_workspace(session, caller, default_workspace_name(locale))
    else:
        members = MembershipRepository(session, caller.scope_in(first))
        if await members.get(user.id) is None:
            await members.add(user.id, Role.OWNER)
    return user


class SetupGate:
    """Answers `setup-required` to all but health, set-up, the API description, the page and the operator.

    Asks the database until the answer is yes once; from then on it costs one attribute.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._open = False

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if self._open or scope["type"] != "http" or not _guarded(scope["path"]):
            await self.app(scope, receive, send)
            return
        if _from_operator(scope):
            await self.app(scope, receive, send)
            return
        database: Database = scope["app"].state.database
        async with database.transaction() as session:
            self._open = not await setup_required(session)
        if self._open:
            await self.app(scope, receive, send)
            return
        await _refuse(scope, send)


def _guarded(path: str) -> bool:
    """Everything that is not the static page: the page's own paths are all others."""
    if path in ("/healthz", "/readyz", "/api/v1/setup", "/api/v1/openapi.json"):
        return False
    return path == "/metrics" or path.startswith(("/api/", "/v1/", "/mcp/"))


def _from_operator(scope: AsgiScope) -> bool:
    token = Headers(scope=scope).get("authorization", "").removeprefix("Bearer ")
    if not token.startswith(OPERATOR_PREFIX):
        return False
    settings: Settings = scope["app"].state.settings
    client = scope.get("client")
    return is_operator(settings.data_dir, token, client[0] if client else None)


async def _refuse(scope: AsgiScope, send: Send) -> None:
    error = SetupRequired()
    body = orjson.dumps(
        problem_body(
            scope.get("state", {}).get("request_id"),
            status=error.status,
            code=error.code,
            title=error.text,
            hint=error.hint_text,
        )
    )
    headers = [(b"content-type", PROBLEM_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
