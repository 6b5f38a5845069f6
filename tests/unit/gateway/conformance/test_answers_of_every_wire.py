"""Every behaviour of an answer against every completion wire."""

import asyncio
import json
import time
from dataclasses import replace

import pytest
from tests.unit.gateway.conformance.collecting import WAYS, events_of, streamed, until, whole
from tests.unit.gateway.conformance.conftest import WIRES, ask

from refdesk.gateway import Finished, Message, ReasoningDelta, TextDelta, ToolCall, ToolSpec, UsageReport
from refdesk.testing.scripted_model import Call, Turn, body, hang, says
from refdesk.testing.scripted_model import streamed as frames
from refdesk.testing.scripted_wires import FORMATS, format_of

ANSWER = "退货需在 7 天内申请。Returns take 7 days, 🙂 and no more."
SEARCH = ToolSpec(
    "search", "Search the rules.", {"type": "object", "properties": {"query": {"type": "string"}}}
)
ORDER = ToolSpec("order", "Look an order up.", {"type": "object", "properties": {"id": {"type": "integer"}}})


async def test_text_is_streamed_in_order_with_usage_and_the_end_last(server, completer):
    server.then(says(Turn(ANSWER, input_tokens=12, output_tokens=9, cached_tokens=4, cut=3)))
    events = await events_of(completer, ask())
    texts = [event.text for event in events if isinstance(event, TextDelta)]
    assert "".join(texts) == ANSWER
    assert len(texts) > 10
    assert events[-2:] == [UsageReport(12, 9, 4), Finished("stop")]


@pytest.mark.parametrize("way", WAYS)
async def test_an_answer_is_the_same_streamed_and_whole(server, completer, way):
    server.then(says(Turn(ANSWER, reasoning="Let me look. 先看规则。", input_tokens=12, cached_tokens=4)))
    answer = await way(completer, ask())
    assert (answer.text, answer.reasoning) == (ANSWER, "Let me look. 先看规则。")
    assert answer.usage == UsageReport(12, 5, 4)
    assert answer.finish_reason == "stop"
    assert answer.tool_calls == ()


@pytest.mark.parametrize("way", WAYS)
async def test_usage_that_is_missing_is_told_as_missing(server, completer, way):
    server.then(says(Turn(ANSWER, input_tokens=None)))
    answer = await way(completer, ask())
    assert (answer.text, answer.usage) == (ANSWER, None)


@pytest.mark.parametrize("way", WAYS)
async def test_an_empty_answer_is_an_answer(server, completer, way):
    server.then(says(Turn("", output_tokens=0)))
    answer = await way(completer, ask())
    assert (answer.text, answer.finish_reason) == ("", "stop")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", ["", "Let me look both up."])
async def test_several_calls_come_whole_and_in_order(server, completer, way, text):
    calls = (Call("search", '{"query":"退货"}', "call_a"), Call("order", '{"id":42}', "call_b"))
    server.then(says(Turn(text, calls=calls, finish="tool_calls", cut=4)))
    answer = await way(completer, ask(tools=[SEARCH, ORDER]))
    assert answer.text == text
    assert answer.finish_reason == "tool_calls"
    assert [(call.id, call.name, json.loads(call.arguments)) for call in answer.tool_calls] == [
        ("call_a", "search", {"query": "退货"}),
        ("call_b", "order", {"id": 42}),
    ]


@pytest.mark.parametrize("way", WAYS)
async def test_a_call_without_arguments_has_an_empty_object(server, completer, way):
    server.then(says(Turn(calls=(Call("search", "{}"),), finish="tool_calls")))
    answer = await way(completer, ask(tools=[SEARCH]))
    assert [json.loads(call.arguments) for call in answer.tool_calls] == [{}]


async def test_malformed_arguments_stay_what_the_model_wrote(server, completer, wire):
    if wire == "google":
        pytest.skip("this format holds arguments as an object: they cannot be malformed")
    server.then(says(Turn(calls=(Call("search", '{"query": ret'),), finish="tool_calls")))
    answer = await streamed(completer, ask(tools=[SEARCH]))
    assert [call.arguments for call in answer.tool_calls] == ['{"query": ret']
    # And told to the model again they break no server: as an object, with its own words in it.
    history = [*ask().messages, Message("assistant", "", answer.tool_calls)]
    server.then(says("done"))
    await whole(completer, replace(ask(), messages=[*history, Message("tool", "bad", (), "call_a")]))
    assert "invalid_json" in json.dumps(server.requests[-1].body)


@pytest.mark.parametrize("way", WAYS)
async def test_calls_and_results_are_told_again_with_what_the_vendor_signed(server, completer, wire, way):
    calls = (Call("search", '{"query":"退货"}', "call_a"), Call("order", '{"id":42}', "call_b"))
    server.then(says(Turn("I look.", reasoning="Hmm.", calls=calls, finish="tool_calls")))
    first = await way(completer, ask(tools=[SEARCH, ORDER]))
    history = [
        *ask().messages,
        Message("assistant", first.text, first.tool_calls),
        Message("tool", "7 days", (), "call_a"),
        Message("tool", "sent on Monday", (), "call_b"),
    ]
    server.then(says("Seven days."))
    answer = await way(completer, replace(ask(tools=[SEARCH, ORDER]), messages=history))
    assert answer.text == "Seven days."
    sent = json.dumps(server.requests[-1].body, ensure_ascii=False)
    assert all(words in sent for words in ("7 days", "sent on Monday", "退货", "I look."))
    signature = {"anthropic": "signed-by-the-vendor", "bedrock": "signed-by-the-vendor", "google": "c2lnbmVk"}
    assert signature.get(wire, "I look.") in sent


async def test_what_one_vendor_signed_is_not_told_to_another(server, completer, wire):
    call = ToolCall("call_a", "search", "{}", "elsewhere:secret-state")
    messages = [*ask().messages, Message("assistant", "", (call,)), Message("tool", "none", (), "call_a")]
    server.then(says("ok"))
    await whole(completer, replace(ask(tools=[SEARCH]), messages=messages))
    assert "secret-state" not in json.dumps(server.requests[-1].body)


@pytest.mark.parametrize("way", WAYS)
async def test_structured_output_is_asked_for_and_comes_as_text(server, completer, way):
    schema = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}
    server.then(says('{"days": 7}'))
    answer = await way(completer, ask(json_schema=schema))
    assert json.loads(answer.text) == {"days": 7}
    sent = json.dumps(server.requests[0].body)
    assert "days" in sent
    assert "json" in sent


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("a_reason_of_next_year", "other"),
    ],
)
@pytest.mark.parametrize("way", WAYS)
async def test_reasons_of_the_end_are_told_apart(server, completer, way, finish, reason):
    server.then(says(Turn("Returns ta", finish=finish)))
    assert (await way(completer, ask())).finish_reason == reason


async def test_a_server_that_ignores_streaming_is_still_understood(server, completer):
    async def reply(request, send):
        await body(format_of(request.path).whole(Turn(ANSWER)))(request, send)

    server.then(reply)
    assert (await streamed(completer, ask())).text == ANSWER


async def test_a_stream_that_is_called_something_else_is_still_understood(server, completer, wire):
    if wire == "bedrock":
        pytest.skip("frames of this format cannot be told from other bytes")

    async def reply(request, send):
        await frames(format_of(request.path).stream(Turn(ANSWER)), content_type="text/plain")(request, send)

    server.then(reply)
    assert (await streamed(completer, ask())).text == ANSWER


async def test_a_connection_left_open_behind_the_end_is_not_waited_for(server, completer, wire):
    if wire == "google":
        pytest.skip("this format ends with the connection alone")
    server.then(says(ANSWER, lingers=True))
    answer = await streamed(completer, ask(timeout_s=5))
    assert (answer.text, answer.finish_reason, answer.usage) == (ANSWER, "stop", UsageReport(10, 5))
    await until(lambda: server.open_connections == 0)


async def test_reasoning_is_streamed_apart(server, completer):
    server.then(says(Turn("Yes.", reasoning="Let me think about it", cut=5)))
    events = await events_of(completer, ask())
    assert "".join(e.text for e in events if isinstance(e, ReasoningDelta)) == "Let me think about it"
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "Yes."


@pytest.mark.parametrize("way", WAYS)
async def test_the_request_id_arrives(server, completer, way):
    server.then(says("ok"))
    await way(completer, ask(request_id="req-42"))
    assert server.requests[0].headers["x-request-id"] == "req-42"


@pytest.mark.parametrize("request_id", ["a\r\nX-Evil: 1", "ключ", "a\x00b"])
async def test_a_request_id_that_is_no_header_is_left_out(server, completer, request_id):
    server.then(says("ok"))
    await whole(completer, ask(request_id=request_id))
    assert "x-request-id" not in server.requests[0].headers
    assert "x-evil" not in server.requests[0].headers


async def test_the_key_arrives_where_the_vendor_looks_for_it(server, completer, wire):
    server.then(says("ok"))
    await whole(completer, ask())
    request = server.requests[0]
    key = "sk-test-1234567890abcdef"
    expected = {
        "openai": ("authorization", f"Bearer {key}"),
        "cohere": ("authorization", f"Bearer {key}"),
        "azure": ("api-key", key),
        "anthropic": ("x-api-key", key),
        "google": ("x-goog-api-key", key),
    }
    if wire == "bedrock":
        proof = request.headers["authorization"]
        assert proof.startswith("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/")
        return
    name, value = expected[wire]
    assert request.headers[name] == value
    assert key not in request.path


async def test_the_address_is_the_vendors(server, completer, wire):
    server.then(says("ok"), says("ok"))
    await whole(completer, ask())
    await streamed(completer, ask())
    paths = [request.path for request in server.requests]
    assert (
        paths
        == {
            "openai": ["/v1/chat/completions"] * 2,
            "azure": ["/openai/deployments/vendor.model-1%3A0/chat/completions?api-version=2024-10-21"] * 2,
            "anthropic": ["/v1/messages"] * 2,
            "google": [
                "/v1beta/models/vendor.model-1%3A0:generateContent",
                "/v1beta/models/vendor.model-1%3A0:streamGenerateContent?alt=sse",
            ],
            "cohere": ["/v2/chat"] * 2,
            "bedrock": ["/model/vendor.model-1%3A0/converse", "/model/vendor.model-1%3A0/converse-stream"],
        }[wire]
    )


async def test_leaving_a_stream_closes_the_models_socket(server, completer):
    server.then(says(Turn("x" * 500, cut=1), delay_s=0.02))
    stream = completer.stream(ask())
    await anext(stream)
    assert server.open_connections == 1
    await stream.aclose()
    await until(lambda: server.open_connections == 0)


async def test_cancelling_whoever_reads_closes_the_models_socket(server, completer):
    server.then(says(Turn("x" * 500, cut=1), delay_s=0.02))
    began = asyncio.Event()

    async def read() -> None:
        async for _ in completer.stream(ask()):
            began.set()

    task = asyncio.create_task(read())
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: server.open_connections == 0)


async def test_cancelling_before_the_first_byte_closes_the_models_socket(server, completer):
    server.then(hang())
    task = asyncio.create_task(whole(completer, ask(timeout_s=30)))
    await until(lambda: bool(server.requests))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: server.open_connections == 0)


async def test_the_first_words_are_passed_on_at_once(server, completer):
    server.then(says(Turn("ab" * 5, cut=1), delay_s=0.1))
    began = time.perf_counter()
    stream = completer.stream(ask())
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    waited = time.perf_counter() - began
    await stream.aclose()
    assert waited < 0.8, "the answer takes a second: it was gathered before it was passed on"


def test_the_suite_covers_every_format_of_the_scripted_server():
    assert set(FORMATS) | {"azure"} == set(WIRES)
