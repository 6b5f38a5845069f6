"""Rows of the access table: model descriptors, and calls by them."""

import httpx
from tests.http.access_calls import Call, Row
from tests.http.access_models import connected_model
from tests.http.world import World, ok

API = "/api/v1"
DESCRIPTOR = f"{API}/models/{{model_id}}/descriptor"
DESCRIBED = """\
model_id: {name}
version: "1"
provider: openai-compatible
endpoint: http://127.0.0.1:9/v1
health_check: null
capabilities: {{supports_streaming: true, tool_calling_supported: true, max_context_length: 8192}}
input_schema: {{type: object}}
output_schema: {{type: object}}
"""


async def new_descriptor(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"yaml": DESCRIBED.format(name=world.new_name("described"))})


async def model_shown(world: World, _client: httpx.AsyncClient) -> Call:
    model_id = (await connected_model(world, "LLM"))["model_id"]
    return Call(shows=(ok(await world.owner.get(f"{API}/models/{model_id}"))["name"],))


async def a_model(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path=await connected_model(world, "LLM"))


async def edited(world: World, _client: httpx.AsyncClient) -> Call:
    path = await connected_model(world, "LLM")
    text = ok(await world.owner.get(DESCRIPTOR.format_map(path)))["yaml"]
    return Call(path=path, json={"yaml": text.replace("version: '1'", "version: '2'")})


async def wanted_draft(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"provider": "minimax", "model_name": "MiniMax-M2"})


async def question(world: World, client: httpx.AsyncClient) -> Call:
    model_id = (await a_model(world, client)).path["model_id"]
    return Call(json={"model_id": model_id, "input": {"prompt": "Hello"}})


DESCRIPTORS = (
    Row("GET", "/mcp/models", "viewer", model_shown, key=True),
    Row("POST", "/mcp/invoke", "viewer", question, 404),
    Row("GET", f"{API}/model-descriptors", "viewer", model_shown, key=True),
    Row("POST", f"{API}/model-descriptors", "owner", new_descriptor),
    Row("POST", f"{API}/model-descriptors/check", "owner", new_descriptor),
    Row("POST", f"{API}/model-descriptors/draft", "owner", wanted_draft),
    Row("GET", DESCRIPTOR, "viewer", a_model, 404, key=True),
    Row("PUT", DESCRIPTOR, "owner", edited, 404),
    Row("POST", f"{DESCRIPTOR}/check", "owner", edited, 404),
)
