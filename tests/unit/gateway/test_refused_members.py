"""Servers that refuse members of a request by name: asked again in another way, and remembered."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest

from refdesk.gateway import CompletionRequest, Message, ModelRefused
from refdesk.gateway.wires import Connection, build_completer
from refdesk.kit.http import guarded_client
from refdesk.testing.scripted_model import answer, body, error, refuses, says, scripted_model

SCHEMA = {"type": "object", "properties": {"days": {"type": "integer"}}}
REQUEST = CompletionRequest(
    [Message("user", "How long?")],
    temperature=0.2,
    max_tokens=50,
    stop=["END"],
    json_schema=SCHEMA,
    timeout_s=2.0,
)


@pytest.fixture
async def model():
    async with scripted_model() as running:
        yield running


@pytest.fixture
async def completer(model):
    async with guarded_client(allow_private=True) as client:
        yield build_completer(
            "openai",
            model_id=uuid4(),
            model_name="m",
            connection=Connection(client, model.base_url, None),
            context_tokens=8192,
            defaults={},
        )


async def streamed(completer, request=REQUEST) -> list:
    return [event async for event in completer.stream(request)]


MISTRAL = {
    "object": "error",
    "message": {
        "detail": [
            {
                "type": "extra_forbidden",
                "loc": ["body", "stream_options", "include_usage"],
                "msg": "Extra inputs are not permitted",
            }
        ]
    },
}


@pytest.mark.parametrize(
    ("refusal", "gone", "instead"),
    [
        (body(MISTRAL, status=422), "stream_options", {}),
        (
            error(
                400,
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
            ),
            "max_tokens",
            {"max_completion_tokens": 50},
        ),
        (
            error(400, "Unsupported value: 'temperature' does not support 0.2 with this model."),
            "temperature",
            {},
        ),
        (error(400, "Unsupported parameter: 'stop' is not supported with this model."), "stop", {}),
        (
            error(400, "This response_format type is unavailable now"),
            None,
            {"response_format": {"type": "json_object"}},
        ),
    ],
)
async def test_a_member_that_is_refused_by_name_is_left_out_from_then_on(
    model, completer, refusal, gone, instead
):
    model.then(refusal, answer("ok"), answer("ok"))
    assert await streamed(completer)
    assert await streamed(completer)
    first, second, third = (request.body for request in model.requests)
    assert gone is None or gone in first
    for later in (second, third):
        assert gone not in later
        assert {name: later[name] for name in instead} == instead
    assert second == third


async def test_a_form_is_said_in_words_once_the_server_knows_none(model, completer):
    refusal = error(400, "'response_format' is not supported")
    model.then(refusal, refusal, answer("{}"), answer("{}"))
    await completer.complete(REQUEST)
    await completer.complete(REQUEST)
    assert [request.body.get("response_format", {}).get("type") for request in model.requests] == [
        "json_schema",
        "json_object",
        None,
        None,
    ]
    for request in model.requests[1:]:
        assert [message["role"] for message in request.body["messages"]] == ["user", "system"]
        assert '"days"' in request.body["messages"][1]["content"]


async def test_requests_side_by_side_learn_a_thing_once(model, completer):
    async def reply(request, send):
        form = request.body.get("response_format", {}).get("type")
        known = form != "json_schema"
        await (answer("{}") if known else error(400, "'json_schema' is not supported"))(request, send)

    model.always(reply)
    await asyncio.gather(*(completer.complete(REQUEST) for _ in range(5)))
    await completer.complete(REQUEST)
    assert model.requests[-1].body["response_format"] == {"type": "json_object"}
    assert len(model.requests) <= 11


async def test_several_members_are_eased_one_after_the_other(model, completer):
    model.then(
        error(400, "Unsupported parameter: 'max_tokens'"),
        error(400, "Unsupported value: 'temperature'"),
        answer("ok"),
    )
    assert (await completer.complete(REQUEST)).text == "ok"
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    "message",
    [
        "temperature must be between 0 and 1",
        "'temperature' must be a number",
        "unknown model parameter top_k",
        "please stop: this model is not supported in your region",
        "",
    ],
)
async def test_other_refusals_are_not_asked_twice(model, completer, message):
    model.always(error(400, message))
    with pytest.raises(ModelRefused):
        await completer.complete(REQUEST)
    assert len(model.requests) == 1


async def test_a_server_that_refuses_whatever_is_said_is_asked_a_few_times_only(model, completer):
    model.always(error(400, "max_tokens and max_completion_tokens are not supported"))
    with pytest.raises(ModelRefused):
        await completer.complete(REQUEST)
    assert len(model.requests) == 5
    model.always(answer("ok"))
    await completer.complete(replace(REQUEST, json_schema=None))
    assert model.requests[-1].body["max_tokens"] == 50, "what did not help is not kept"
    for _ in range(100):
        if model.open_connections == 0:
            break
        await asyncio.sleep(0.01)
    assert model.open_connections == 0, "a refusal's connection was left open"


FORM_REFUSALS = {
    "anthropic": "output_config.format: structured outputs are not supported on this model",
    "bedrock": "The model doesn't support the outputConfig field",
    "google": 'Invalid JSON payload received. Unknown name "responseJsonSchema" at generation_config',
    "cohere": "response_format is not supported with tools",
}


@pytest.mark.parametrize("wire", FORM_REFUSALS)
async def test_every_wire_says_a_form_in_words_where_the_model_knows_none(model, wire):
    async with guarded_client(allow_private=True) as client:
        completer = build_completer(
            wire,
            model_id=uuid4(),
            model_name="m",
            connection=Connection(client, model.root, "key"),
            context_tokens=8192,
            defaults={},
        )
        model.then(refuses(400, FORM_REFUSALS[wire]), says("{}"), says("{}"))
        await completer.complete(REQUEST)
        assert [event async for event in completer.stream(REQUEST)]
    first, second, third = (str(request.body) for request in model.requests)
    words = "Answer with one JSON object"
    assert (words in first, words in second, words in third) == (False, True, True)
    members = ("output_config", "outputConfig", "responseJsonSchema", "response_format")
    assert not any(member in second + third for member in members)


@pytest.mark.parametrize("wire", ["anthropic", "bedrock"])
async def test_a_temperature_that_newer_models_refuse_is_left_out(model, wire):
    async with guarded_client(allow_private=True) as client:
        completer = build_completer(
            wire,
            model_id=uuid4(),
            model_name="m",
            connection=Connection(client, model.root, "key"),
            context_tokens=8192,
            defaults={},
        )
        model.then(refuses(400, "`temperature` is deprecated for this model."), says("ok"))
        assert (await completer.complete(REQUEST)).text == "ok"
    assert ["temperature" in str(request.body) for request in model.requests] == [True, False]
