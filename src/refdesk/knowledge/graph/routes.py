"""HTTP of knowledge graphs."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from refdesk.accounts import BoundEditor, BoundViewer
from refdesk.gateway import GatewayDep
from refdesk.kit.border_types import CleanText
from refdesk.kit.web import PageQuery, Tx
from refdesk.knowledge.graph.errors import GraphNotFound
from refdesk.knowledge.graph.exploring import MAX_EDGES, Explorer
from refdesk.knowledge.graph.paths import find_paths
from refdesk.knowledge.graph.presence import has_graph
from refdesk.knowledge.graph.schemas import (
    EntityPage,
    GraphBuild,
    GraphChange,
    GraphEstimate,
    GraphPart,
    GraphView,
    ListedEntityView,
    Method,
    PathsRequest,
    PathsView,
)
from refdesk.knowledge.graph.service import Graphs

router = APIRouter(prefix="/api/v1/knowledge-bases/{knowledge_base_id}/graph", tags=["knowledge"])


@router.get("", operation_id="getGraph", summary="The knowledge graph of a base, and how far it is")
async def get_graph(knowledge_base_id: UUID, session: Tx, scope: BoundViewer) -> GraphView:
    return await Graphs(session, scope).view(knowledge_base_id)


@router.patch("", operation_id="updateGraph", summary="Let a knowledge graph follow its base, or not")
async def update_graph(
    knowledge_base_id: UUID, body: GraphChange, session: Tx, scope: BoundEditor
) -> GraphView:
    return await Graphs(session, scope).follow(knowledge_base_id, body.follows)


@router.delete("", operation_id="deleteGraph", summary="Delete a knowledge graph", status_code=204)
async def delete_graph(knowledge_base_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Graphs(session, scope).delete(knowledge_base_id)


@router.get(
    "/estimate", operation_id="estimateGraph", summary="What building the knowledge graph reads and costs"
)
async def estimate_graph(
    knowledge_base_id: UUID,
    session: Tx,
    scope: BoundEditor,
    gateway: GatewayDep,
    method: Method = "rules",
    model_id: UUID | None = None,
) -> GraphEstimate:
    body = GraphBuild(method=method, model_id=model_id)
    return await Graphs(session, scope).estimate(knowledge_base_id, body, gateway)


@router.post(
    "/build",
    operation_id="buildGraph",
    summary="Build the knowledge graph, or read what is not in it yet",
    status_code=202,
)
async def build_graph(
    knowledge_base_id: UUID, body: GraphBuild, session: Tx, scope: BoundEditor, gateway: GatewayDep
) -> GraphView:
    return await Graphs(session, scope).start(knowledge_base_id, body, gateway)


@router.post("/cancel", operation_id="cancelGraph", summary="Stop building the knowledge graph")
async def cancel_graph(knowledge_base_id: UUID, session: Tx, scope: BoundEditor) -> GraphView:
    return await Graphs(session, scope).cancel(knowledge_base_id)


@router.get("/entities", operation_id="listGraphEntities", summary="Entities of a knowledge graph")
async def list_graph_entities(
    knowledge_base_id: UUID,
    session: Tx,
    scope: BoundViewer,
    page: Annotated[PageQuery, Depends()],
    q: Annotated[CleanText | None, Query(max_length=200, description="Part of a name.")] = None,
    values: Annotated[bool, Query(description="Also values, such as 24 V.")] = False,
) -> EntityPage:
    explorer = Explorer(session, scope, knowledge_base_id)
    found = await explorer.entities(q, values=values, limit=page.limit, cursor=page.cursor)
    items = [ListedEntityView.model_validate(item) for item in found.items]
    return EntityPage(items=items, next_cursor=found.next_cursor, total=found.total)


@router.get(
    "/entities/{entity_id}",
    operation_id="getGraphEntity",
    summary="An entity with its relations and the paragraphs that tell them",
)
async def get_graph_entity(
    knowledge_base_id: UUID,
    entity_id: UUID,
    session: Tx,
    scope: BoundViewer,
    hops: Annotated[int, Query(ge=1, le=2, description="How far around it.")] = 1,
    limit: Annotated[int, Query(ge=1, le=MAX_EDGES)] = 100,
) -> GraphPart:
    explorer = Explorer(session, scope, knowledge_base_id)
    return GraphPart.model_validate(await explorer.around(entity_id, hops=hops, limit=limit))


@router.get(
    "/overview", operation_id="getGraphOverview", summary="The most named entities and what joins them"
)
async def get_graph_overview(
    knowledge_base_id: UUID,
    session: Tx,
    scope: BoundViewer,
    limit: Annotated[int, Query(ge=1, le=MAX_EDGES)] = 80,
) -> GraphPart:
    return GraphPart.model_validate(await Explorer(session, scope, knowledge_base_id).overview(limit=limit))


@router.post(
    "/paths",
    operation_id="findGraphPaths",
    summary="Paths between entities, each edge with the paragraphs that tell it",
)
async def find_graph_paths(
    knowledge_base_id: UUID, body: PathsRequest, session: Tx, scope: BoundViewer
) -> PathsView:
    if not await has_graph(session, scope, [knowledge_base_id]):
        raise GraphNotFound
    found = await find_paths(
        session,
        scope,
        [knowledge_base_id],
        entities=body.entities,
        question=body.question,
        max_hops=body.max_hops,
        limit=body.limit,
    )
    return PathsView.model_validate(found)
