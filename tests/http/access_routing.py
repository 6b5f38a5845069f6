"""Rows of the access table: fallback policies, purposes, the health of models."""

import httpx
from tests.http.access_asking import _draft
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

API = "/api/v1"
POLICY = f"{API}/fallback-policies/{{policy_id}}"
ROUTE = f"{API}/purpose-routes/{{kind}}/{{purpose}}"
RETRY = {"condition": "response_code == 503", "action": "retry"}


async def _model(world: World, **members: object) -> str:
    draft = await _draft(world) | members
    return str(ok(await world.owner.post(f"{API}/models", json=draft))["id"])


def _policy(world: World, *rules: dict[str, object]) -> dict[str, object]:
    return {"policy_id": world.new_name("policy"), "rules": list(rules) or [RETRY]}


def _switch(target: str) -> dict[str, object]:
    return {"condition": "true", "action": "switch_to_model", "target_model_id": target}


async def new_policy(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=_policy(world))


async def policy_to_a_foreign_model(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=_policy(world, _switch(await _model(world))))


async def policy(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.owner.post(f"{API}/fallback-policies", json=_policy(world)))
    return Call(path={"policy_id": made["id"]})


async def policy_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await policy(world, client)).path["policy_id"],))


async def renamed_policy(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await policy(world, client)).path, json={"description": "other"})


async def rules(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"rules": [RETRY]})


async def dry_run(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"model_id": await _model(world), "happening": {"response_code": 503}})


async def route(world: World, _client: httpx.AsyncClient) -> Call:
    path = {"kind": "LLM", "purpose": world.new_name("purpose")}
    return Call(path=path, json={"model_id": await _model(world)})


async def made_route(world: World, client: httpx.AsyncClient) -> Call:
    call = await route(world, client)
    ok(await world.owner.put(ROUTE.format_map(call.path), json=call.json))
    return Call(path=call.path)


async def route_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await made_route(world, client)).path["purpose"],))


async def model_shown(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(shows=(await _model(world),))


async def watched_model(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"model_id": await _model(world, health_check={"path": "models"})})


ROUTING = (
    Row("GET", f"{API}/fallback-policies", "viewer", policy_shown, key=True),
    Row("POST", f"{API}/fallback-policies", "owner", new_policy, foreign=policy_to_a_foreign_model),
    Row("POST", f"{API}/fallback-policies/check", "owner", rules),
    Row("POST", f"{API}/fallback-policies/dry-run", "owner", dry_run, 404),
    Row("GET", POLICY, "viewer", policy, 404, key=True),
    Row("PATCH", POLICY, "owner", renamed_policy, 404),
    Row("DELETE", POLICY, "owner", policy, 404),
    Row("GET", f"{API}/purpose-routes", "viewer", route_shown, key=True),
    Row("PUT", ROUTE, "owner", route, 404),
    Row("DELETE", ROUTE, "owner", made_route, 404),
    Row("GET", f"{API}/model-health", "viewer", model_shown, key=True),
    Row("POST", f"{API}/model-health/{{model_id}}/probe", "owner", watched_model, 404),
)
