"""HTTP of index builds."""

from uuid import UUID

from fastapi import APIRouter

from refdesk.accounts import BoundEditor, BoundViewer, Scope
from refdesk.gateway import GatewayDep
from refdesk.kit.database import Database
from refdesk.kit.web import DatabaseDep, Page, Tx
from refdesk.knowledge.queueing import enqueue_build
from refdesk.knowledge.rebuilding.errors import IndexBehind
from refdesk.knowledge.rebuilding.schemas import IndexBuildCreate, IndexBuildView
from refdesk.knowledge.rebuilding.service import IndexBuilds

router = APIRouter(prefix="/api/v1/knowledge-bases/{knowledge_base_id}/index-builds", tags=["knowledge"])
_ONE = "/{build_id}"


@router.get(
    "", operation_id="listIndexBuilds", summary="The other index of a knowledge base, if there is one"
)
async def list_index_builds(knowledge_base_id: UUID, session: Tx, scope: BoundViewer) -> Page[IndexBuildView]:
    return await IndexBuilds(session, scope).page(knowledge_base_id)


@router.post(
    "",
    operation_id="startIndexBuild",
    summary="Build another index of a knowledge base with another embedding model",
    status_code=202,
)
async def start_index_build(
    knowledge_base_id: UUID, body: IndexBuildCreate, session: Tx, scope: BoundEditor, gateway: GatewayDep
) -> IndexBuildView:
    return await IndexBuilds(session, scope).start(knowledge_base_id, body.model_id, gateway)


@router.get(
    _ONE,
    operation_id="getIndexBuild",
    summary="How far the other index is, and how it compares with the active one",
)
async def get_index_build(
    knowledge_base_id: UUID, build_id: UUID, session: Tx, scope: BoundViewer
) -> IndexBuildView:
    return await IndexBuilds(session, scope).view(knowledge_base_id, build_id)


@router.delete(
    _ONE,
    operation_id="discardIndexBuild",
    summary="Remove the index that is not active",
    status_code=204,
)
async def discard_index_build(
    knowledge_base_id: UUID, build_id: UUID, session: Tx, scope: BoundEditor
) -> None:
    await IndexBuilds(session, scope).discard(knowledge_base_id, build_id)


@router.post(f"{_ONE}/cancel", operation_id="cancelIndexBuild", summary="Stop building the other index")
async def cancel_index_build(
    knowledge_base_id: UUID, build_id: UUID, session: Tx, scope: BoundEditor
) -> IndexBuildView:
    return await IndexBuilds(session, scope).cancel(knowledge_base_id, build_id)


@router.post(
    f"{_ONE}/resume",
    operation_id="resumeIndexBuild",
    summary="Go on with an index build that was cancelled or failed",
    status_code=202,
)
async def resume_index_build(
    knowledge_base_id: UUID, build_id: UUID, session: Tx, scope: BoundEditor
) -> IndexBuildView:
    return await IndexBuilds(session, scope).resume(knowledge_base_id, build_id)


@router.post(
    f"{_ONE}/switch",
    operation_id="switchIndexBuild",
    summary="Search the other index from now on; the former one is kept",
)
async def switch_index_build(
    knowledge_base_id: UUID, build_id: UUID, session: Tx, scope: BoundEditor, database: DatabaseDep
) -> IndexBuildView:
    try:
        return await IndexBuilds(session, scope).switch(knowledge_base_id, build_id)
    except IndexBehind:
        await _catch_up(database, scope, build_id)
        raise


@router.post(
    f"{_ONE}/switch-back",
    operation_id="switchIndexBuildBack",
    summary="Search the former index again",
)
async def switch_index_build_back(
    knowledge_base_id: UUID, build_id: UUID, session: Tx, scope: BoundEditor, database: DatabaseDep
) -> IndexBuildView:
    try:
        return await IndexBuilds(session, scope).switch_back(knowledge_base_id, build_id)
    except IndexBehind:
        await _catch_up(database, scope, build_id)
        raise


async def _catch_up(database: Database, scope: Scope, build_id: UUID) -> None:
    """In a transaction of its own: that of the refused request is rolled back."""
    async with database.transaction() as session:
        await enqueue_build(session, scope, build_id)
