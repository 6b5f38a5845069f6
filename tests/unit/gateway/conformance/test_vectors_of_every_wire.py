"""Every embedding wire: vectors in the order of the texts, whatever the server's form and limits."""

import base64
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.gateway.conformance.conftest import MODEL_ID, SECRETS, key_of

from refdesk.gateway import ModelBadResponse, ModelError, ModelQuota, ModelUnavailable
from refdesk.gateway.embedded import CALIBRATION
from refdesk.gateway.wires import (
    EMBEDDING_WIRES,
    OPENAI_VARIETIES,
    Connection,
    RemoteEmbedder,
    embedding_format,
    fitted,
)
from refdesk.kit.http import guarded_client
from refdesk.testing.scripted_model import body, embeddings, refuses

TEXTS = [f"text {number}" for number in range(7)]
WIRES = [wire for wire in EMBEDDING_WIRES if wire not in OPENAI_VARIETIES or wire == "azure"]
MODELS = [(wire, "embedding-1") for wire in WIRES] + [("bedrock", "cohere.embed-multilingual-v3")]


def numbered(text: str) -> list[float]:
    """A vector that tells which text it is of."""
    return [1.0, float(text.split()[1])] if " " in text.strip() else [1.0, 100.0]


@pytest.fixture(params=MODELS, ids=lambda pair: "-".join(pair))
async def embedder(request, server):
    wire, model_name = request.param
    async with guarded_client(allow_private=True) as client:
        address = server.base_url if wire == "openai" else server.root
        connection = fitted(wire, Connection(client, address, key_of(wire)), model_name)
        yield RemoteEmbedder(
            MODEL_ID,
            model_name,
            connection,
            embedding_format(wire, model_name),
            2,
            CALIBRATION,
            max_batch=3,
            request_id="req-42",
        )


async def test_vectors_are_those_of_their_texts_normalised(server, embedder):
    server.always(embeddings(numbered))
    vectors = await embedder.embed_passages([*TEXTS, ""])
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.allclose(vectors[:, 1] / vectors[:, 0], [0, 1, 2, 3, 4, 5, 6, 100])
    assert {request.headers["x-request-id"] for request in server.requests} == {"req-42"}


async def test_questions_and_passages_are_told_apart_where_the_vendor_does(server, embedder):
    server.always(embeddings(numbered))
    await embedder.embed_queries(["text 1"])
    await embedder.embed_passages(["text 1"])
    query, passage = (request.body for request in server.requests)
    if "search_query" in str(query) or "RETRIEVAL_QUERY" in str(query):
        assert "search_document" in str(passage) or "RETRIEVAL_DOCUMENT" in str(passage)
    else:
        assert query == passage


async def test_shorter_vectors_are_asked_for_by_the_vendors_name(server, embedder):
    server.always(embeddings(numbered))
    await replace(embedder, request_dimensions=True).embed_queries(["text 1"])
    sent = server.requests[0].body
    inner = sent["requests"][0] if "requests" in sent else sent.get("parameters", sent)
    names = ("dimensions", "outputDimensionality", "output_dimension")
    assert [inner[name] for name in names if name in inner] == [2]


async def test_a_wrong_number_of_vectors_is_refused(server, embedder):
    answers = (
        {"data": [], "embeddings": []},
        {"data": [{"index": 0, "embedding": [1]}], "embeddings": [{"values": [1]}], "embedding": [1]},
        {"embeddings": {"float": [[1, 2], [3, 4]]}, "data": [{"index": 1, "embedding": [1, 2]}]},
        {"hello": "world"},
        [],
        None,
    )
    for answer in answers:
        server.then(body(answer))
        with pytest.raises(ModelBadResponse):
            await embedder.embed_queries(["text 1"])


async def test_a_failure_is_the_vendors_and_not_a_group(server, embedder):
    server.always(refuses(402, "Insufficient balance"))
    with pytest.raises(ModelQuota) as caught:
        await embedder.embed_passages(TEXTS)
    secret = SECRETS["bedrock"][1] if embedder.connection.sign else key_of("openai")
    assert secret not in repr(caught.value) + repr(embedder)


@pytest.mark.parametrize("status", [429, 503])
async def test_an_outage_is_waited_out(server, embedder, status):
    server.then(refuses(status, "busy", headers={"Retry-After": "0"}))
    server.always(embeddings(numbered))
    assert len(await embedder.embed_passages(TEXTS)) == len(TEXTS)


@pytest.mark.parametrize(
    "rows",
    [
        [(1, [0, 1]), (0, [1, 0]), (2, [1, 1])],
        [(2, [1, 1]), (1, [0, 1]), (0, [1, 0])],
    ],
)
async def test_openais_vectors_follow_their_index(server, rows):
    async with guarded_client(allow_private=True) as client:
        embedder = RemoteEmbedder(
            MODEL_ID,
            "m",
            Connection(client, server.base_url, None),
            embedding_format("openai"),
            2,
            CALIBRATION,
        )
        data = [{"index": index, "embedding": vector} for index, vector in rows]
        server.then(body({"data": data}))
        vectors = await embedder.embed_passages(["a", "b", "c"])
        assert np.allclose(vectors[:2], [[1, 0], [0, 1]])
        encoded = np.array([3, 4], "<f4").tobytes()
        server.then(body({"data": [{"index": 0, "embedding": base64.b64encode(encoded).decode()}]}))
        assert np.allclose(await embedder.embed_passages(["a"]), [[0.6, 0.8]])
        for indexes in ([0, 0, 1], [1, 2, 3], [0, 1]):
            server.then(body({"data": [{"index": index, "embedding": [1, 0]} for index in indexes]}))
            with pytest.raises(ModelError):
                await embedder.embed_passages(["a", "b", "c"])


async def test_an_error_in_an_answer_of_status_200_is_one(server, embedder):
    server.always(body({"error": {"message": "the engine is overloaded"}}))
    fast = pytest.MonkeyPatch()
    fast.setattr("refdesk.gateway.wires.embedder.MAX_WAIT_S", 0.0)
    try:
        with pytest.raises(ModelUnavailable):
            await embedder.embed_queries(["text 1"])
    finally:
        fast.undo()


async def test_an_answer_that_calls_itself_a_success_is_none_the_worse(server):
    async with guarded_client(allow_private=True) as client:
        connection = Connection(client, server.base_url, None)
        embedder = RemoteEmbedder(MODEL_ID, "m", connection, embedding_format("openai"), 2, CALIBRATION)
        server.then(body({"code": 200, "message": "ok", "data": [{"index": 0, "embedding": [1, 0]}]}))
        assert (await embedder.embed_queries(["a"])).tolist() == [[1, 0]]
