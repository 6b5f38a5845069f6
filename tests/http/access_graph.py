"""Rows of the access table: knowledge graphs."""

from uuid import UUID

import httpx
from sqlalchemy import select
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import API, base, base_of
from tests.http.world import World, ok

from refdesk.jobs import JobContext
from refdesk.kit.settings import Settings
from refdesk.knowledge.graph.jobs import build_graph
from refdesk.knowledge.graph.keys import entity_id, entity_key
from refdesk.knowledge.graph.tables import KnowledgeGraph

GRAPH = f"{API}/knowledge-bases/{{knowledge_base_id}}/graph"
SENTENCE = "{name}依赖消息总线。"


async def read_graph(world: World, base_id: str, name: str) -> None:
    """A graph with one relation of this name, as a worker leaves it; no worker runs here."""
    path = f"{API}/knowledge-bases/{base_id}"
    paragraphs = [{"content": SENTENCE.format(name=name)}]
    body = {"documents": [{"name": world.new_name("document"), "paragraphs": paragraphs}]}
    ok(await world.owner.post(f"{path}/documents", json=body))
    ok(await world.owner.post(f"{path}/graph/build", json={}))
    await run_build(world, base_id)


async def run_build(world: World, base_id: str) -> None:
    """What a worker would do for the graph of a base."""
    async with world.database.transaction() as session:
        graph = await session.scalar(
            select(KnowledgeGraph).where(KnowledgeGraph.knowledge_base_id == UUID(base_id))
        )
    assert graph is not None
    context = JobContext(Settings(), world.database)
    await build_graph(context, str(graph.workspace_id), str(graph.id))


async def started(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/graph/build", json={}))
    return Call(path={"knowledge_base_id": base_id})


async def shown(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    name = world.new_name("网关").replace(" ", "")
    await read_graph(world, base_id, name)
    return Call(path={"knowledge_base_id": base_id}, shows=(name,))


async def entity(world: World, client: httpx.AsyncClient) -> Call:
    call = await shown(world, client)
    key = entity_key(call.shows[0])
    return Call(path={**call.path, "entity_id": str(entity_id(key))}, shows=call.shows)


async def asked(world: World, client: httpx.AsyncClient) -> Call:
    call = await shown(world, client)
    return Call(path=call.path, json={"question": f"{call.shows[0]}依赖什么？"}, shows=call.shows)


async def build(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await base(world, client)).path, json={"method": "rules"})


async def change(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await started(world, client)).path, json={"follows": False})


GRAPHS: tuple[Row, ...] = (
    Row("GET", GRAPH, "viewer", started, 404, key=True),
    Row("PATCH", GRAPH, "editor", change, 404),
    Row("DELETE", GRAPH, "editor", started, 404),
    Row("GET", f"{GRAPH}/estimate", "editor", base, 404),
    Row("POST", f"{GRAPH}/build", "editor", build, 404),
    Row("POST", f"{GRAPH}/cancel", "editor", started, 404),
    Row("GET", f"{GRAPH}/entities", "viewer", shown, 404, key=True),
    Row("GET", f"{GRAPH}/entities/{{entity_id}}", "viewer", entity, 404, key=True),
    Row("GET", f"{GRAPH}/overview", "viewer", shown, 404, key=True),
    Row("POST", f"{GRAPH}/paths", "viewer", asked, 404, key=True),
)
