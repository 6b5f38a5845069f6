"""Rows of the access table: external sources."""

from typing import Any

import httpx
from tests.http.access_calls import Call, Row, nothing
from tests.http.world import World, ok

API = "/api/v1/external-sources"
ONE = f"{API}/{{source_id}}"


def _draft(world: World) -> dict[str, Any]:
    return {"name": world.new_name("source"), "kind": "http", "config": {"url": "http://127.0.0.1:9/"}}


async def drafted(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=_draft(world))


async def shown(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(shows=(str(ok(await world.owner.post(API, json=_draft(world)))["id"]),))


async def kept(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"source_id": ok(await world.owner.post(API, json=_draft(world)))["id"]})


async def asked(world: World, client: httpx.AsyncClient) -> Call:
    """Nothing to look for: the source, which does not answer, is not asked."""
    return Call(path=(await kept(world, client)).path, json={"query": " "})


async def changed(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await kept(world, client)).path, json={"timeout_s": 5})


EXTERNAL = (
    Row("GET", API, "owner", shown),
    Row("POST", API, "owner", drafted),
    Row("GET", f"{API}/kinds", "owner", nothing),
    Row("POST", f"{API}/check", "owner", drafted),
    Row("PATCH", ONE, "owner", changed, 404),
    Row("GET", ONE, "owner", kept, 404),
    Row("DELETE", ONE, "owner", kept, 404),
    Row("POST", f"{ONE}/check", "owner", kept, 404),
    Row("POST", f"{ONE}/search", "viewer", asked, 404, key=True),
)
