"""External sources over HTTP. Owners keep them, whoever may view the workspace searches them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, status

from refdesk.accounts import Owner, Scope, Viewer
from refdesk.gateway import Gateway, GatewayDep
from refdesk.kit.database import Database
from refdesk.kit.web import DatabaseDep, Page, Tx
from refdesk.retrieval.external.opening import KINDS, NEEDS_EMBEDDER, how_to_install, is_installed
from refdesk.retrieval.external.schemas import (
    ExternalSourceChange,
    ExternalSourceView,
    NewExternalSource,
    SourceCheck,
    SourceDraft,
    SourceHits,
    SourceHitView,
    SourceKind,
    SourceKinds,
    SourceQuery,
)
from refdesk.retrieval.external.service import ExternalSourceRepository, ExternalSources, view_of

router = APIRouter(prefix="/api/v1/external-sources", tags=["external sources"])


def _sources(request: Request, database: Database, gateway: Gateway, scope: Scope) -> ExternalSources:
    state = request.app.state
    return ExternalSources(database, scope, gateway, state.cipher, state.settings)


def _kept(request: Request, database: DatabaseDep, gateway: GatewayDep, scope: Owner) -> ExternalSources:
    return _sources(request, database, gateway, scope)


def _asked(request: Request, database: DatabaseDep, gateway: GatewayDep, scope: Viewer) -> ExternalSources:
    return _sources(request, database, gateway, scope)


Kept = Annotated[ExternalSources, Depends(_kept)]
Asked = Annotated[ExternalSources, Depends(_asked)]


@router.get("", operation_id="listExternalSources", summary="The workspace's external sources, by name")
async def list_external_sources(session: Tx, scope: Owner) -> Page[ExternalSourceView]:
    sources = await ExternalSourceRepository(session, scope).all()
    return Page(items=[view_of(source) for source in sources], total=len(sources))


@router.post(
    "",
    operation_id="createExternalSource",
    summary="Connect a source that someone else runs",
    status_code=status.HTTP_201_CREATED,
)
async def create_external_source(draft: NewExternalSource, sources: Kept) -> ExternalSourceView:
    return await sources.create(draft)


@router.get(
    "/kinds", operation_id="listExternalSourceKinds", summary="Which kinds of sources can be connected here"
)
async def list_external_source_kinds(scope: Owner) -> SourceKinds:
    return SourceKinds(
        items=[
            SourceKind(
                kind=kind,
                is_installed=is_installed(kind),
                install=how_to_install(kind),
                needs_embedder=kind in NEEDS_EMBEDDER,
            )
            for kind in KINDS
        ]
    )


@router.post(
    "/check", operation_id="checkExternalSourceDraft", summary="Try settings of a source without saving them"
)
async def check_external_source_draft(draft: SourceDraft, sources: Kept) -> SourceCheck:
    return await sources.check_draft(draft)


@router.get("/{source_id}", operation_id="getExternalSource", summary="One external source")
async def get_external_source(source_id: UUID, session: Tx, scope: Owner) -> ExternalSourceView:
    return view_of(await ExternalSourceRepository(session, scope).get(source_id))


@router.patch("/{source_id}", operation_id="changeExternalSource", summary="Change an external source")
async def change_external_source(
    source_id: UUID, change: ExternalSourceChange, sources: Kept
) -> ExternalSourceView:
    return await sources.change(source_id, change)


@router.delete(
    "/{source_id}",
    operation_id="deleteExternalSource",
    summary="Disconnect an external source; nothing in it is changed",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_external_source(source_id: UUID, session: Tx, scope: Owner) -> None:
    await ExternalSourceRepository(session, scope).delete(source_id)


@router.post(
    "/{source_id}/check", operation_id="checkExternalSource", summary="Ask the source and tell how that went"
)
async def check_external_source(source_id: UUID, sources: Kept) -> SourceCheck:
    return await sources.check(source_id)


@router.post("/{source_id}/search", operation_id="searchExternalSource", summary="Search an external source")
async def search_external_source(source_id: UUID, body: SourceQuery, sources: Asked) -> SourceHits:
    hits, took_ms = await sources.search(source_id, body.query, body.top_k, body.filters)
    return SourceHits(hits=[SourceHitView.model_validate(hit) for hit in hits], took_ms=took_ms)
