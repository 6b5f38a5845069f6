"""Tool servers over HTTP. Owners keep them; who may edit in the workspace sees them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, status
from fastapi.responses import HTMLResponse

from refdesk.accounts import Editor, Owner, Scope, Viewer
from refdesk.kit.border_types import clean_text
from refdesk.kit.settings import Settings
from refdesk.kit.web import DatabaseDep, Page
from refdesk.tools.servers.schemas import (
    NewToolServer,
    OwnValues,
    PastedServers,
    PastedServersOutcome,
    SignIn,
    ToolServerChange,
    ToolServerCheck,
    ToolServerDraft,
    ToolServerView,
)
from refdesk.tools.servers.service import ToolServers
from refdesk.tools.servers.signing_in import OwnCredentials
from refdesk.tools.service import ToolService

router = APIRouter(prefix="/api/v1/tool-servers", tags=["tools"])

_BACK = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Refdesk</title><p>You are signed in; the tool server is being connected.</p>
<p>已登录，正在连接工具服务器。</p>
<p><a href="/tools">Back to the tools · 返回工具页面</a></p>"""


def _servers(request: Request, database: DatabaseDep, scope: Scope) -> ToolServers:
    state = request.app.state
    tools: ToolService = state.tools
    return ToolServers(database, scope, state.settings, state.cipher, tools.servers, tools.connections)


def _kept(request: Request, database: DatabaseDep, scope: Owner) -> ToolServers:
    return _servers(request, database, scope)


def _seen(request: Request, database: DatabaseDep, scope: Editor) -> ToolServers:
    return _servers(request, database, scope)


def _own(request: Request, database: DatabaseDep, scope: Viewer) -> OwnCredentials:
    return OwnCredentials(database, scope, request.app.state.cipher)


Kept = Annotated[ToolServers, Depends(_kept)]
Seen = Annotated[ToolServers, Depends(_seen)]
Own = Annotated[OwnCredentials, Depends(_own)]


@router.get("", operation_id="listToolServers", summary="The workspace's tool servers, by name")
async def list_tool_servers(servers: Seen) -> Page[ToolServerView]:
    items = await servers.all()
    return Page(items=items, total=len(items))


@router.post(
    "",
    operation_id="createToolServer",
    summary="Add a tool server",
    status_code=status.HTTP_201_CREATED,
)
async def create_tool_server(draft: NewToolServer, servers: Kept) -> ToolServerView:
    return await servers.create(draft)


@router.post(
    "/paste", operation_id="pasteToolServers", summary="Add tool servers from the customary JSON (mcpServers)"
)
async def paste_tool_servers(body: PastedServers, servers: Kept) -> PastedServersOutcome:
    return PastedServersOutcome(items=await servers.create_pasted(body.text))


@router.post(
    "/check",
    operation_id="checkToolServerDraft",
    summary="Connect with settings that are not saved and list the tools",
)
async def check_tool_server_draft(draft: ToolServerDraft, servers: Kept) -> ToolServerCheck:
    return await servers.check_draft(draft)


@router.get(
    "/sign-in/callback",
    operation_id="finishToolServerSignIn",
    summary="Where an authorization server sends the browser back to",
    response_class=HTMLResponse,
)
async def finish_tool_server_sign_in(
    request: Request,
    scope: Viewer,
    state: Annotated[str, Query(max_length=2_000)],
    code: Annotated[str, Query(max_length=8_000)] = "",
    iss: Annotated[str | None, Query(max_length=2_000)] = None,
) -> str:
    tools: ToolService = request.app.state.tools
    await tools.sign_ins.answer(scope, clean_text(state), clean_text(code), iss)
    return _BACK


@router.get("/{server_id}", operation_id="getToolServer", summary="One tool server")
async def get_tool_server(server_id: UUID, servers: Seen) -> ToolServerView:
    return await servers.get(server_id)


@router.patch("/{server_id}", operation_id="changeToolServer", summary="Change a tool server or its tools")
async def change_tool_server(server_id: UUID, change: ToolServerChange, servers: Kept) -> ToolServerView:
    return await servers.change(server_id, change)


@router.delete(
    "/{server_id}",
    operation_id="deleteToolServer",
    summary="Remove a tool server with everybody's credentials for it",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_tool_server(server_id: UUID, servers: Kept) -> None:
    await servers.delete(server_id)


@router.post(
    "/{server_id}/check",
    operation_id="checkToolServer",
    summary="Connect to the server anew and list its tools",
)
async def check_tool_server(server_id: UUID, servers: Seen) -> ToolServerCheck:
    return await servers.check(server_id)


@router.put(
    "/{server_id}/own-values",
    operation_id="setOwnToolValues",
    summary="Enter the caller's own credentials for a tool server",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def set_own_tool_values(server_id: UUID, body: OwnValues, own: Own) -> None:
    await own.put(server_id, body)


@router.delete(
    "/{server_id}/own-values",
    operation_id="deleteOwnToolValues",
    summary="Forget the caller's own credentials for a tool server",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_own_tool_values(server_id: UUID, own: Own) -> None:
    await own.forget(server_id)


@router.post(
    "/{server_id}/sign-in",
    operation_id="beginToolServerSignIn",
    summary="Where a person signs in so that the workspace may use the server",
)
async def begin_tool_server_sign_in(server_id: UUID, request: Request, scope: Owner) -> SignIn:
    tools: ToolService = request.app.state.tools
    settings: Settings = request.app.state.settings
    public_url = settings.public_url or str(request.base_url)
    return SignIn(address=await tools.sign_ins.begin(scope, server_id, public_url))
