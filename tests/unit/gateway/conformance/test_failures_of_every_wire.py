"""Every failure against every completion wire: its error, the words a person reads, nothing of the key."""

import logging

import pytest
from tests.unit.gateway.conformance.collecting import WAYS, streamed, until, whole
from tests.unit.gateway.conformance.conftest import MODEL_ID, ask, key_of, secrets_of

from refdesk.gateway import (
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
)
from refdesk.gateway.wires import Connection, HttpCompleter, build_completer
from refdesk.kit.http import AddressRefused, guarded_client
from refdesk.testing.scripted_model import Call, Turn, body, hang, refuses, says, slow
from refdesk.testing.scripted_model import streamed as frames

REFUSALS = [
    (refuses(401, "invalid x-api-key", code="authentication_error"), ModelAuthentication, "refused the key"),
    (refuses(403, "Your account may not use this model"), ModelAuthentication, "refused the key"),
    (refuses(400, "API key not valid. Please pass a valid API key."), ModelAuthentication, "refused the key"),
    (refuses(404, "model: nothing-4 not found"), ModelNotThere, "knows no such model"),
    (refuses(429, "Too many requests"), ModelRateLimited, "limits how often"),
    (refuses(429, "You exceeded your current quota", code="insufficient_quota"), ModelQuota, "quota"),
    (refuses(400, "Your credit balance is too low to access the API"), ModelQuota, "quota"),
    (refuses(402, "Insufficient Balance"), ModelQuota, "quota"),
    (refuses(400, "prompt is too long: 210000 tokens > 200000 maximum"), ModelContextExceeded, "longer than"),
    (refuses(400, "This model's maximum context length is 8192 tokens"), ModelContextExceeded, "longer than"),
    (refuses(413, "Request exceeds the maximum size"), ModelContextExceeded, "longer than"),
    (refuses(400, "temperature must be a number"), ModelRefused, "refused the request"),
    (refuses(422, "unknown member"), ModelRefused, "refused the request"),
    (refuses(408, "too slow"), ModelTimeout, "did not answer in time"),
    (refuses(500, "boom"), ModelUnavailable, "cannot be reached or failed"),
    (refuses(503, "no capacity"), ModelUnavailable, "cannot be reached or failed"),
    (refuses(529, "Overloaded", code="overloaded_error"), ModelUnavailable, "cannot be reached or failed"),
]
NO_ANSWERS = [
    (body(b"<html>bad gateway</html>", status=502, content_type="text/html"), ModelUnavailable),
    (body(b"<html>a portal wants a login</html>", content_type="text/html"), ModelBadResponse),
    (body(b""), ModelBadResponse),
    (body(b"null"), ModelBadResponse),
    (body(b"[1, 2]"), ModelBadResponse),
    (body(b'"words"'), ModelBadResponse),
    (body({"hello": "world"}), ModelBadResponse),
    (body(b'{"half'), ModelBadResponse),
    (body({"error": {"message": "the engine is overloaded"}}), ModelUnavailable),
    (body({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}), ModelRateLimited),
    (body({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}), ModelQuota),
    (body({"error_code": 18, "error_msg": "Open api qps request limit reached"}), ModelUnavailable),
    (body({"code": 20012, "message": "Model does not exist", "data": None}), ModelNotThere),
]


@pytest.mark.parametrize(("reply", "error", "words"), REFUSALS)
@pytest.mark.parametrize("way", WAYS)
async def test_a_refusal_says_what_helps(server, completer, wire, way, reply, error, words):
    server.then(reply)
    with pytest.raises(ModelError) as caught:
        await way(completer, ask())
    assert type(caught.value) is error
    assert words in caught.value.text
    assert caught.value.details["status_code"] >= 400
    assert caught.value.details["vendor_message"]


@pytest.mark.parametrize(("reply", "error"), NO_ANSWERS)
@pytest.mark.parametrize("way", WAYS)
async def test_what_is_no_answer_is_an_error(server, completer, way, reply, error):
    server.then(reply)
    with pytest.raises(ModelError) as caught:
        await way(completer, ask())
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ({"Retry-After": "7"}, "slow down", 7),
        ({"Retry-After": "-7"}, "slow down", 0),
        ({"Retry-After": "soon", "retry-after-ms": "1500"}, "slow down", 1.5),
        ({"Retry-After": "Mon, 01 Jan 2001 00:00:00 GMT"}, "slow down", 0),
        ({"Retry-After": "1e300"}, "slow down", 86400),
        ({}, "Rate limit reached. Please try again in 20.5s.", 20.5),
        ({}, "Rate limit reached. Please try again in 350ms.", 0.35),
        ({"Retry-After": "nan"}, "slow down", None),
        ({}, "slow down", None),
    ],
)
async def test_the_wait_a_vendor_asks_for_is_passed_on(server, completer, headers, message, seconds):
    server.then(refuses(429, message, headers=headers))
    with pytest.raises(ModelRateLimited) as caught:
        await whole(completer, ask())
    assert caught.value.details.get("retry_after_s") == seconds


async def test_googles_wait_is_read_from_its_details(server, completer):
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]
    error = {"code": 429, "message": "Resource exhausted", "status": "RESOURCE_EXHAUSTED", "details": details}
    server.then(body({"error": error}, status=429))
    with pytest.raises(ModelRateLimited) as caught:
        await whole(completer, ask())
    assert caught.value.details["retry_after_s"] == 34.5


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (("the server died", None), ModelUnavailable),
        (("Overloaded", "overloaded_error"), ModelUnavailable),
        (("Too many requests", "throttlingException"), ModelRateLimited),
        (("Input is too long for requested model.", "validationException"), ModelContextExceeded),
    ],
)
async def test_a_failure_within_a_stream_is_told_after_what_came_before(server, completer, failure, error):
    server.then(says(Turn("half an answer", cut=4), fail_after=5, failure=failure))
    texts: list[str] = []

    async def read() -> None:
        async for event in completer.stream(ask()):
            texts.append(event.text)

    with pytest.raises(ModelError) as caught:
        await read()
    assert type(caught.value) is error
    assert "".join(texts)
    assert failure[0] in caught.value.details["vendor_message"]


@pytest.mark.parametrize("frame", [1, 3, 5])
async def test_a_connection_cut_between_frames_is_an_interruption(server, completer, frame):
    server.then(says(Turn("a longer answer", cut=4), break_after=frame))
    with pytest.raises(ModelInterrupted) as caught:
        await streamed(completer, ask())
    assert "broke off" in caught.value.text


@pytest.mark.parametrize(
    "turn", [Turn("half", finish=None), Turn(calls=(Call("search", '{"q":1}'),), finish=None)]
)
async def test_an_end_without_a_reason_is_an_interruption(server, completer, turn):
    server.then(says(turn))
    with pytest.raises(ModelInterrupted):
        await streamed(completer, ask())


async def test_a_stream_of_nothing_is_an_interruption(server, completer, wire):
    stream_type = "application/vnd.amazon.eventstream" if wire == "bedrock" else "text/event-stream"
    server.then(frames([], content_type=stream_type))
    with pytest.raises(ModelInterrupted):
        await streamed(completer, ask())


async def test_a_stream_of_something_else_is_a_bad_response(server, completer, wire):
    stream_type = "application/vnd.amazon.eventstream" if wire == "bedrock" else "text/event-stream"
    for garbage in (b"data: {broken\n\n", b"data: [1]\n\n", b'data: "x"\n\n', b"data: 7\n\n"):
        server.then(frames([garbage], content_type=stream_type))
        with pytest.raises((ModelBadResponse, ModelInterrupted)) as caught:
            await streamed(completer, ask())
        assert wire == "bedrock" or type(caught.value) is ModelBadResponse


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reply", [hang(), slow(says("late"), 5.0)])
async def test_a_server_that_does_not_answer_is_left_in_time(server, completer, way, reply):
    server.then(reply)
    with pytest.raises(ModelTimeout) as caught:
        await way(completer, ask(timeout_s=0.2))
    assert "did not answer in time" in caught.value.text
    await until(lambda: server.open_connections == 0)


async def test_a_stream_that_stops_is_left_in_time(server, completer):
    server.then(says(Turn("word after word", cut=4), delay_s=1.0))
    with pytest.raises(ModelTimeout):
        await streamed(completer, ask(timeout_s=0.2))
    await until(lambda: server.open_connections == 0)


def at(address: str, wire: str, client, key: str | None = None) -> HttpCompleter:
    connection = Connection(client, address, key or key_of(wire))
    return build_completer(
        wire, model_id=MODEL_ID, model_name="m", connection=connection, context_tokens=8192, defaults={}
    )


async def test_a_server_that_does_not_listen_is_unavailable(wire):
    async with guarded_client(allow_private=True) as client:
        with pytest.raises(ModelUnavailable) as caught:
            await whole(at("http://127.0.0.1:9", wire, client), ask())
    assert "cannot be reached" in caught.value.text


async def test_an_address_within_is_refused_where_that_is_not_allowed(server, wire):
    async with guarded_client(allow_private=False) as client:
        with pytest.raises(AddressRefused):
            await whole(at(server.root, wire, client), ask())
    assert server.requests == []


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_of_the_key_is_in_an_error_or_a_log_line(server, completer, wire, way, caplog):
    caplog.set_level(logging.DEBUG)
    echo = f"Incorrect key provided: {' '.join((key_of(wire), *secrets_of(wire)))}"
    server.then(
        refuses(401, echo),
        body(echo.encode(), content_type="text/html"),
        body({"error": {"message": echo}}),
        says(Turn("half"), fail_after=2, failure=(echo, None)) if way is streamed else refuses(500, echo),
    )
    seen: list[str] = []
    for _ in range(4):
        with pytest.raises(ModelError) as caught:
            await way(completer, ask())
        seen.append(f"{caught.value.text} {caught.value.hint_text} {caught.value.details!r} {caught.value!r}")
    text = "\n".join([*seen, caplog.text])
    assert "Incorrect key provided" in text
    for secret in (key_of(wire), *secrets_of(wire)):
        assert secret not in text


async def test_a_key_at_the_edge_of_what_is_shown_is_not_half_shown(server, completer, wire):
    secret = secrets_of(wire)[0]
    for before in range(170, 205, 5):
        server.then(body(b"x" * before + secret.encode(), content_type="text/html"))
        with pytest.raises(ModelBadResponse) as caught:
            await whole(completer, ask())
        assert secret[:8] not in str(caught.value.details)
        assert secret not in repr(completer)
