"""HTTP of sources: web sites and folders, their runs and what these met."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request

from refdesk.accounts import BoundEditor, BoundViewer
from refdesk.kit.border_types import CleanText
from refdesk.kit.web import DatabaseDep, Page, Tx
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.route_parts import ListQuery, SettingsDep, many_files, one_file
from refdesk.knowledge.sources.archive import ArchiveRun
from refdesk.knowledge.sources.crawl import start_address
from refdesk.knowledge.sources.fetching import require_allowed
from refdesk.knowledge.sources.folder import Folders, receive_files
from refdesk.knowledge.sources.schemas import (
    ArchiveSync,
    FolderUploadResult,
    ItemState,
    Manifest,
    ManifestAnswer,
    NewSource,
    NewWebsite,
    SourceItemView,
    SourceUpdate,
    SourceView,
    SyncRequest,
    WebsiteConfig,
)
from refdesk.knowledge.sources.service import Sources

router = APIRouter(prefix="/api/v1", tags=["sources"])


_FILES_BODY = many_files("The file name of each part is its path in the folder.")
_ARCHIVE_BODY = one_file("application/zip")


@router.get(
    "/knowledge-bases/{knowledge_base_id}/sources",
    operation_id="listSources",
    summary="List a knowledge base's sources, newest first",
)
async def list_sources(
    knowledge_base_id: UUID, session: Tx, scope: BoundViewer, page: ListQuery
) -> Page[SourceView]:
    return await Sources(session, scope).page(knowledge_base_id, limit=page.limit, cursor=page.cursor)


@router.post(
    "/knowledge-bases/{knowledge_base_id}/sources",
    operation_id="createSource",
    summary="Add a web site, which is read at once, or a folder that a client sends",
    status_code=201,
)
async def create_source(
    knowledge_base_id: UUID,
    body: NewSource,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    database: DatabaseDep,
) -> SourceView:
    await KnowledgeBaseRepository(session, scope).get(knowledge_base_id)
    # A slow name server must not hold a transaction and its connection.
    await session.commit()
    if isinstance(body, NewWebsite):
        await require_allowed(start_address(body.config.url), settings)
    async with database.transaction() as fresh:
        return await Sources(fresh, scope).create(knowledge_base_id, body)


@router.get("/sources/{source_id}", operation_id="getSource", summary="One source and its last run")
async def get_source(source_id: UUID, session: Tx, scope: BoundViewer) -> SourceView:
    return await Sources(session, scope).view(source_id)


@router.patch(
    "/sources/{source_id}",
    operation_id="updateSource",
    summary="Rename a source, change how or how often it is read",
)
async def update_source(
    source_id: UUID,
    body: SourceUpdate,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    database: DatabaseDep,
) -> SourceView:
    await Sources(session, scope).view(source_id)
    # As above.
    await session.commit()
    if isinstance(body.config, WebsiteConfig):
        await require_allowed(start_address(body.config.url), settings)
    async with database.transaction() as fresh:
        return await Sources(fresh, scope).update(source_id, body)


@router.delete(
    "/sources/{source_id}",
    operation_id="deleteSource",
    summary="Delete a source with its documents, or without them",
    status_code=204,
)
async def delete_source(
    source_id: UUID,
    session: Tx,
    scope: BoundEditor,
    keep_documents: Annotated[bool, Query(description="Its documents stay, as if uploaded.")] = False,
) -> None:
    await Sources(session, scope).delete(source_id, keep_documents=keep_documents)


@router.post(
    "/sources/{source_id}/sync", operation_id="syncSource", summary="Read a web site now", status_code=202
)
async def sync_source(
    source_id: UUID, session: Tx, scope: BoundEditor, body: SyncRequest | None = None
) -> SourceView:
    return await Sources(session, scope).sync(source_id, body or SyncRequest())


@router.post(
    "/sources/{source_id}/cancel",
    operation_id="cancelSource",
    summary="Stop reading a web site; what was imported stays",
    status_code=202,
)
async def cancel_source(source_id: UUID, session: Tx, scope: BoundEditor) -> SourceView:
    return await Sources(session, scope).cancel(source_id)


@router.get(
    "/sources/{source_id}/items",
    operation_id="listSourceItems",
    summary="The pages or files of a source and what became of each",
)
async def list_source_items(
    source_id: UUID,
    session: Tx,
    scope: BoundViewer,
    page: ListQuery,
    state: Annotated[list[ItemState] | None, Query(description="Only items in these states.")] = None,
    q: Annotated[CleanText | None, Query(max_length=200, description="Part of the address or path.")] = None,
) -> Page[SourceItemView]:
    return await Sources(session, scope).items(
        source_id, limit=page.limit, cursor=page.cursor, states=state, q=q
    )


@router.post(
    "/sources/{source_id}/manifest",
    operation_id="sendManifest",
    summary="Compare a folder's files with what is here; answers which to send",
)
async def send_manifest(
    source_id: UUID, body: Manifest, session: Tx, scope: BoundEditor, settings: SettingsDep
) -> ManifestAnswer:
    return await Folders(session, scope, settings).manifest(source_id, body)


@router.post(
    "/sources/{source_id}/archive",
    operation_id="syncArchive",
    summary="Bring a folder in step with a ZIP: changed files become new versions, what is gone is removed",
    status_code=202,
    openapi_extra=_ARCHIVE_BODY,
)
async def sync_archive(
    source_id: UUID,
    request: Request,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    database: DatabaseDep,
    how: Annotated[SyncRequest, Query()],
    keep: Annotated[bool, Query(description="Documents whose files are gone stay.")] = False,
) -> ArchiveSync:
    await Folders(session, scope, settings).get(source_id)
    # As below.
    await session.commit()
    return await ArchiveRun(database, scope, settings, source_id).receive(request, how, keep=keep)


@router.post(
    "/sources/{source_id}/files",
    operation_id="sendFolderFiles",
    summary="Send files of a folder; the file name is the path in it",
    status_code=202,
    openapi_extra=_FILES_BODY,
)
async def send_folder_files(
    source_id: UUID,
    request: Request,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    database: DatabaseDep,
) -> FolderUploadResult:
    await Folders(session, scope, settings).get(source_id)
    # A slow client must not hold a transaction and its connection for as long as its upload lasts.
    await session.commit()
    return await receive_files(request, database, scope, settings, source_id)
