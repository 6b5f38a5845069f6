"""Rows of the access table: models, applications, conversations and runs, the OpenAI-compatible door."""

import asyncio

import httpx
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import base_of
from tests.http.world import World, ok

from refdesk.testing.scripted_media import PICTURE
from refdesk.testing.scripted_model import scripted_model

API = "/api/v1"


async def _endpoint(world: World) -> dict[str, str]:
    """A model server on this machine, one a test module."""
    if world.model_url is None:
        world.model_url = (await world.stack.enter_async_context(scripted_model())).base_url
    return {"base_url": world.model_url}


async def _draft(world: World) -> dict[str, str]:
    name = world.new_name("model")
    return await _endpoint(world) | {"kind": "LLM", "name": name, "model_name": "scripted-chat"}


async def endpoint(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=await _endpoint(world))


async def draft(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=await _draft(world))


async def model(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.owner.post(f"{API}/models", json=await _draft(world)))
    return Call(path={"model_id": made["id"]})


async def model_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await model(world, client)).path["model_id"],))


async def renamed_model(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await model(world, client)).path, json={"name": world.new_name("model")})


async def application(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.owner.post(f"{API}/applications", json={"name": world.new_name("application")}))
    return Call(path={"application_id": made["id"]})


async def application_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await application(world, client)).path["application_id"],))


async def new_application(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"name": world.new_name("application")})


async def application_of_a_foreign_base(world: World, _client: httpx.AsyncClient) -> Call:
    theirs = await base_of(world, world.owner)
    return Call(json={"name": world.new_name("application"), "knowledge_base_ids": [theirs]})


async def application_changed_to_a_foreign_model(world: World, client: httpx.AsyncClient) -> Call:
    made = ok(await world.stranger.post(f"{API}/applications", json={"name": world.new_name("application")}))
    return Call(
        path={"application_id": made["id"]}, json={"model_id": (await model(world, client)).path["model_id"]}
    )


async def renamed_application(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await application(world, client)).path, json={"name": world.new_name("application")})


async def asked(world: World, client: httpx.AsyncClient) -> dict[str, str]:
    """A finished run of the caller, or of the owner for callers who may not ask."""
    body = {"question": "What is the refund period?", "knowledge_base_ids": []}
    sent = await client.post(f"{API}/runs", json=body)
    if not sent.is_success:
        client = world.owner
        sent = await client.post(f"{API}/runs", json=body)
    run = ok(sent)
    async with asyncio.timeout(30):
        while run["state"] in ("queued", "running"):
            await asyncio.sleep(0.02)
            run = ok(await client.get(f"{API}/runs/{run['id']}"))
    return run


async def conversation(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path={"conversation_id": (await asked(world, client))["conversation_id"]})


async def conversation_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await asked(world, client))["conversation_id"],))


async def renamed_conversation(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await conversation(world, client)).path, json={"title": "New title"})


async def question(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(json={"question": "What is the refund period?", "knowledge_base_ids": [base_id]})


async def question_in_a_foreign_conversation(world: World, _client: httpx.AsyncClient) -> Call:
    theirs = await asked(world, world.viewer)
    return Call(json={"question": "And then?", "conversation_id": theirs["conversation_id"]})


async def run(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path={"run_id": (await asked(world, client))["id"]})


async def _speech_model(world: World, kind: str) -> None:
    draft = await _draft(world) | {"kind": kind, "is_default": True}
    ok(await world.owner.post(f"{API}/models", json=draft))


async def new_picture(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(content=PICTURE, headers={"Content-Type": "image/png"})


async def picture(world: World, client: httpx.AsyncClient) -> Call:
    kept = await client.post(f"{API}/question-pictures", content=PICTURE)
    if not kept.is_success:
        kept = await world.owner.post(f"{API}/question-pictures", content=PICTURE)
    return Call(path={"picture_id": ok(kept)["id"]})


async def read_aloud(world: World, client: httpx.AsyncClient) -> Call:
    await _speech_model(world, "TTS")
    return await run(world, client)


async def recording(world: World, _client: httpx.AsyncClient) -> Call:
    await _speech_model(world, "STT")
    return Call(content=b"RIFF", headers={"Content-Type": "audio/wav"})


async def completion(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(
        json={"model": base_id, "messages": [{"role": "user", "content": "What is the refund period?"}]}
    )


async def names_shown(world: World, _client: httpx.AsyncClient) -> Call:
    name = world.new_name("application")
    ok(await world.owner.post(f"{API}/applications", json={"name": name}))
    return Call(shows=(name,))


async def embedding(world: World, _client: httpx.AsyncClient) -> Call:
    models = ok(await world.owner.get(f"{API}/models", params={"kind": "EMBEDDING"}))["items"]
    return Call(json={"model": models[0]["id"], "input": "refund"})


MODEL = f"{API}/models/{{model_id}}"
APPLICATION = f"{API}/applications/{{application_id}}"
CONVERSATION = f"{API}/conversations/{{conversation_id}}"
RUN = f"{API}/runs/{{run_id}}"

ASKING = (
    Row("GET", f"{API}/models", "viewer", model_shown, key=True),
    Row("POST", f"{API}/models", "owner", draft),
    Row("POST", f"{API}/models/check", "owner", draft),
    Row("POST", f"{API}/models/list-remote", "owner", endpoint),
    Row("GET", f"{API}/model-presets", "viewer", key=True),
    Row("GET", MODEL, "viewer", model, 404, key=True),
    Row("PATCH", MODEL, "owner", renamed_model, 404),
    Row("DELETE", MODEL, "owner", model, 404),
    Row("POST", f"{MODEL}/check", "owner", model, 404),
    Row("DELETE", f"{MODEL}/gates", "owner", model, 404),
    Row("GET", f"{API}/applications", "viewer", application_shown, key=True),
    Row("POST", f"{API}/applications", "editor", new_application, foreign=application_of_a_foreign_base),
    Row("GET", APPLICATION, "viewer", application, 404, key=True),
    Row(
        "PATCH",
        APPLICATION,
        "editor",
        renamed_application,
        404,
        foreign=application_changed_to_a_foreign_model,
    ),
    Row("DELETE", APPLICATION, "editor", application, 404),
    Row("GET", f"{API}/conversations", "viewer", conversation_shown, private=True),
    Row("GET", CONVERSATION, "viewer", conversation, 404, private=True),
    Row("PATCH", CONVERSATION, "viewer", renamed_conversation, 404, private=True),
    Row("DELETE", CONVERSATION, "viewer", conversation, 404, private=True),
    Row("POST", f"{API}/runs", "viewer", question, 404, foreign=question_in_a_foreign_conversation),
    Row("GET", RUN, "viewer", run, 404, private=True),
    Row("GET", f"{RUN}/events", "viewer", run, 404, private=True, streams=True),
    Row("POST", f"{RUN}/cancel", "viewer", run, 404, private=True),
    Row("POST", f"{API}/question-pictures", "viewer", new_picture, bound=True),
    Row("GET", f"{API}/question-pictures/{{picture_id}}", "viewer", picture, 404, private=True),
    Row("POST", f"{RUN}/speech", "viewer", read_aloud, 404, private=True),
    Row("POST", f"{API}/transcriptions", "viewer", recording, 422, bound=True),
    Row("POST", "/v1/chat/completions", "viewer", completion, 404),
    Row("GET", "/v1/models", "viewer", names_shown),
    Row("POST", "/v1/embeddings", "viewer", embedding, 404),
)
