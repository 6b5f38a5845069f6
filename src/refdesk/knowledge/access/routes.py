"""HTTP of folders, and of who may see documents and what lies in folders."""

from uuid import UUID

from fastapi import APIRouter

from refdesk.accounts import BoundEditor, BoundViewer
from refdesk.kit.web import Tx
from refdesk.knowledge.access.folders import Folders
from refdesk.knowledge.access.schemas import (
    AccessChange,
    AccessView,
    FolderList,
    FolderUpdate,
    FolderView,
    NewFolderRequest,
)
from refdesk.knowledge.access.service import AccessRules

router = APIRouter(prefix="/api/v1", tags=["knowledge"])


@router.get(
    "/knowledge-bases/{knowledge_base_id}/folders",
    operation_id="listFolders",
    summary="The folders of a knowledge base that you may see",
)
async def list_folders(knowledge_base_id: UUID, session: Tx, scope: BoundViewer) -> FolderList:
    return await Folders(session, scope).all(knowledge_base_id)


@router.post(
    "/knowledge-bases/{knowledge_base_id}/folders",
    operation_id="createFolder",
    summary="Make a folder",
    status_code=201,
)
async def create_folder(
    knowledge_base_id: UUID, body: NewFolderRequest, session: Tx, scope: BoundEditor
) -> FolderView:
    return await Folders(session, scope).create(knowledge_base_id, body)


@router.patch(
    "/folders/{folder_id}",
    operation_id="updateFolder",
    summary="Rename a folder, or move it with all that lies in it",
)
async def update_folder(folder_id: UUID, body: FolderUpdate, session: Tx, scope: BoundEditor) -> FolderView:
    return await Folders(session, scope).update(folder_id, body)


@router.delete(
    "/folders/{folder_id}",
    operation_id="deleteFolder",
    summary="Delete a folder; what lies in it moves to the one above",
    status_code=204,
)
async def delete_folder(folder_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Folders(session, scope).delete(folder_id)


@router.get(
    "/documents/{document_id}/access",
    operation_id="getDocumentAccess",
    summary="Who may see a document",
)
async def get_document_access(document_id: UUID, session: Tx, scope: BoundEditor) -> AccessView:
    return await AccessRules(session, scope).of_document(document_id)


@router.put(
    "/documents/{document_id}/access",
    operation_id="setDocumentAccess",
    summary="Restrict a document to people and groups, or lift that",
)
async def set_document_access(
    document_id: UUID, body: AccessChange, session: Tx, scope: BoundEditor
) -> AccessView:
    return await AccessRules(session, scope).change_document(document_id, body)


@router.get(
    "/folders/{folder_id}/access",
    operation_id="getFolderAccess",
    summary="Who may see what lies in a folder",
)
async def get_folder_access(folder_id: UUID, session: Tx, scope: BoundEditor) -> AccessView:
    return await AccessRules(session, scope).of_folder(folder_id)


@router.put(
    "/folders/{folder_id}/access",
    operation_id="setFolderAccess",
    summary="Restrict what lies in a folder to people and groups, or lift that",
)
async def set_folder_access(
    folder_id: UUID, body: AccessChange, session: Tx, scope: BoundEditor
) -> AccessView:
    return await AccessRules(session, scope).change_folder(folder_id, body)
