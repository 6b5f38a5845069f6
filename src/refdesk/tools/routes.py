"""Tools of all kinds over HTTP: what there is, and trying one out."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from refdesk.accounts import Editor, Viewer, audit
from refdesk.kit.web import DatabaseDep, Page
from refdesk.tools.arguments import check_arguments
from refdesk.tools.errors import ToolArgumentsInvalid, ToolInactive, ToolNotFound
from refdesk.tools.schemas import ToolOutcome, ToolTrial, ToolView
from refdesk.tools.service import ToolService
from refdesk.tools.spec import ToolCaller

router = APIRouter(prefix="/api/v1/tools", tags=["tools"])


def get_tools(request: Request) -> ToolService:
    """The tools of the running application."""
    tools: ToolService = request.app.state.tools
    return tools


ToolsDep = Annotated[ToolService, Depends(get_tools)]


@router.get("", operation_id="listTools", summary="Everything that can be chosen as a tool")
async def list_tools(tools: ToolsDep, scope: Viewer) -> Page[ToolView]:
    items = [ToolView.of(choice) for choice in await tools.choices(scope)]
    return Page(items=items, total=len(items))


@router.post("/call", operation_id="callTool", summary="Try a tool out")
async def call_tool(
    body: ToolTrial, request: Request, tools: ToolsDep, database: DatabaseDep, scope: Editor
) -> ToolOutcome:
    toolbox = await tools.toolbox(scope, [body.tool])
    specs = list(toolbox.specs)
    if not specs:
        problem = toolbox.problems[0] if toolbox.problems else None
        if problem is None:
            raise ToolInactive(tool=body.tool)
        raise ToolNotFound(problem.message, tool=body.tool, code=problem.code)
    if len(specs) > 1:
        raise ToolNotFound("Give one tool, not a server.", tool=body.tool)
    spec = specs[0]
    checked = check_arguments(body.arguments, spec.parameters)
    if checked.missing or checked.faults:
        raise ToolArgumentsInvalid(
            missing=list(checked.missing),
            faults=[{"name": fault.name, "message": fault.message} for fault in checked.faults],
        )
    async with database.transaction() as session:
        audit(session, scope, "tool.try", tool=spec.id[:400])
    request_id = getattr(request.state, "request_id", None)
    language = "zh" if request.headers.get("accept-language", "").lower().startswith("zh") else "en"
    caller = ToolCaller(scope, language, request_id=request_id)
    return ToolOutcome.of(await toolbox.call(spec.id, checked.values, caller))
