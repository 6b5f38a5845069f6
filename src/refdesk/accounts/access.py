"""Who may call an operation: the dependencies of every room's routes, and the defence against forged ones.

`Viewer`, `Editor` and `Owner` ask for a workspace role with the permission that goes with it; `Asker` for a
viewer whose key may ask; `Administrator` for an administrator in person or the local operator. Each is a
`Scope` in the workspace named by the header `X-Workspace-ID` (or the query parameter `workspace`).

A key bound to one knowledge base or application passes only `Asker`, `BoundViewer` and `BoundEditor`: an
operation that takes one of these must call `scope.require_resource(kind, id)` for what it touches.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.exc import SQLAlchemyError

from refdesk.accounts.admissions import Admissions
from refdesk.accounts.callers import Caller, caller_of_key, caller_of_session, choose_workspace
from refdesk.accounts.errors import BoundKey, CsrfFailed, InvalidApiKey, KeysMayNot
from refdesk.accounts.recent import RecentCallers
from refdesk.accounts.scope import Permission, Role, Scope
from refdesk.accounts.tokens import API_KEY_PREFIX, csrf_matches
from refdesk.accounts.workspaces import ensure_default_workspace
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError, Forbidden, Unauthenticated
from refdesk.kit.operator_key import OPERATOR_PREFIX, is_operator
from refdesk.kit.settings import Settings
from refdesk.kit.web import DatabaseDep

SESSION_COOKIE = "refdesk_session"
CSRF_HEADER = "X-CSRF-Token"
WORKSPACE_HEADER = "X-Workspace-ID"
SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))

_bearer = HTTPBearer(auto_error=False, description="An API key: `rd-…`.")
_cookie = APIKeyCookie(name=SESSION_COOKIE, auto_error=False, description="The page's session.")


def bearer_token(request: Request) -> str | None:
    """The token of an `Authorization: Bearer …` header."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def refuse_cross_site(request: Request) -> None:
    """Raise `CsrfFailed` for an unsafe request that a browser sends for another site's page.

    `Sec-Fetch-Site` is the browser's own word and cannot be set by a page; older browsers send `Origin`
    only, which then must name this server. Programs send neither.
    """
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site not in ("same-origin", "none"):
            raise CsrfFailed
        return
    origin = request.headers.get("origin")
    if origin is None:
        return
    settings: Settings = request.app.state.settings
    allowed = {request.headers.get("host", "").lower()}
    if settings.public_url is not None:
        allowed.add(urlsplit(settings.public_url).netloc.lower())
    if urlsplit(origin).netloc.lower() not in allowed:
        raise CsrfFailed


async def get_caller(
    request: Request,
    database: DatabaseDep,
    _by_key: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    _by_cookie: Annotated[str | None, Depends(_cookie)],
) -> Caller:
    """The caller of this request; raises `Unauthenticated` if there is none."""
    token = bearer_token(request)
    if token is not None:
        if token.startswith(OPERATOR_PREFIX):
            settings: Settings = request.app.state.settings
            host = request.client.host if request.client is not None else None
            if not is_operator(settings.data_dir, token, host):
                raise InvalidApiKey
            return Caller("operator")
        if not token.startswith(API_KEY_PREFIX):
            raise InvalidApiKey
        async with database.transaction() as session:
            return await caller_of_key(session, token)
    cookie = request.cookies.get(SESSION_COOKIE)
    if not cookie:
        raise Unauthenticated
    async with database.transaction() as session:
        caller = await caller_of_session(session, cookie)
    refuse_cross_site(request)
    if request.method not in SAFE_METHODS and not csrf_matches(cookie, request.headers.get(CSRF_HEADER)):
        raise CsrfFailed
    return caller


CurrentCaller = Annotated[Caller, Depends(get_caller)]


async def get_scope(
    request: Request,
    database: DatabaseDep,
    by_key: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    by_cookie: Annotated[str | None, Depends(_cookie)],
) -> Scope:
    """The caller's scope in the chosen workspace. The operator's first call makes the first workspace."""
    wanted = request.headers.get(WORKSPACE_HEADER) or request.query_params.get("workspace")
    recent: RecentCallers | None = getattr(request.app.state, "recent_callers", None)
    if recent is not None and recent.everywhere:
        token = bearer_token(request)
        if token is not None and token.startswith(API_KEY_PREFIX):
            return await recent.get(token, wanted)
    return await _scope_of(request, await get_caller(request, database, by_key, by_cookie), database, wanted)


async def scope_of_key(database: Database, secret: str, workspace: str | None) -> Scope:
    """What an API key may do, in its workspace or the named one. Raises `InvalidApiKey`, `NotFound`."""
    async with database.transaction() as session:
        return await choose_workspace(session, await caller_of_key(session, secret), workspace)


async def _scope_of(request: Request, caller: Caller, database: Database, wanted: str | None) -> Scope:
    async with database.transaction() as session:
        if caller.via == "operator" and wanted is None:
            await ensure_default_workspace(session, caller, request.headers.get("accept-language"))
        return await choose_workspace(session, caller, wanted)


async def require_administrator(request: Request) -> None:
    """Raise unless the caller is an administrator in person or the local operator: for an operation that
    lets others in as well and so cannot depend on `Administrator`."""
    caller = await get_caller(request, request.app.state.database, None, None)
    if caller.via == "api_key":
        raise KeysMayNot
    if not caller.is_administrator:
        raise Forbidden(needed_role="administrator")


async def still_admitted(request: Request, scope: Scope, permission: Permission = "ask") -> bool:
    """Whether the caller of a long stream would be let in again: still enabled, still in the workspace.

    Two or three indexed reads, at most once in three seconds for all streams of the caller; False also while
    the database cannot be asked.
    """
    admissions: Admissions = request.app.state.admissions
    credentials = bearer_token(request) or request.cookies.get(SESSION_COOKIE)
    host = request.client.host if request.client is not None else None
    return await admissions.ask(
        (credentials, host, scope.workspace_id, permission),
        partial(_admitted_now, request, scope, permission),
    )


async def _admitted_now(request: Request, scope: Scope, permission: Permission) -> bool:
    database: Database = request.app.state.database
    try:
        caller = await get_caller(request, database, None, None)
        async with database.transaction() as session:
            current = await choose_workspace(session, caller, str(scope.workspace_id))
        current.require(Role.VIEWER, permission)
    except (AppError, SQLAlchemyError, OSError):
        return False
    return True


CurrentScope = Annotated[Scope, Depends(get_scope)]


def _needs(role: Role, permission: Permission, *, bound: bool = False) -> Callable[[Scope], Awaitable[Scope]]:
    async def check(scope: CurrentScope) -> Scope:
        if scope.resource is not None and not bound:
            raise BoundKey.of(*scope.resource)
        scope.require(role, permission)
        return scope

    return check


async def _administrator(scope: CurrentScope) -> Scope:
    if scope.via == "api_key":
        raise KeysMayNot
    if not scope.is_administrator:
        raise Forbidden(needed_role="administrator")
    return scope


async def _in_person(caller: CurrentCaller) -> Caller:
    if caller.via == "api_key":
        raise KeysMayNot
    return caller


Viewer = Annotated[Scope, Depends(_needs(Role.VIEWER, "read"))]
Editor = Annotated[Scope, Depends(_needs(Role.EDITOR, "write"))]
Owner = Annotated[Scope, Depends(_needs(Role.OWNER, "manage"))]
Asker = Annotated[Scope, Depends(_needs(Role.VIEWER, "ask", bound=True))]
BoundViewer = Annotated[Scope, Depends(_needs(Role.VIEWER, "read", bound=True))]
BoundEditor = Annotated[Scope, Depends(_needs(Role.EDITOR, "write", bound=True))]
Administrator = Annotated[Scope, Depends(_administrator)]
# A person or the local operator, whatever the workspace.
InPerson = Annotated[Caller, Depends(_in_person)]
