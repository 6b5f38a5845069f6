"""Rows of the access table: the other index of a knowledge base."""

from typing import Any
from uuid import UUID

import httpx
from sqlalchemy import text
from tests.http.access_calls import Call, Prepare, Row
from tests.http.access_knowledge import base_of
from tests.http.world import World, ok

API = "/api/v1"
BUILDS = f"{API}/knowledge-bases/{{knowledge_base_id}}/index-builds"
BUILD = f"{BUILDS}/{{build_id}}"


async def _model(client: httpx.AsyncClient) -> str:
    return str(ok(await client.get(f"{API}/models", params={"kind": "EMBEDDING"}))["items"][0]["id"])


async def _started(world: World) -> Any:
    base_id = await base_of(world, world.owner)
    body = {"model_id": await _model(world.owner)}
    return ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/index-builds", json=body))


def _path(build: Any) -> dict[str, str]:
    return {"knowledge_base_id": build["knowledge_base_id"], "build_id": build["id"]}


async def new_build(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(path={"knowledge_base_id": base_id}, json={"model_id": await _model(world.owner)})


async def own_base_foreign_model(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.stranger)
    return Call(path={"knowledge_base_id": base_id}, json={"model_id": await _model(world.owner)})


async def builds(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"knowledge_base_id": (await _started(world))["knowledge_base_id"]})


async def started(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path=_path(await _started(world)))


async def own_base_foreign_build(world: World, _client: httpx.AsyncClient) -> Call:
    build = await _started(world)
    base_id = await base_of(world, world.stranger)
    return Call(path={"knowledge_base_id": base_id, "build_id": build["id"]})


def in_state(state: str) -> Prepare:
    """A build that the worker has brought so far; `switched` by way of `built`."""

    async def prepare(world: World, _client: httpx.AsyncClient) -> Call:
        build = await _started(world)
        async with world.database.transaction() as session:
            await session.execute(
                text(
                    "WITH made AS (INSERT INTO indexes (id, workspace_id, knowledge_base_id, model_id,"
                    " dimensions, generation, home, state, entry_count, total_length, average_length)"
                    " SELECT gen_random_uuid(), workspace_id, knowledge_base_id, model_id, 384, 1, 0,"
                    " 'building', 0, 0, 0 FROM index_builds WHERE id = :id RETURNING id)"
                    " UPDATE index_builds b SET state = :state, index_id = made.id FROM made WHERE b.id = :id"
                ),
                {"id": UUID(build["id"]), "state": "built" if state == "switched" else state},
            )
        if state == "switched":
            base = f"{API}/knowledge-bases/{build['knowledge_base_id']}"
            ok(await world.owner.post(f"{base}/index-builds/{build['id']}/switch"))
        return Call(path=_path(build))

    return prepare


INDEX_BUILDS = (
    Row("GET", BUILDS, "viewer", builds, 404, key=True),
    Row("POST", BUILDS, "editor", new_build, 404, foreign=own_base_foreign_model),
    Row("GET", BUILD, "viewer", started, 404, key=True, foreign=own_base_foreign_build),
    Row("DELETE", BUILD, "editor", started, 404, foreign=own_base_foreign_build),
    Row("POST", f"{BUILD}/cancel", "editor", started, 404),
    Row("POST", f"{BUILD}/resume", "editor", in_state("cancelled"), 404),
    Row("POST", f"{BUILD}/compare", "editor", in_state("built"), 404, foreign=own_base_foreign_build),
    Row("POST", f"{BUILD}/switch", "editor", in_state("built"), 404, foreign=own_base_foreign_build),
    Row("POST", f"{BUILD}/switch-back", "editor", in_state("switched"), 404),
)
