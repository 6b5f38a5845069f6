"""HTTP of pictures in questions."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response, status
from pydantic import BaseModel

from refdesk.accounts import Asker
from refdesk.chat.pictures import PictureRepository, read_picture
from refdesk.kit.web import DatabaseDep, Tx

router = APIRouter(prefix="/api/v1/question-pictures", tags=["runs"])

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"image/*": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class PictureKept(BaseModel):
    """The id to ask with."""

    id: UUID


@router.post(
    "",
    operation_id="addQuestionPicture",
    summary="Keep a picture to ask with: PNG, JPEG, GIF or WebP of at most 10 MB",
    status_code=status.HTTP_201_CREATED,
    openapi_extra=_BODY,
)
async def add_question_picture(request: Request, scope: Asker, database: DatabaseDep) -> PictureKept:
    picture = await read_picture(request.stream())
    async with database.transaction() as session:
        return PictureKept(id=await PictureRepository(session, scope).add(picture))


@router.get(
    "/{picture_id}",
    operation_id="getQuestionPicture",
    summary="A picture of one of your questions",
    response_class=Response,
    responses={200: {"content": {"image/*": {}}}},
)
async def get_question_picture(picture_id: UUID, session: Tx, scope: Asker) -> Response:
    picture = await PictureRepository(session, scope).get(picture_id)
    return Response(
        picture.data, media_type=picture.media_type, headers={"Cache-Control": "private, max-age=86400"}
    )
