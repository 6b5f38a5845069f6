"""Rerank servers of every dialect, and all that one can do wrong, over real sockets."""

import asyncio
import time
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from refdesk.gateway import (
    ModelAuthentication,
    ModelBadResponse,
    ModelInterrupted,
    ModelQuota,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
)
from refdesk.gateway.wires import Connection
from refdesk.gateway.wires.reranking import SHAPES, RemoteReranker, Shape, detect_shape
from refdesk.kit.http import AddressRefused, guarded_client
from refdesk.testing.scripted_model import Reply, ScriptedModel, body, error, hang, scripted_model
from refdesk.testing.scripted_reranker import reranks, rows

TEXTS = ["nothing here", "refund within days", "the refund period is thirty days", ""]
QUESTION = "refund period days"
EXPECTED = [0.0, 2 / 3, 1.0, 0.0]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture
async def reranker(server: ScriptedModel) -> AsyncIterator[RemoteReranker]:
    async with guarded_client(allow_private=True) as client:
        root = server.base_url.removesuffix("/v1")
        yield RemoteReranker(uuid4(), "scripted", Connection(client, root, "sk-secret-key"), "vllm")


def of(
    reranker: RemoteReranker, shape: Shape = "vllm", *, url: str | None = None, batch: int = 32
) -> RemoteReranker:
    connection = reranker.connection
    if url is not None:
        connection = Connection(connection.client, url, connection.api_key)
    return RemoteReranker(UUID(int=1), "scripted", connection, shape, max_batch=batch)


@pytest.mark.parametrize("shape", SHAPES)
async def test_every_dialect_gives_a_score_a_text_in_the_order_asked(
    shape: Shape, server: ScriptedModel, reranker: RemoteReranker
) -> None:
    server.always(reranks(shape))
    assert await of(reranker, shape).rerank(QUESTION, TEXTS, timeout_s=5) == pytest.approx(EXPECTED)
    sent = server.requests[0]
    assert sent.headers["authorization"] == "Bearer sk-secret-key"
    assert sent.body["query"] == QUESTION
    assert sent.body.get("texts" if shape == "tei" else "documents")[-1] == " "


@pytest.mark.parametrize("shape", SHAPES)
async def test_the_dialect_is_found_out(
    shape: Shape, server: ScriptedModel, reranker: RemoteReranker
) -> None:
    server.always(reranks(shape))
    found = await detect_shape(reranker, timeout_s=5)
    # Jina's requests and answers are those of vLLM: what understands one understands the other.
    assert found == ("vllm" if shape == "jina" else shape)


@pytest.mark.parametrize(
    ("shape", "base", "path"),
    [
        ("vllm", "", "/v1/rerank"),
        ("vllm", "/v1", "/v1/rerank"),
        ("vllm", "/v1/", "/v1/rerank"),
        ("cohere", "", "/v2/rerank"),
        ("cohere", "/v2", "/v2/rerank"),
        ("tei", "", "/rerank"),
        ("tei", "/rerank", "/rerank"),
        ("jina", "/proxy/v1", "/proxy/v1/rerank"),
    ],
)
async def test_a_base_url_may_be_the_root_a_version_or_the_whole_address(
    shape: Shape, base: str, path: str, server: ScriptedModel, reranker: RemoteReranker
) -> None:
    server.always(rows((0, 0.5)))
    await of(reranker, shape, url=reranker.connection.base_url + base).rerank("q", ["t"], timeout_s=5)
    assert server.requests[0].path == path


async def test_more_texts_than_a_request_takes_are_sent_in_several(
    server: ScriptedModel, reranker: RemoteReranker
) -> None:
    server.always(reranks("tei"))
    scores = await of(reranker, "tei", batch=3).rerank(QUESTION, TEXTS * 5, timeout_s=5)
    assert scores == pytest.approx(EXPECTED * 5)
    # Several are under way at once, so they may arrive in any order.
    sizes = sorted(len(request.body["texts"]) for request in server.requests)
    assert sizes == [2, 3, 3, 3, 3, 3, 3]


async def test_an_address_that_is_refused_is_an_error_like_others(server: ScriptedModel) -> None:
    async with guarded_client(allow_private=False) as client:
        connection = Connection(client, server.base_url, None)
        with pytest.raises(AddressRefused):
            await RemoteReranker(uuid4(), "scripted", connection, "vllm").rerank("q", ["t"], timeout_s=5)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (error(401, "bad key"), ModelAuthentication),
        (error(402, "no money"), ModelQuota),
        (error(429, "slow down", headers={"Retry-After": "7"}), ModelRateLimited),
        (error(500, "out of memory"), ModelUnavailable),
        (body(b"<html>It works</html>", content_type="text/html"), ModelBadResponse),
        (body(b""), ModelBadResponse),
        (body({"object": "list"}), ModelBadResponse),
        (body([1, 2, 3, 4]), ModelBadResponse),
        (body({"error": {"message": "the model is loading"}}), ModelUnavailable),
        (rows((0, 0.1), (1, 0.2), (2, 0.3)), ModelBadResponse),  # fewer than asked
        (rows((0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4), (4, 0.5)), ModelBadResponse),  # more
        (rows((0, 0.1), (1, 0.2), (1, 0.3), (3, 0.4)), ModelBadResponse),  # one twice
        (rows((1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)), ModelBadResponse),  # counted from 1
        (rows((-1, 0.1), (0, 0.2), (1, 0.3), (2, 0.4)), ModelBadResponse),
        (rows(("0", 0.1), (1, 0.2), (2, 0.3), (3, 0.4)), ModelBadResponse),
        (rows((0, None), (1, 0.2), (2, 0.3), (3, 0.4)), ModelBadResponse),
        (rows((0, "0.1"), (1, 0.2), (2, 0.3), (3, 0.4)), ModelBadResponse),
        (body(b'{"results":[{"index":0,"relevance_score":NaN}]}'), ModelBadResponse),
        (body(b'{"results":[{"index":0,"relevance_score":1e999}]}'), ModelBadResponse),
    ],
)
async def test_whatever_goes_wrong_is_an_error_and_never_half_an_order(
    reply: Reply, kind: type[Exception], server: ScriptedModel, reranker: RemoteReranker
) -> None:
    server.always(reply)
    with pytest.raises(kind) as caught:
        await reranker.rerank(QUESTION, TEXTS, timeout_s=5)
    assert "sk-secret-key" not in repr(caught.value)


async def test_a_server_that_hangs_costs_no_more_than_the_deadline(
    server: ScriptedModel, reranker: RemoteReranker
) -> None:
    server.always(hang())
    began = time.perf_counter()
    with pytest.raises(ModelTimeout):
        await of(reranker, batch=1).rerank(QUESTION, TEXTS, timeout_s=0.3)
    assert time.perf_counter() - began < 2.0
    await asyncio.sleep(0.2)
    assert server.open_connections == 0


async def test_a_server_that_drips_costs_no_more_than_the_deadline(
    server: ScriptedModel, reranker: RemoteReranker
) -> None:
    async def drip(_request: object, send: object) -> None:
        await send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")  # type: ignore[operator]
        for _ in range(100):
            await send(b" ")  # type: ignore[operator]
            await asyncio.sleep(0.1)

    server.always(drip)  # type: ignore[arg-type]
    began = time.perf_counter()
    with pytest.raises(ModelTimeout):
        await reranker.rerank(QUESTION, TEXTS, timeout_s=0.4)
    assert time.perf_counter() - began < 2.0


async def test_a_connection_cut_within_the_answer_is_told_as_such(
    server: ScriptedModel, reranker: RemoteReranker
) -> None:
    async def cut(_request: object, send: object) -> None:
        await send(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"results"')  # type: ignore[operator]

    server.always(cut)  # type: ignore[arg-type]
    with pytest.raises(ModelInterrupted):
        await reranker.rerank(QUESTION, TEXTS, timeout_s=5)


async def test_detection_stops_at_a_refused_key_and_otherwise_tells_most(
    server: ScriptedModel, reranker: RemoteReranker
) -> None:
    server.always(error(401, "bad key"))
    with pytest.raises(ModelAuthentication):
        await detect_shape(reranker, timeout_s=5)
    assert len(server.requests) == 1
    server.then(error(404, "nothing here"), error(404, "nothing here"))
    server.always(body(b"<html>", content_type="text/html"))
    with pytest.raises(ModelBadResponse):
        await detect_shape(reranker, timeout_s=5)
