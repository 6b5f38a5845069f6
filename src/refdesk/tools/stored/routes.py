"""Stored tools and HTTP interfaces over HTTP. Owners keep them; who may edit in the workspace sees them."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Request, status

from refdesk.accounts import Editor, Owner, Scope, audit
from refdesk.kit.crypto import Cipher
from refdesk.kit.settings import Settings
from refdesk.kit.web import DatabaseDep, Page, Tx
from refdesk.tools.arguments import check_arguments
from refdesk.tools.errors import ToolArgumentsInvalid
from refdesk.tools.python.code import read_code
from refdesk.tools.python.executor import PythonTool
from refdesk.tools.schemas import ToolOutcome
from refdesk.tools.service import ToolService
from refdesk.tools.spec import Tool, ToolCaller, ToolSpec
from refdesk.tools.stored.interfaces import ToolInterfaces, described, document_view
from refdesk.tools.stored.schemas import (
    CodeToRead,
    CodeView,
    DocumentSource,
    InterfaceDocumentView,
    NewPythonTool,
    NewToolInterface,
    PythonTrial,
    StoredToolChange,
    StoredToolVersionView,
    StoredToolView,
    ToolInterfaceChange,
    ToolInterfaceView,
    given_secrets,
)
from refdesk.tools.stored.service import StoredTools, checked_parameters
from refdesk.tools.toolbox import Toolbox

router = APIRouter(prefix="/api/v1", tags=["tools"])


def _cipher(request: Request) -> Cipher:
    cipher: Cipher = request.app.state.cipher
    return cipher


def _private_allowed(request: Request) -> bool:
    settings: Settings = request.app.state.settings
    return settings.allow_private_endpoints


def _seen(request: Request, session: Tx, scope: Editor) -> StoredTools:
    return StoredTools(session, scope, _cipher(request))


def _kept(request: Request, session: Tx, scope: Owner) -> StoredTools:
    return StoredTools(session, scope, _cipher(request))


def _seen_interfaces(request: Request, session: Tx, scope: Editor) -> ToolInterfaces:
    return ToolInterfaces(session, scope, _cipher(request))


def _kept_interfaces(request: Request, session: Tx, scope: Owner) -> ToolInterfaces:
    return ToolInterfaces(session, scope, _cipher(request))


Seen = Annotated[StoredTools, Depends(_seen)]
Kept = Annotated[StoredTools, Depends(_kept)]
SeenInterfaces = Annotated[ToolInterfaces, Depends(_seen_interfaces)]
KeptInterfaces = Annotated[ToolInterfaces, Depends(_kept_interfaces)]


@router.get("/stored-tools", operation_id="listStoredTools", summary="Python and HTTP tools, by name")
async def list_stored_tools(
    tools: Seen, kind: Literal["python", "http"] | None = None
) -> Page[StoredToolView]:
    items = await tools.all(kind)
    return Page(items=items, total=len(items))


@router.post(
    "/stored-tools",
    operation_id="createPythonTool",
    summary="Keep Python code as a tool",
    status_code=status.HTTP_201_CREATED,
)
async def create_python_tool(draft: NewPythonTool, tools: Kept) -> StoredToolView:
    return await tools.create(draft)


@router.post("/stored-tools/code", operation_id="readToolCode", summary="What code declares as a tool")
async def read_tool_code(body: CodeToRead, _scope: Editor) -> CodeView:
    reading = read_code(body.code, body.function)
    return CodeView(function=reading.function, description=reading.description, parameters=reading.parameters)


@router.post(
    "/stored-tools/try",
    operation_id="tryPythonTool",
    summary="Run Python code in the sandbox before it is saved",
)
async def try_python_tool(
    body: PythonTrial, request: Request, database: DatabaseDep, scope: Owner
) -> ToolOutcome:
    reading = read_code(body.code, body.function)
    given = given_secrets(body.secrets)
    async with database.transaction() as session:
        kept = StoredTools(session, scope, _cipher(request))
        stored = await kept.secrets_of(body.tool_id) if body.tool_id is not None else {}
        audit(session, scope, "stored-tool.try", ("stored_tool", body.tool_id) if body.tool_id else None)
    values = {**stored, **given}
    secrets = {name: value for name, value in values.items() if value is not None}
    parameters = checked_parameters(reading, body.parameters, body.defaults, secrets)
    checked = check_arguments(body.arguments, parameters)
    if not checked.ok:
        raise ToolArgumentsInvalid(
            missing=list(checked.missing),
            faults=[{"name": fault.name, "message": fault.message} for fault in checked.faults],
        )
    tools: ToolService = request.app.state.tools
    sandbox = tools.stored.sandbox
    executor = PythonTool(sandbox, body.code, reading, body.defaults, secrets, body.timeout_s, 20_000)
    spec = ToolSpec("tool:draft", "draft", "", parameters, "python", timeout_s=body.timeout_s + 3)
    return ToolOutcome.of(
        await Toolbox([Tool(spec, executor)]).call("draft", checked.values, _caller(request, scope))
    )


@router.get("/stored-tools/{tool_id}", operation_id="getStoredTool", summary="One Python or HTTP tool")
async def get_stored_tool(tool_id: UUID, tools: Seen) -> StoredToolView:
    return await tools.get(tool_id)


@router.patch(
    "/stored-tools/{tool_id}", operation_id="changeStoredTool", summary="Change a Python or HTTP tool"
)
async def change_stored_tool(tool_id: UUID, change: StoredToolChange, tools: Kept) -> StoredToolView:
    return await tools.change(tool_id, change)


@router.delete(
    "/stored-tools/{tool_id}",
    operation_id="deleteStoredTool",
    summary="Remove a Python or HTTP tool",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_stored_tool(tool_id: UUID, tools: Kept) -> None:
    await tools.delete(tool_id)


@router.get(
    "/stored-tools/{tool_id}/versions",
    operation_id="listStoredToolVersions",
    summary="What a Python tool was before its changes",
)
async def list_stored_tool_versions(tool_id: UUID, tools: Seen) -> Page[StoredToolVersionView]:
    items = await tools.versions(tool_id)
    return Page(items=items, total=len(items))


@router.post(
    "/tool-interfaces/document",
    operation_id="readOpenApiDocument",
    summary="The operations of an OpenAPI document, before anything is saved",
)
async def read_openapi_document(
    body: DocumentSource, request: Request, _scope: Owner
) -> InterfaceDocumentView:
    return document_view(await described(body, allow_private=_private_allowed(request)))


@router.get("/tool-interfaces", operation_id="listToolInterfaces", summary="HTTP interfaces, by name")
async def list_tool_interfaces(interfaces: SeenInterfaces) -> Page[ToolInterfaceView]:
    items = await interfaces.all()
    return Page(items=items, total=len(items))


@router.post(
    "/tool-interfaces",
    operation_id="createToolInterface",
    summary="Make tools of operations of an OpenAPI document",
    status_code=status.HTTP_201_CREATED,
)
async def create_tool_interface(
    draft: NewToolInterface, request: Request, database: DatabaseDep, scope: Owner
) -> ToolInterfaceView:
    description = await described(draft, allow_private=_private_allowed(request))
    async with database.transaction() as session:
        return await ToolInterfaces(session, scope, _cipher(request)).create(draft, description)


@router.get("/tool-interfaces/{interface_id}", operation_id="getToolInterface", summary="One HTTP interface")
async def get_tool_interface(interface_id: UUID, interfaces: SeenInterfaces) -> ToolInterfaceView:
    return await interfaces.get(interface_id)


@router.patch(
    "/tool-interfaces/{interface_id}", operation_id="changeToolInterface", summary="Change an HTTP interface"
)
async def change_tool_interface(
    interface_id: UUID, change: ToolInterfaceChange, request: Request, database: DatabaseDep, scope: Owner
) -> ToolInterfaceView:
    async with database.transaction() as session:  # a foreign one fetches nothing
        await ToolInterfaces(session, scope, _cipher(request)).get(interface_id)
    source = change.source
    description = await described(source, allow_private=_private_allowed(request)) if source else None
    async with database.transaction() as session:
        interfaces = ToolInterfaces(session, scope, _cipher(request))
        return await interfaces.change(interface_id, change, description)


@router.delete(
    "/tool-interfaces/{interface_id}",
    operation_id="deleteToolInterface",
    summary="Remove an HTTP interface with its tools",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_tool_interface(interface_id: UUID, interfaces: KeptInterfaces) -> None:
    await interfaces.delete(interface_id)


def _caller(request: Request, scope: Scope) -> ToolCaller:
    language = "zh" if request.headers.get("accept-language", "").lower().startswith("zh") else "en"
    return ToolCaller(scope, language, request_id=getattr(request.state, "request_id", None))
