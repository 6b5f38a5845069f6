"""HTTP of the Model Context Protocol: who may, which application, at which host; the rest is the SDK's."""

from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from starlette.types import Message, Receive, Scope, Send

from refdesk.accounts import Asker
from refdesk.apps.errors import McpHostRefused
from refdesk.apps.mcp.door import McpDoor
from refdesk.apps.mcp.offer import Opened, opened
from refdesk.apps.profiles import StoredProfiles
from refdesk.apps.repository import RESOURCE, ApplicationRepository
from refdesk.kit.settings import Settings
from refdesk.kit.web import DatabaseDep

router = APIRouter(prefix="/apps", tags=["mcp"])

_LOOPBACK = frozenset(("127.0.0.1", "localhost", "[::1]", "::1"))


def get_door(request: Request) -> McpDoor:
    door: McpDoor = request.app.state.mcp
    return door


def allowed_hosts(settings: Settings) -> frozenset[str]:
    """Names (without ports) under which the protocol is served: a page that makes its own name point here
    (DNS rebinding) gets nothing."""
    named = {name.strip().lower() for name in settings.mcp_hosts.split(",") if name.strip()}
    public = urlsplit(settings.public_url or "").hostname
    return frozenset({*_LOOPBACK, settings.host.lower(), *named, *({public} if public else set())})


async def require_host(request: Request) -> None:
    """Raises `McpHostRefused`."""
    host = (request.url.hostname or "").lower()
    allowed = allowed_hosts(request.app.state.settings)
    if host not in allowed and "*" not in allowed:
        raise McpHostRefused(host=host)


class _HandedOver(Response):
    """A response that the SDK writes, from the body as it was read: of a client that leaves while it is being
    read, the SDK would make an error of its own."""

    def __init__(self, door: McpDoor, application: Opened, body: bytes) -> None:
        super().__init__()
        self._door, self._application, self._unread = door, application, [body]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def replay() -> Message:
            if not self._unread:
                return await receive()
            return {"type": "http.request", "body": self._unread.pop(), "more_body": False}

        await self._door.handle(self._application, scope, replay, send)


async def open_application(application_id: UUID, scope: Asker, database: DatabaseDep) -> Opened:
    """The application for its caller. Raises `ApplicationNotFound`, and `Forbidden` for another's key."""
    scope.require_resource(RESOURCE, application_id)
    async with database.transaction() as session:
        row = await ApplicationRepository(session, scope).get(application_id)
        profile = await StoredProfiles().profile(session, scope, application_id)
    return opened(scope, application_id, row.name, row.description, profile)


OpenedDep = Annotated[Opened, Depends(open_application)]


@router.post(
    "/{application_id}/mcp",
    operation_id="callApplicationMcp",
    summary="Model Context Protocol (Streamable HTTP): the application's tools, and asking it",
    response_class=Response,
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
    dependencies=[Depends(require_host)],
)
async def call_application_mcp(
    request: Request, application: OpenedDep, door: Annotated[McpDoor, Depends(get_door)]
) -> Any:
    return _HandedOver(door, application, await request.body())
