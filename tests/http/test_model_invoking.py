"""`/mcp/invoke` and `/mcp/models` over HTTP: the order of a call, and the words of each refusal."""

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.http.test_model_descriptors import DESCRIBED, connect, taken_in
from tests.http.world import World, ok, problem

from refdesk.kit.sse import EventReader
from refdesk.testing.scripted_media import PICTURE, SOUND, FilmStudio, paints, speaks, transcribes
from refdesk.testing.scripted_model import (
    Call,
    ScriptedModel,
    Turn,
    answer,
    cut,
    refuses,
    says,
    scripted_model,
)
from refdesk.testing.scripted_reranker import reranks

API = "/api/v1"
INVOKE = "/mcp/invoke"


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as running:
        yield running


async def described(
    world: World, server: ScriptedModel, *, kind: str = "LLM", more: str = "", **swap: str
) -> str:
    """A model taken in by descriptor; its model_id."""
    name = world.new_name("described")
    text = DESCRIBED.replace("http://127.0.0.1:9/v1", server.base_url).format(name=name)
    for before, after in swap.items():
        lines = [
            f"{before}: {after}" if line.startswith(f"{before}:") else line for line in text.splitlines()
        ]
        text = "\n".join(lines) + "\n"
    await taken_in(world, f"{text}kind: {kind}\nmodel_name: scripted\n{more}")
    return name


async def invoke(world: World, model_id: str, given: dict[str, Any], **more: Any) -> Any:
    body = {"model_id": model_id, "input": given} | more
    return await world.viewer.post(INVOKE, json=body)


async def test_a_call_answers_with_output_content_and_what_it_took(
    world: World, server: ScriptedModel
) -> None:
    name = await described(world, server)
    server.then(says("Hello there"))
    metadata = {"request_id": "caller-7", "user_id": "u-1", "trace_id": "t-9"}
    given = {"messages": [{"role": "user", "content": "Hi"}], "temperature": 0.5, "max_tokens": 50}
    response = await invoke(world, name, given, metadata=metadata)
    told = ok(response)
    assert told["content"] == told["output"]["text"] == "Hello there"
    assert told["metadata"]["input_tokens"] == told["output"]["usage"]["input_tokens"]
    assert {key: told["metadata"][key] for key in metadata} == metadata
    assert (told["metadata"]["model_id"], told["metadata"]["error_code"]) == (name, None)
    assert response.headers["x-request-id"] == "caller-7"
    assert server.requests[-1].headers["x-request-id"] == "caller-7"
    assert server.requests[-1].body["temperature"] == 0.5
    by_id = (await world.viewer.get("/mcp/models", params={"q": f"model_id:{name.replace(' ', '*')}"})).json()
    assert ok(await invoke(world, by_id["items"][0]["id"], {"prompt": "Echo"}))["content"] == "Echo"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"prompt": "x", "temperature": "0.7"},
            "input.temperature: must be of the type number, not a string",
        ),
        ({"prompt": "x", "temperature": 9}, "input.temperature: 9 is greater than the maximum of 2"),
        ({"prompt": 5}, "input.prompt: must be of the type string, not an integer"),
        ({"promt": "x"}, "input"),
        ({"messages": [{"role": "user", "content": [{"type": "video"}]}]}, "content[0].type: must be one of"),
        ({"messages": [{"role": "user"}]}, "input.messages[0].content: is required"),
        ({"messages": [{"role": "tool", "content": "8 °C"}]}, "messages[0].tool_call_id: is required"),
        (
            {"messages": [{"role": "assistant", "tool_calls": 5}]},
            "messages[0].tool_calls: must be of the type",
        ),
    ],
)
async def test_an_input_of_the_wrong_type_is_refused_before_the_call(
    world: World, server: ScriptedModel, given: dict[str, Any], told: str
) -> None:
    """X11, X54: the field is named and nothing is forwarded."""
    name = await described(world, server)
    refused = problem(await invoke(world, name, given), 422, "model-input-invalid")
    assert told in refused["title"]
    assert refused["title"].endswith(f"The model {name} was not called.")
    assert server.requests == []


async def test_a_number_that_json_cannot_carry_on_is_refused(world: World, server: ScriptedModel) -> None:
    """What no machine word holds has crashed the writing of the vendor's request."""
    name = await described(world, server)
    refused = problem(await invoke(world, name, {"prompt": "x", "max_tokens": 10**30}), 422, "invalid")
    assert "more than 64 bits" in refused["title"]
    assert server.requests == []


async def test_a_models_own_input_schema_narrows_what_is_taken(world: World, server: ScriptedModel) -> None:
    schema = "{type: object, required: [prompt], properties: {prompt: {type: string, maxLength: 5}}}"
    name = await described(world, server, input_schema=schema)
    refused = problem(await invoke(world, name, {"prompt": "too long"}), 422, "model-input-invalid")
    assert "input.prompt: 'too long' is too long" in refused["title"]
    refused = problem(await invoke(world, name, {"prompt": "ok", "colour": 1}), 422, "model-input-invalid")
    assert "input.colour: is not a field that is taken here" in refused["title"]
    assert ok(await invoke(world, name, {"prompt": "ok"}))["content"] == "ok"


async def test_undeclared_output_is_filtered_declared_or_refused_by_setting(
    world: World, server: ScriptedModel
) -> None:
    """X49: `usage` is not in the output_schema."""
    schema = "{type: object, properties: {text: {type: string}, finish_reason: {type: string}}}"
    name = await described(world, server, output_schema=schema)
    response = await invoke(world, name, {"prompt": "x"})
    assert ok(response)["output"] == {"text": "x", "finish_reason": "stop"}
    assert response.headers["x-mcp-warning"] == "undeclared_output_filtered_usage"
    name = await described(world, server, output_schema=schema, more="undeclared_output: declare\n")
    assert "usage" in ok(await invoke(world, name, {"prompt": "x"}))["output"]
    name = await described(world, server, output_schema=schema, more="undeclared_output: refuse\n")
    refused = problem(await invoke(world, name, {"prompt": "x"}), 502, "model-output-undeclared")
    assert refused["title"] == f"The output field usage of {name} is not declared in its output_schema."
    assert "set undeclared_output in the descriptor to filter or declare" in refused["hint"]


async def test_an_answer_that_does_not_fit_its_schema_is_an_error(
    world: World, server: ScriptedModel
) -> None:
    schema = "{type: object, properties: {text: {type: string, maxLength: 3}}}"
    name = await described(world, server, output_schema=schema)
    refused = problem(await invoke(world, name, {"prompt": "long answer"}), 502, "model-output-invalid")
    assert "output.text: 'long answer' is too long" in refused["title"]


async def test_an_empty_answer_says_no_output_returned(world: World, server: ScriptedModel) -> None:
    """X52."""
    name = await described(world, server)
    server.then(says(""))
    told = problem(await invoke(world, name, {"prompt": "x"}), 502, "model-no-output")
    assert told["title"] == f"No output returned: {name} answered with nothing."


async def test_a_backup_with_a_smaller_context_answers_with_a_warning(
    world: World, server: ScriptedModel
) -> None:
    """X14."""
    async with scripted_model() as backup:
        small = "{supports_streaming: true, tool_calling_supported: true, max_context_length: 2048}"
        spare = await described(world, backup, capabilities=small)
        policy_id = world.new_name("policy")
        rule = {"condition": "response_code == 503", "action": "switch_to_model", "target_model_id": spare}
        body = {"policy_id": policy_id, "rules": [rule]}
        ok(await world.owner.post(f"{API}/fallback-policies", json=body))
        name = await described(world, server, more=f"fallback_policy_id: {policy_id}\n")
        server.always(refuses(503, "down"))
        long = [{"role": "user", "content": "word " * 3000}, {"role": "user", "content": "And now?"}]
        response = await invoke(world, name, {"messages": long})
        told = ok(response)
        assert told["content"] == "And now?"
        assert told["metadata"]["model_id"] == spare
        assert "context_truncated_to_2048" in response.headers["x-mcp-warning"].split(", ")
        streamed = await invoke(world, name, {"messages": long}, stream=True)
        assert "context_truncated_to_2048" in streamed.headers["x-mcp-warning"].split(", ")
        assert events_of(streamed.text)[-1][1]["metadata"]["model_id"] == spare


def events_of(text: str) -> list[tuple[str, Any]]:
    reader = EventReader()
    return [(event.name, event.json()) for line in text.split("\n") for event in reader.feed(line)]


async def test_a_stream_ends_with_the_whole_result(world: World, server: ScriptedModel) -> None:
    name = await described(world, server)
    call = Call("search", '{"q": "refund"}')
    server.then(says(Turn(text="One two", reasoning="hm", calls=(call,), finish="tool_calls")))
    tools = [{"type": "function", "function": {"name": "search"}}]
    response = await invoke(world, name, {"prompt": "x", "tools": tools}, stream=True)
    events = events_of(response.text)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert "".join(data["text"] for event, data in events if event == "delta") == "One two"
    [told] = [data for event, data in events if event == "tool_call"]
    assert told["function"] == {"name": "search", "arguments": '{"q": "refund"}'}
    last, whole = events[-1]
    assert (last, whole["output"]["finish_reason"]) == ("result", "tool_calls")
    assert whole["output"]["tool_calls"] == [told]
    assert server.requests[-1].body["stream"] is True


async def test_a_stream_that_fails_says_so_before_or_after_its_begin(
    world: World, server: ScriptedModel
) -> None:
    name = await described(world, server)
    server.then(refuses(401, "no"))
    problem(await invoke(world, name, {"prompt": "x"}, stream=True), 502, "model-authentication")
    server.then(cut(says("One two three"), 420))
    events = events_of((await invoke(world, name, {"prompt": "x"}, stream=True)).text)
    last, data = events[-1]
    assert (last, data["code"]) == ("error", "model-interrupted")


async def test_every_other_kind_is_called_too(world: World, server: ScriptedModel) -> None:
    picture, sound = base64.b64encode(PICTURE).decode(), base64.b64encode(SOUND).decode()
    name = await described(world, server, kind="EMBEDDING")
    told = ok(await invoke(world, name, {"texts": ["a", "b"], "input_type": "query"}))["output"]
    assert (len(told["embeddings"]), told["dimensions"]) == (2, 64)
    name = await described(world, server, kind="RERANKER", more="parameters: {shape: jina}\n")
    server.then(reranks("jina"))
    asked = {"query": "refund period", "texts": ["refund period", "zzz"]}
    assert ok(await invoke(world, name, asked))["output"] == {"scores": [1.0, 0.0]}
    name = await described(world, server, kind="STT")
    server.then(transcribes("Guten Morgen"))
    assert ok(await invoke(world, name, {"data": sound}))["content"] == "Guten Morgen"
    bad = problem(await invoke(world, name, {"data": "%%%"}), 422, "model-input-invalid")
    assert bad["title"] == "input.data: is not base64."
    name = await described(world, server, kind="TTS")
    server.then(speaks())
    assert ok(await invoke(world, name, {"text": "Hello", "voice": "nova"}))["output"]["data"] == sound
    name = await described(world, server, kind="IMAGE")
    server.then(answer("red"))
    assert ok(await invoke(world, name, {"question": "Colour?", "pictures": [picture]}))["content"] == "red"
    name = await described(world, server, kind="TTI")
    server.then(paints())
    assert ok(await invoke(world, name, {"prompt": "A cat"}))["output"]["pictures"][0]["data"] == picture
    refused = await invoke(world, name, {"prompt": "A cat"}, stream=True)
    problem(refused, 422, "model-input-invalid")
    name = await described(world, server, kind="TTV")
    server.always(FilmStudio("openai"))
    film = ok(await invoke(world, name, {"prompt": "Waves"}))["output"]
    assert ok(await world.owner.get(f"{API}/model-films/{film['film_id']}"))["prompt"] == "Waves"


async def test_models_are_listed_by_queries(world: World, server: ScriptedModel) -> None:
    name = await described(world, server, more="concurrency: 3\n", version='"7.1"')
    keyed = await connect(world)

    async def names(q: str, **headers: str) -> list[str]:
        found = ok(await world.viewer.get("/mcp/models", params={"q": q}, headers=headers))
        assert found["total"] == len(found["items"])
        return [one["model_id"] for one in found["items"]]

    assert await names(f"model_id:{name.split()[1]}") == []
    assert name in await names("model_id:described*")
    assert await names("version:7.1,8.0 kind:llm") == [name]
    assert keyed["name"] in await names("scripted")
    assert "multilingual-e5-small" in await names("provider:embedded")
    refused = await world.viewer.get("/mcp/models", params={"q": "colour:red"})
    assert problem(refused, 422, "model-query-invalid")["title"] == "Models are not found by colour."
    [shown] = ok(await world.viewer.get("/mcp/models", params={"q": "version:7.1"}))["items"]
    assert (shown["health"], shown["concurrency"]) == ("closed", 3)
    assert shown["capabilities"]["max_context_length"] == 8192
    listed = (await world.viewer.get("/mcp/models")).text
    assert "sk-hidden" not in listed


async def test_who_may_call(world: World, server: ScriptedModel) -> None:
    name = await described(world, server)
    body = {"model_id": name, "input": {"prompt": "x"}}
    problem(await world.stranger.post(INVOKE, json=body), 404, "unknown-model")
    problem(await world.nobody.post(INVOKE, json=body), 401, "unauthenticated")
    asking = await world.make_key(world.owner, "ask")
    assert ok(await asking.post(INVOKE, json=body))["content"] == "x"
    unknown = problem(await invoke(world, "nobody", {"prompt": "x"}), 404, "unknown-model")
    assert unknown["title"] == "There is no model nobody in this workspace."
    missing = await world.viewer.post(INVOKE, json={"input": {"prompt": "x"}})
    assert problem(missing, 422, "invalid")["title"].startswith("model_id: ")
