"""The OpenAI-compatible wire against a real server on loopback that misbehaves in every known way."""

import asyncio
import gzip
from uuid import uuid4

import orjson
import pytest

from refdesk.gateway import (
    Completion,
    CompletionBuilder,
    CompletionRequest,
    Finished,
    Message,
    ModelAuthentication,
    ModelBadResponse,
    ModelContextExceeded,
    ModelError,
    ModelInterrupted,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    TextDelta,
    ToolCall,
    UsageReport,
)
from refdesk.gateway.wires import Connection, HttpCompleter, build_completer
from refdesk.kit.http import guarded_client
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import delta, scripted_model

KEY = "sk-test-1234567890"
REQUEST = CompletionRequest([Message("system", "规则"), Message("user", "你好")], timeout_s=0.5)


def completer_of(connection: Connection, wire: str = "openai") -> HttpCompleter:
    return build_completer(
        wire,
        model_id=uuid4(),
        model_name="m",
        connection=connection,
        context_tokens=8192,
        defaults={"top_p": 0.5},
    )


@pytest.fixture
async def model():
    async with scripted_model() as running:
        yield running


@pytest.fixture
async def completer(model):
    async with guarded_client(allow_private=True) as client:
        yield completer_of(Connection(client, model.base_url, KEY))


async def gather(completer: HttpCompleter) -> Completion:
    builder = CompletionBuilder()
    async for event in completer.stream(REQUEST):
        builder.add(event)
    return builder.build()


async def test_a_streamed_answer_arrives_whole_with_usage(model, completer):
    model.then(script.answer("退货需在 7 天内申请。", input_tokens=12, output_tokens=9, size=3))
    events = [event async for event in completer.stream(REQUEST)]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "退货需在 7 天内申请。"
    assert events[-2:] == [UsageReport(12, 9), Finished("stop")]
    sent = model.requests[0]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["messages"] == [
        {"role": "system", "content": "规则"},
        {"role": "user", "content": "你好"},
    ]
    assert (sent.body["top_p"], sent.body["stream"]) == (0.5, True)


async def test_a_whole_answer_is_read_from_a_request_that_does_not_stream(model, completer):
    model.then(script.answer("ok"))
    assert (await completer.complete(REQUEST)).text == "ok"
    assert "stream" not in model.requests[0].body


async def test_a_server_that_ignores_streaming_is_still_understood(model, completer):
    model.then(script.body({"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}))
    assert (await gather(completer)).text == "whole"


@pytest.mark.parametrize(
    ("chunks", "usage"),
    [
        # a running total with every chunk: the last one counts, not the sum
        (
            [
                {**delta("a"), "usage": {"prompt_tokens": 7, "completion_tokens": 1}},
                {**delta("b", finish="stop"), "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
            ],
            UsageReport(7, 2),
        ),
        # inside the choice
        (
            [
                delta("ab"),
                {
                    "choices": [
                        {
                            "delta": {},
                            "finish_reason": "stop",
                            "usage": {"prompt_tokens": 3, "completion_tokens": 4},
                        }
                    ]
                },
            ],
            UsageReport(3, 4),
        ),
        ([delta("ab", finish="stop")], None),
        ([delta("ab", finish="stop"), {"choices": [], "usage": None}], None),
    ],
)
async def test_usage_is_found_wherever_it_is(model, completer, chunks, usage):
    model.then(script.events(chunks))
    answer = await gather(completer)
    assert (answer.text, answer.usage) == ("ab", usage)


@pytest.mark.parametrize(
    ("chunks", "text", "reasoning"),
    [
        ([delta("<thi"), delta("nk>let me"), delta(" see</th"), delta("ink>\nyes")], "yes", "let me see"),
        ([delta(reasoning_content="hmm"), delta("yes")], "yes", "hmm"),
        ([delta("a <think> in the middle")], "a <think> in the middle", ""),
        ([delta("<think>never closed")], "", "never closed"),
        ([delta("<"), delta("b>bold")], "<b>bold", ""),
        ([delta(reasoning="hmm"), delta("yes")], "yes", "hmm"),
        ([delta(reasoning_content=None, reasoning=None), delta("yes")], "yes", ""),
        (  # Mistral's parts
            [
                delta(
                    content=[
                        {"type": "thinking", "thinking": [{"type": "text", "text": "h"}, {"text": "mm"}]}
                    ]
                ),
                delta(content=[{"type": "text", "text": "ye"}, "s"]),
            ],
            "yes",
            "hmm",
        ),
        ([delta("\n\n <think>h</think>\n\nyes")], "yes", "h"),
        ([delta("<think></think>yes")], "yes", ""),
    ],
)
async def test_thinking_is_told_from_the_answer(model, completer, chunks, text, reasoning):
    model.then(script.events([*chunks, delta(finish="stop")]))
    answer = await gather(completer)
    assert (answer.text, answer.reasoning) == (text, reasoning)


def call(arguments=None, *, index=None, call_id=None, name=None):
    fragment = {"function": {}}
    if index is not None:
        fragment["index"] = index
    if call_id is not None:
        fragment["id"] = call_id
    if name is not None:
        fragment["function"]["name"] = name
    if arguments is not None:
        fragment["function"]["arguments"] = arguments
    return delta(tool_calls=[fragment])


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens_details": {"cached_tokens": 4}},
        {"cached_tokens": 4},  # Moonshot
        {"prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 3},  # DeepSeek
        {"prompt_tokens_details": None, "cached_tokens": 4},
    ],
)
async def test_cached_tokens_are_found_wherever_they_are(model, completer, usage):
    numbers = {"prompt_tokens": 7, "completion_tokens": 2} | usage
    model.then(script.events([delta("ab", finish="stop"), {"choices": [], "usage": numbers}]))
    assert (await gather(completer)).usage == UsageReport(7, 2, 4)


async def test_an_answer_that_is_said_again_whole_is_taken_once(model, completer):
    last = {"choices": [{"finish_reason": "stop", "index": 0, "message": {"content": "ab"}}]}
    model.then(script.events([delta("a"), delta("b"), last]))
    assert (await gather(completer)).text == "ab"


async def test_an_event_stream_of_one_whole_answer_is_understood(model, completer):
    model.then(script.events([{"choices": [{"finish_reason": "stop", "message": {"content": "ab"}}]}]))
    assert (await gather(completer)).text == "ab"


@pytest.mark.parametrize("reason", ["error", "network_error", "abort", "insufficient_system_resource"])
async def test_a_reason_that_means_broken_is_an_interruption(model, completer, reason):
    model.then(script.events([delta("half"), delta(finish=reason)]))
    with pytest.raises(ModelInterrupted) as caught:
        await gather(completer)
    assert caught.value.details["vendor_message"] == reason


async def test_streams_are_read_whatever_their_lines(model, completer):
    chunk = b'{"choices":[{"delta":{"content":"\xe4\xbd\xa0"},"finish_reason":""}]}'
    last = b'{"choices":[{"delta":{"content":"!"},"finish_reason":"stop"}]}'
    lines = [
        b": a comment\r\n\r\n",
        b"event: message\r\nid: 1\r\nretry: 10\r\ndata:" + chunk[:40],
        chunk[40:43],
        chunk[43:] + b"\r\n\r\n",
        b"data\n\ndata:\n\n",
        b"data:   " + last,  # no line end before the stream's
    ]
    model.then(script.events(lines, done=False))
    assert (await gather(completer)).text == "你!"


async def test_a_compressed_stream_is_read(model, completer):
    lines = b"".join(
        b"data: " + orjson.dumps(chunk) + b"\n\n" for chunk in (delta("ab"), delta("c", finish="stop"))
    )

    async def reply(request, send):
        content = gzip.compress(lines)
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n"
        await send(head.encode() + f"Content-Length: {len(content)}\r\n\r\n".encode() + content)

    model.then(reply)
    assert (await gather(completer)).text == "abc"


@pytest.mark.parametrize(
    ("chunk", "error"),
    [
        ({"code": 10013, "message": "InvalidApiKey: wrong"}, ModelAuthentication),
        ({"error": {"code": "1302", "message": "rate limit reached"}}, ModelRateLimited),
        ({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}, ModelQuota),
        ({"object": "error", "message": "maximum context length", "code": 400}, ModelContextExceeded),
        ({"choices": [], "error": "overloaded"}, ModelUnavailable),
        (
            {"choices": [{"delta": {}, "finish_reason": "error"}], "error": {"message": "died"}},
            ModelUnavailable,
        ),
    ],
)
async def test_errors_within_a_stream_are_known_in_every_form(model, completer, chunk, error):
    model.then(script.events([delta("half"), chunk]))
    with pytest.raises(ModelError) as caught:
        await gather(completer)
    assert type(caught.value) is error


async def test_done_is_the_end_only_where_the_vendor_gives_no_reasons(model, completer):
    chunks = [delta("ab"), {"choices": [{"delta": {"content": ""}}], "usage": {"prompt_tokens": 6}}]
    odd = completer_of(completer.connection, "iflytek")
    model.then(script.events(chunks), script.events([*chunks, delta(finish="length")]))
    assert (await gather(odd)).finish_reason == "stop"
    assert (await gather(odd)).finish_reason == "length"
    model.then(script.events(chunks, done=False))
    with pytest.raises(ModelInterrupted):
        await gather(odd)


FIRST, SECOND = ToolCall("a", "search", '{"query":"退货"}'), ToolCall("b", "order", '{"id":1}')


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        (  # fragments by index, interleaved
            [
                call("", index=0, call_id="a", name="search"),
                call("", index=1, call_id="b", name="order"),
                call('{"query":', index=0),
                call('{"id":', index=1),
                call('"退货"}', index=0),
                call("1}", index=1),
            ],
            (FIRST, SECOND),
        ),
        (  # fragments by id
            [
                call('{"query":', call_id="a", name="search"),
                call('{"id":1}', call_id="b", name="order"),
                call('"退货"}', call_id="a"),
            ],
            (FIRST, SECOND),
        ),
        (  # whole calls, both under index 0 with different ids
            [
                call(FIRST.arguments, index=0, call_id="a", name="search"),
                call(SECOND.arguments, index=0, call_id="b", name="order"),
            ],
            (FIRST, SECOND),
        ),
        (  # arguments as an object, no index
            [call({"id": 1}, call_id="b", name="order")],
            (SECOND,),
        ),
        (  # the first API's single call
            [
                delta(function_call={"name": "order", "arguments": '{"id"'}),
                delta(function_call={"arguments": ":1}"}),
            ],
            (ToolCall("call_0", "order", '{"id":1}'),),
        ),
        (  # invalid arguments stay what they are
            [call('{"query": ret', index=0, call_id="a", name="search")],
            (ToolCall("a", "search", '{"query": ret'),),
        ),
    ],
)
async def test_tool_calls_are_put_together_from_any_cuts(model, completer, chunks, calls):
    model.then(script.events([*chunks, delta(finish="tool_calls")]))
    answer = await gather(completer)
    assert answer.tool_calls == calls
    assert answer.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (script.error(401, "Incorrect API key provided"), ModelAuthentication),
        (script.error(403, "no access"), ModelAuthentication),
        (script.error(404, "The model `m` does not exist"), ModelNotThere),
        (script.error(429, "slow down", headers={"Retry-After": "7"}), ModelRateLimited),
        (script.error(429, "You exceeded your current quota", code="insufficient_quota"), ModelQuota),
        (script.error(402, "Insufficient Balance"), ModelQuota),
        (script.error(400, "This model's maximum context length is 8192 tokens"), ModelContextExceeded),
        (script.error(400, "temperature must be a number"), ModelRefused),
        (script.error(500, "boom"), ModelUnavailable),
        (script.body(b"<html>bad gateway</html>", status=502, content_type="text/html"), ModelUnavailable),
        (script.body(b"<html>portal</html>", content_type="text/html"), ModelBadResponse),
        (script.body(b""), ModelBadResponse),
        (script.body({"hello": "world"}), ModelBadResponse),
        (script.body([1, 2]), ModelBadResponse),
        (script.body({"error": {"message": "overloaded"}}), ModelUnavailable),
        (script.events([b"data: {broken\n\n"]), ModelBadResponse),
        (script.events([{"choices": ["no object"]}]), ModelBadResponse),
        (script.events([{"choices": [{"delta": {"tool_calls": "x"}}]}]), ModelBadResponse),
        (script.events([delta("half"), {"error": {"message": "server died"}}]), ModelUnavailable),
        (script.events([delta("half")], break_off=True), ModelInterrupted),
        (script.events([delta("half")]), ModelInterrupted),
        (script.events([], done=False), ModelInterrupted),
        (script.events([call('{"q', index=0, call_id="a", name="search")]), ModelInterrupted),
        (script.hang(), ModelTimeout),
        (script.events([delta("slow"), delta("er"), delta("er")], delay_s=1.0), ModelTimeout),
    ],
)
async def test_every_failure_has_its_own_error(model, completer, reply, error):
    model.then(reply)
    with pytest.raises(ModelError) as caught:
        await gather(completer)
    assert type(caught.value) is error
    assert KEY not in str(caught.value.details)


async def test_the_wait_a_vendor_asks_for_is_passed_on(model, completer):
    model.then(script.error(429, "slow down", headers={"Retry-After": "7"}))
    with pytest.raises(ModelRateLimited) as caught:
        await gather(completer)
    assert caught.value.details["retry_after_s"] == 7


async def test_a_key_in_the_vendors_message_is_masked(model, completer):
    model.then(script.error(401, f"Incorrect API key provided: {KEY}"))
    with pytest.raises(ModelAuthentication) as caught:
        await gather(completer)
    assert caught.value.details["vendor_message"] == "Incorrect API key provided: sk-******890"


async def test_a_server_that_does_not_listen_is_unavailable(completer):
    async with guarded_client(allow_private=True) as client:
        lonely = completer_of(Connection(client, "http://127.0.0.1:9/v1", None))
        with pytest.raises(ModelUnavailable):
            await gather(lonely)


async def test_leaving_the_stream_closes_the_models_socket(model, completer):
    model.then(script.events([delta("x")] * 100, delay_s=0.05))
    stream = completer.stream(REQUEST)
    await anext(stream)
    assert model.open_connections == 1
    await stream.aclose()
    for _ in range(50):
        if model.open_connections == 0:
            break
        await asyncio.sleep(0.01)
    assert model.open_connections == 0
