"""HTTP of working directories: files of one's own conversations."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response, status
from pydantic import BaseModel

from refdesk.accounts import Asker
from refdesk.chat.repository import ConversationRepository
from refdesk.chat.workdir.errors import WorkingDirectoryFull, WorkingFileNotFound
from refdesk.chat.workdir.repository import MAX_BYTES, WorkingFileRepository
from refdesk.kit.web import DatabaseDep, Page, Tx

router = APIRouter(prefix="/api/v1/conversations/{conversation_id}/files", tags=["conversations"])

PathQuery = Annotated[str, Query(max_length=300, description="Relative to the working directory.")]

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class WorkingFileView(BaseModel):
    """A file of a working directory; `path` is relative to it."""

    path: str
    size: int
    changed_at: datetime


@router.get("", operation_id="listWorkingFiles", summary="The files of a conversation's working directory")
async def list_working_files(conversation_id: UUID, session: Tx, scope: Asker) -> Page[WorkingFileView]:
    await ConversationRepository(session, scope).get(conversation_id)
    entries = await WorkingFileRepository(session, scope, conversation_id).entries()
    items = [WorkingFileView(path=one.path, size=one.size, changed_at=one.changed_at) for one in entries]
    return Page(items=items, total=len(items))


@router.put(
    "/content",
    operation_id="putWorkingFile",
    summary="Give a file to the conversation",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
    openapi_extra=_BODY,
)
async def put_working_file(
    conversation_id: UUID, path: PathQuery, request: Request, database: DatabaseDep, scope: Asker
) -> None:
    async with database.transaction() as session:
        await ConversationRepository(session, scope).get(conversation_id)
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > MAX_BYTES:
            raise WorkingDirectoryFull(max_bytes=MAX_BYTES)
    async with database.transaction() as session:
        await WorkingFileRepository(session, scope, conversation_id).put({path: bytes(data)})


@router.get(
    "/content",
    operation_id="getWorkingFile",
    summary="A file of the working directory",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def get_working_file(conversation_id: UUID, path: PathQuery, session: Tx, scope: Asker) -> Response:
    await ConversationRepository(session, scope).get(conversation_id)
    content = await WorkingFileRepository(session, scope, conversation_id).get(path)
    # Never shown as a page of ours, whatever somebody put into it.
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.delete(
    "/content",
    operation_id="deleteWorkingFile",
    summary="Remove a file from the working directory",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
)
async def delete_working_file(conversation_id: UUID, path: PathQuery, session: Tx, scope: Asker) -> None:
    await ConversationRepository(session, scope).get(conversation_id)
    if not await WorkingFileRepository(session, scope, conversation_id).remove([path]):
        raise WorkingFileNotFound(path=path[:300])
