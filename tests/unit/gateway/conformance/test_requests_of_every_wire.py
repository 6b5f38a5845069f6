"""What is sent on each wire: one rich request, and the vendor's own JSON for it."""

import base64
import re
from dataclasses import replace

import pytest
from tests.unit.gateway.conformance.collecting import whole
from tests.unit.gateway.conformance.conftest import MODEL_ID, ask, key_of

from refdesk.gateway import (
    CompletionRequest,
    ImageNotUnderstood,
    ImagePart,
    Message,
    NamedTool,
    TextPart,
    ToolCall,
    ToolSpec,
)
from refdesk.gateway.wires import Connection, build_completer
from refdesk.gateway.wires.openai import OpenAIFormat
from refdesk.kit.http import AddressRefused, guarded_client
from refdesk.testing.scripted_model import body, says

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"
DATA = base64.b64encode(PNG).decode()
SCHEMA = {
    "type": "object",
    "properties": {"minimum": {"type": "integer", "minimum": 1}, "tags": {"type": "array", "items": {}}},
    "required": ["minimum"],
}
CLOSED = {
    "type": "object",
    "properties": {"minimum": {"type": "integer"}, "tags": {"type": "array", "items": {}}},
    "required": ["minimum"],
    "additionalProperties": False,
}
PARAMETERS = {"type": "object", "properties": {"query": {"type": "string"}}}
RICH = CompletionRequest(
    messages=[
        Message("system", "Rules."),
        Message("user", (TextPart("What is this?"), ImagePart.of_bytes(PNG))),
        Message("assistant", "I look.", (ToolCall("call_a", "search", '{"query":"退货"}'),)),
        Message("tool", "7 days", (), "call_a"),
        Message("user", "And now?"),
    ],
    temperature=0.5,
    max_tokens=100,
    stop=["END"],
    tools=[ToolSpec("search", "Searches.", PARAMETERS)],
    tool_choice="required",
    json_schema=SCHEMA,
)
FUNCTION = {"name": "search", "description": "Searches.", "parameters": PARAMETERS}
OPENAI_CALL = {
    "id": "call_a",
    "type": "function",
    "function": {"name": "search", "arguments": '{"query":"退货"}'},
}
OPENAI_PARTS = [
    {"type": "text", "text": "What is this?"},
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}},
]
OPENAI = {
    "model": "vendor.model-1:0",
    "messages": [
        {"role": "system", "content": "Rules."},
        {"role": "user", "content": OPENAI_PARTS},
        {"role": "assistant", "content": "I look.", "tool_calls": [OPENAI_CALL]},
        {"role": "tool", "content": "7 days", "tool_call_id": "call_a"},
        {"role": "user", "content": "And now?"},
    ],
    "temperature": 0.5,
    "max_tokens": 100,
    "stop": ["END"],
    "tools": [{"type": "function", "function": FUNCTION}],
    "tool_choice": "required",
    "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
}
AZURE = {name: value for name, value in OPENAI.items() if name != "max_tokens"}
EXPECTED = {
    "openai": OPENAI,
    "azure": AZURE | {"max_completion_tokens": 100},
    "anthropic": {
        "model": "vendor.model-1:0",
        "system": "Rules.",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is this?"},
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": DATA},
                    },
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "call_a", "name": "search", "input": {"query": "退货"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "call_a", "content": "7 days"},
                    {"type": "text", "text": "And now?"},
                ],
            },
        ],
        "temperature": 0.5,
        "max_tokens": 100,
        "stop_sequences": ["END"],
        "tools": [{"name": "search", "description": "Searches.", "input_schema": PARAMETERS}],
        "tool_choice": {"type": "any"},
        "output_config": {"format": {"type": "json_schema", "schema": CLOSED}},
    },
    "google": {
        "systemInstruction": {"parts": [{"text": "Rules."}]},
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "What is this?"},
                    {"inlineData": {"mimeType": "image/png", "data": DATA}},
                ],
            },
            {
                "role": "model",
                "parts": [
                    {"text": "I look."},
                    {"functionCall": {"name": "search", "args": {"query": "退货"}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "search", "response": {"result": "7 days"}}},
                    {"text": "And now?"},
                ],
            },
        ],
        "generationConfig": {
            "temperature": 0.5,
            "maxOutputTokens": 100,
            "stopSequences": ["END"],
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "search", "description": "Searches.", "parametersJsonSchema": PARAMETERS}
                ]
            }
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
    },
    "cohere": {
        "model": "vendor.model-1:0",
        "stream": False,
        "messages": [
            {"role": "system", "content": "Rules."},
            {"role": "user", "content": OPENAI_PARTS},
            {"role": "assistant", "tool_calls": [OPENAI_CALL], "tool_plan": "I look."},
            {"role": "tool", "tool_call_id": "call_a", "content": "7 days"},
            {"role": "user", "content": "And now?"},
        ],
        "temperature": 0.5,
        "max_tokens": 100,
        "stop_sequences": ["END"],
        "tools": [{"type": "function", "function": FUNCTION}],
        "tool_choice": "REQUIRED",
        "response_format": {"type": "json_object", "json_schema": SCHEMA},
    },
    "bedrock": {
        "system": [{"text": "Rules."}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"text": "What is this?"},
                    {"image": {"format": "png", "source": {"bytes": DATA}}},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"text": "I look."},
                    {"toolUse": {"toolUseId": "call_a", "name": "search", "input": {"query": "退货"}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "call_a", "content": [{"text": "7 days"}]}},
                    {"text": "And now?"},
                ],
            },
        ],
        "inferenceConfig": {"temperature": 0.5, "maxTokens": 100, "stopSequences": ["END"]},
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "search",
                        "description": "Searches.",
                        "inputSchema": {"json": PARAMETERS},
                    }
                }
            ],
            "toolChoice": {"any": {}},
        },
        "outputConfig": {
            "textFormat": {
                "type": "json_schema",
                "structure": {
                    "jsonSchema": {
                        "name": "answer",
                        "schema": '{"type":"object","properties":{"minimum":{"type":"integer","minimum":1},'
                        '"tags":{"type":"array","items":{}}},"required":["minimum"]}',
                    }
                },
            }
        },
    },
}


async def test_a_rich_request_is_written_as_the_vendor_wants_it(server, completer, wire):
    server.then(says("ok"))
    await whole(completer, RICH)
    assert server.requests[0].body == EXPECTED[wire]


@pytest.mark.parametrize("choice", ["auto", "none", "required", NamedTool("search")])
async def test_a_choice_of_tools_is_told(server, completer, wire, choice):
    server.then(says("ok"))
    other = ToolSpec("order", "", {"type": "object", "properties": {}})
    await whole(completer, ask(tools=[*RICH.tools, other], tool_choice=choice))
    sent = server.requests[0].body
    named = choice == NamedTool("search")
    key = "named" if named else choice
    openai = {"named": {"type": "function", "function": {"name": "search"}}}.get(key, key)
    expected = {
        "openai": openai,
        "azure": openai,
        "anthropic": {
            "auto": {"type": "auto"},
            "none": {"type": "none"},
            "required": {"type": "any"},
            "named": {"type": "tool", "name": "search"},
        }.get(key),
        "google": {
            "auto": {"mode": "AUTO"},
            "none": {"mode": "NONE"},
            "required": {"mode": "ANY"},
            "named": {"mode": "ANY", "allowedFunctionNames": ["search"]},
        }.get(key),
        "cohere": {"auto": None, "none": "NONE", "required": "REQUIRED", "named": "REQUIRED"}.get(key),
        "bedrock": {
            "auto": {"auto": {}},
            "none": None,
            "required": {"any": {}},
            "named": {"tool": {"name": "search"}},
        }.get(key),
    }[wire]
    found = {
        "google": lambda: sent["toolConfig"]["functionCallingConfig"],
        "bedrock": lambda: sent.get("toolConfig", {}).get("toolChoice"),
    }.get(wire, lambda: sent.get("tool_choice"))()
    assert found == expected
    if wire == "cohere" and named:
        assert [tool["function"]["name"] for tool in sent["tools"]] == ["search"]
    if wire == "bedrock" and choice == "none":
        assert "toolConfig" not in sent


@pytest.mark.usefixtures("images_on_loopback")
async def test_an_image_elsewhere_is_told_or_brought(server, completer, wire):
    brings = wire in ("google", "bedrock")
    address = f"{server.root}/picture.png"
    if brings:
        server.then(body(PNG, content_type="application/octet-stream"))
    server.then(says("a picture"))
    message = Message("user", (TextPart("What is this?"), ImagePart.of_url(address)))
    await whole(completer, replace(ask(), messages=[message]))
    sent = str(server.requests[-1].body)
    assert (DATA in sent, address in sent) == (brings, not brings)
    if brings:
        fetched = server.requests[0]
        assert (fetched.method, fetched.path) == ("GET", "/picture.png")
        assert not any(key_of(wire) in value for value in fetched.headers.values())


@pytest.mark.usefixtures("images_on_loopback")
async def test_an_image_that_cannot_be_brought_is_refused(server, completer, wire):
    if wire not in ("google", "bedrock"):
        pytest.skip("this vendor fetches images itself")
    message = Message("user", (ImagePart.of_url(f"{server.root}/picture.png"),))
    for reply in (body(b"", status=404), body(b"<html>no picture</html>"), body(b"\x89PN")):
        server.then(reply)
        with pytest.raises(ImageNotUnderstood):
            await whole(completer, replace(ask(), messages=[message]))


async def test_an_image_within_is_never_fetched_even_where_models_may_be(server, completer, wire):
    if wire not in ("google", "bedrock"):
        pytest.skip("this vendor fetches images itself")
    message = Message("user", (ImagePart.of_url(f"{server.root}/picture.png"),))
    with pytest.raises(AddressRefused) as caught:
        await whole(completer, replace(ask(), messages=[message]))
    assert "public addresses only" in str(caught.value.hint_text)
    assert server.requests == []


@pytest.mark.parametrize(
    "url",
    [
        f"data:image/png;base64,{DATA}",
        f"data:;base64,{DATA}",
        f"data:image/jpeg;charset=utf-8;base64,{DATA}",
        "data:image/png," + "".join(f"%{byte:02x}" for byte in PNG),
    ],
)
def test_a_data_url_is_read_and_its_type_is_that_of_its_bytes(url):
    assert ImagePart.of_url(url) == ImagePart(PNG, "image/png")


@pytest.mark.parametrize(
    "url",
    [
        "data:image/png;base64,!!!",
        "data:image/png;base64,",
        "data:image/svg+xml,<svg/>",
        "file:///etc/passwd",
        "ftp://host/picture.png",
        "picture.png",
    ],
)
def test_what_is_no_image_is_refused(url):
    with pytest.raises(ImageNotUnderstood):
        ImagePart.of_url(url)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89arest", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPrest", "image/webp"),
    ],
)
def test_images_are_known_by_their_first_bytes(data, media_type):
    assert ImagePart.of_bytes(data).media_type == media_type


MAXIMA = ("max_tokens", "max_completion_tokens", "maxTokens", "maxOutputTokens")


async def test_defaults_of_a_model_stand_under_what_a_request_asks(server, completer, wire):
    nested = {"generationConfig": {"topK": 5, "temperature": 2}, "inferenceConfig": {"topP": 0.5}}
    defaults = {"temperature": 0.1, "max_tokens": 50, "own_member": "x"} | nested
    careful = replace(completer, defaults=defaults)
    server.then(says("ok"), says("ok"))
    await whole(careful, ask())
    await whole(careful, ask(temperature=0.9, max_tokens=60))
    temperatures = [_found(request.body, "temperature") for request in server.requests]
    most = [_found(request.body, *MAXIMA) for request in server.requests]
    assert (temperatures, most) == ([0.1, 0.9], [50, 60])
    assert server.requests[0].body["own_member"] == "x"
    assert server.requests[0].body["generationConfig"]["topK"] == 5


def _found(sent: dict, *names: str):
    inner = sent.get("generationConfig", {}) if "contents" in sent else sent.get("inferenceConfig", {})
    return next(inside[name] for inside in (sent, inner) for name in names if name in inside)


async def test_messages_that_a_vendor_refuses_are_not_sent(server, completer, wire):
    if wire not in ("anthropic", "google", "bedrock"):
        pytest.skip("this vendor takes empty messages and any order")
    server.then(says("ok"))
    messages = [
        Message("user", ""),
        Message("user", "One."),
        Message("user", "Two."),
        Message("assistant", ""),
    ]
    await whole(completer, replace(ask(), messages=messages))
    turns = server.requests[0].body.get("messages") or server.requests[0].body["contents"]
    assert [turn["role"] for turn in turns] == ["user"]
    assert len(turns[0].get("content") or turns[0]["parts"]) == 2


def variety(wire: str, server, client, model_name: str = "m", form: OpenAIFormat | None = None):
    return build_completer(
        wire,
        model_id=MODEL_ID,
        model_name=model_name,
        connection=Connection(client, server.base_url, None),
        context_tokens=8192,
        defaults={},
        form=form,
    )


async def test_a_server_that_knows_no_schemas_is_told_in_words(server):
    async with guarded_client(allow_private=True) as client:
        server.then(says("{}"))
        await whole(variety("openai-json", server, client), ask(json_schema=SCHEMA))
    sent = server.requests[0].body
    assert sent["response_format"] == {"type": "json_object"}
    assert '"minimum"' in sent["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("model_name", "samples"),
    [("gpt-4o-mini", True), ("o3-mini", False), ("gpt-5.1", False), ("gpt-5-chat-latest", True)],
)
async def test_models_that_reason_get_no_sampling_on_the_platform(server, model_name, samples):
    async with guarded_client(allow_private=True) as client:
        server.then(says("ok"))
        completer = variety("openai-platform", server, client, model_name)
        await whole(completer, ask(temperature=0.1, max_tokens=7, stop=["END"]))
    sent = server.requests[0].body
    assert sent["max_completion_tokens"] == 7
    assert "max_tokens" not in sent
    assert ("temperature" in sent, "stop" in sent) == (samples, samples)


async def test_an_old_server_is_not_asked_for_usage(server):
    async with guarded_client(allow_private=True) as client:
        server.then(says("ok"))
        completer = variety("openai", server, client, form=OpenAIFormat(stream_usage=False))
        assert [event async for event in completer.stream(ask())]
    assert "stream_options" not in server.requests[0].body


@pytest.mark.usefixtures("images_on_loopback")
async def test_a_server_that_takes_no_addresses_of_images_gets_their_bytes(server):
    async with guarded_client(allow_private=True) as client:
        completer = variety("mistral", server, client, form=OpenAIFormat(image_urls=False))
        server.then(body(PNG), says("ok"))
        message = Message("user", (ImagePart.of_url(f"{server.root}/p.png"),))
        await whole(completer, replace(ask(), messages=[message]))
    sent = server.requests[-1].body
    assert sent["messages"][0]["content"][0]["image_url"]["url"] == f"data:image/png;base64,{DATA}"


async def test_mistral_gets_its_own_words_and_ids(server):
    async with guarded_client(allow_private=True) as client:
        server.then(says("ok"))
        completer = variety("mistral", server, client)
        assert [event async for event in completer.stream(replace(RICH, json_schema=None))]
    sent = server.requests[0].body
    assert sent["tool_choice"] == "any"
    assert "stream_options" not in sent
    made, answered = sent["messages"][2]["tool_calls"][0]["id"], sent["messages"][3]["tool_call_id"]
    assert made == answered
    assert len(made) == 9
    assert made.isalnum()


@pytest.mark.parametrize("call_id", ["functions.search:0", "", "x" * 80, "ключ"])
async def test_ids_of_another_vendor_are_made_to_fit(server, completer, wire, call_id):
    server.then(says("ok"))
    call = ToolCall(call_id, "search", "{}")
    messages = [*ask().messages, Message("assistant", "", (call,)), Message("tool", "none", (), call_id)]
    await whole(completer, replace(ask(tools=RICH.tools), messages=messages))
    sent = server.requests[0].body
    if wire in ("anthropic", "bedrock"):
        made = re.findall(r"'(?:id|tool_use_id|toolUseId)': '([^']*)'", str(sent))
        assert len(made) == 2
        assert len(set(made)) == 1
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", made[0])
