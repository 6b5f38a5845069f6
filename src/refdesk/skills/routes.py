"""HTTP of skills. Whoever may view the workspace reads them, editors add and remove."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, status

from refdesk.accounts import Editor, Viewer
from refdesk.kit.web import DatabaseDep, Page
from refdesk.skills.builtin_skills import builtin_skills
from refdesk.skills.errors import SkillFileNotFound, SkillTooLarge
from refdesk.skills.packages import MAX_BYTES, read_package
from refdesk.skills.schemas import SkillCard, SkillView
from refdesk.skills.shelf import Shelf

router = APIRouter(prefix="/api/v1/skills", tags=["skills"])

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/zip": {"schema": {"type": "string", "format": "binary"}},
            "text/markdown": {"schema": {"type": "string"}},
        },
    }
}


@router.get("", operation_id="listSkills", summary="All skills, by name", response_model=Page[SkillCard])
async def list_skills(database: DatabaseDep, scope: Viewer) -> Page[SkillCard]:
    cards = await Shelf(database).cards(scope)
    return Page(items=[SkillCard.of(card) for card in cards], total=len(cards))


@router.post(
    "",
    operation_id="addSkill",
    summary="Add a skill, or replace the one of its name: a ZIP of its folder, or its SKILL.md",
    response_model=SkillView,
    status_code=status.HTTP_201_CREATED,
    openapi_extra=_BODY,
)
async def add_skill(request: Request, database: DatabaseDep, scope: Editor) -> SkillView:
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > MAX_BYTES:
            raise SkillTooLarge(max_bytes=MAX_BYTES)
    package = read_package(bytes(data))
    await Shelf(database).put(scope, package)
    return SkillView.read(package, is_builtin=False)


@router.get("/{name}", operation_id="getSkill", summary="A skill", response_model=SkillView)
async def get_skill(name: str, database: DatabaseDep, scope: Viewer) -> SkillView:
    return SkillView.read(await Shelf(database).get(scope, name), is_builtin=name in builtin_skills())


@router.get(
    "/{name}/file",
    operation_id="getSkillFile",
    summary="A file of a skill",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def get_skill_file(
    name: str, path: Annotated[str, Query(max_length=300)], database: DatabaseDep, scope: Viewer
) -> Response:
    content = (await Shelf(database).get(scope, name)).files.get(path)
    if content is None:
        raise SkillFileNotFound(path=path[:300])
    # Never shown as a page of ours, whatever somebody put into it.
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.delete(
    "/{name}",
    operation_id="deleteSkill",
    summary="Remove a skill",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
)
async def delete_skill(name: str, database: DatabaseDep, scope: Editor) -> None:
    await Shelf(database).delete(scope, name)
