"""Rows of the access table: limits, usage, prices, caches."""

import httpx
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

from refdesk.testing.scripted_model import scripted_model

API = "/api/v1"
LIMIT = f"{API}/model-limits/{{limit_id}}"
PRICE = f"{API}/model-prices/{{price_id}}"
CACHE = f"{API}/response-caches/{{application_id}}"
RANGE = {"since": "2026-11-01T00:00:00Z", "until": "2026-12-01T00:00:00Z"}


async def _model(world: World, client: httpx.AsyncClient, kind: str = "LLM") -> str:
    if world.model_url is None:
        world.model_url = (await world.stack.enter_async_context(scripted_model())).base_url
    name = world.new_name("model")
    draft = {"kind": kind, "name": name, "model_name": "scripted", "base_url": world.model_url}
    made: str = ok(await client.post(f"{API}/models", json=draft))["id"]
    return made


def _limit(world: World) -> dict[str, object]:
    name = world.new_name("limit")
    return {"name": name, "measure": "requests", "amount": 1_000_000, "window_s": 60}


async def new_limit(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=_limit(world))


async def foreign_limit(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=_limit(world) | {"model_id": await _model(world, world.owner)})


async def limit(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.owner.post(f"{API}/model-limits", json=_limit(world)))
    return Call(path={"limit_id": made["id"]}, json=_limit(world))


async def limit_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await limit(world, client)).path["limit_id"],))


async def kept_limit(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await limit(world, client)).path)


async def some_time(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(query=RANGE)


async def settings(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"time_zone": "UTC", "keep_days": 180})


async def _price(world: World) -> dict[str, str]:
    return {
        "model_id": await _model(world, world.owner),
        "valid_from": "2026-01-01",
        "currency": "USD",
        "input_per_million": "2.5",
    }


async def new_price(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=await _price(world))


async def price(world: World, _client: httpx.AsyncClient) -> Call:
    body = await _price(world)
    made = ok(await world.owner.post(f"{API}/model-prices", json=body))
    return Call(path={"price_id": made["id"]}, json=body)


async def kept_price(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await price(world, client)).path)


async def price_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await price(world, client)).path["price_id"],))


async def priced_model_shown(world: World, client: httpx.AsyncClient) -> Call:
    model_id = (await price(world, client)).json["model_id"]
    return Call(shows=(ok(await world.owner.get(f"{API}/models/{model_id}"))["name"],))


async def price_file(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"csv": "model,valid_from,currency\n"})


async def application(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.owner.post(f"{API}/applications", json={"name": world.new_name("app")}))
    return Call(path={"application_id": made["id"]}, json={"ttl_s": 60})


async def cache(world: World, client: httpx.AsyncClient) -> Call:
    path = (await application(world, client)).path
    ok(await world.owner.put(f"{API}/response-caches/{path['application_id']}", json={}))
    return Call(path=path)


async def cache_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await cache(world, client)).path["application_id"],))


async def embedding_cache(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"model_id": await _model(world, world.owner)})


LIMITS = (
    Row("GET", f"{API}/model-limits", "owner", limit_shown),
    Row("POST", f"{API}/model-limits", "owner", new_limit, foreign=foreign_limit),
    Row("PUT", LIMIT, "owner", limit, 404),
    Row("DELETE", LIMIT, "owner", kept_limit, 404),
    Row("GET", f"{LIMIT}/standing", "owner", kept_limit, 404),
    Row("GET", f"{API}/model-queues", "owner"),
    Row("GET", f"{API}/usage/figures", "viewer", some_time, key=True),
    Row("GET", f"{API}/usage/calls", "viewer", some_time, key=True),
    Row("GET", f"{API}/usage/export", "viewer", some_time, key=True),
    Row("GET", f"{API}/usage/settings", "viewer", key=True),
    Row("PUT", f"{API}/usage/settings", "owner", settings),
    Row("GET", f"{API}/model-prices", "owner", price_shown),
    Row("POST", f"{API}/model-prices", "owner", new_price, 404),
    Row("GET", f"{API}/model-prices/export", "owner", priced_model_shown),
    Row("POST", f"{API}/model-prices/import", "owner", price_file),
    Row("PUT", PRICE, "owner", price, 404),
    Row("DELETE", PRICE, "owner", kept_price, 404),
    Row("GET", f"{API}/response-caches", "owner", cache_shown),
    Row("PUT", CACHE, "owner", application, 404),
    Row("DELETE", CACHE, "owner", cache, 404),
    Row("DELETE", f"{CACHE}/answers", "owner", cache, 404),
    Row("GET", f"{API}/embedding-caches", "owner"),
    Row("DELETE", f"{API}/embedding-caches/{{model_id}}", "owner", embedding_cache, 404),
)
