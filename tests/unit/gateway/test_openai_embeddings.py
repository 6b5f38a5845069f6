from uuid import uuid4

import numpy as np
import pytest

from refdesk.gateway import ModelBadResponse, ModelError, ModelUnavailable
from refdesk.gateway.embedded import CALIBRATION
from refdesk.gateway.wires import Connection, RemoteEmbedder, embedding_format
from refdesk.kit.http import guarded_client
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model


@pytest.fixture
async def model():
    async with scripted_model() as running:
        yield running


@pytest.fixture
async def embedder(model):
    async with guarded_client(allow_private=True) as client:
        connection = Connection(client, model.base_url, None, 1.0)
        yield RemoteEmbedder(
            uuid4(),
            "m",
            connection,
            embedding_format("openai", "m"),
            2,
            CALIBRATION,
            max_batch=2,
            query_prefix="q: ",
        )


def rows(*vectors):
    return {"data": [{"index": index, "embedding": vector} for index, vector in vectors]}


async def test_vectors_come_back_in_the_order_asked_and_normalised(model, embedder):
    model.then(script.body(rows((1, [0, 2]), (0, [3, 4]))), script.body(rows((0, [1, 0]))))
    vectors = await embedder.embed_passages(["a", "b", ""])
    assert np.allclose(vectors, [[0.6, 0.8], [0, 1], [1, 0]])
    assert [request.body["input"] for request in model.requests] == [["a", "b"], [" "]]


async def test_the_query_prefix_is_put_before_questions_only(model, embedder):
    model.always(script.body(rows((0, [1, 0]))))
    await embedder.embed_queries(["x"])
    await embedder.embed_passages(["x"])
    assert [request.body["input"] for request in model.requests] == [["q: x"], ["x"]]


async def test_an_outage_is_waited_out(model, embedder):
    model.then(script.error(503, "busy", headers={"Retry-After": "0"}), script.body(rows((0, [1, 0]))))
    assert (await embedder.embed_queries(["x"])).shape == (1, 2)
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (script.body(rows((0, [1, 0, 0]))), ModelBadResponse),
        (script.body(rows((0, [1, 0]), (1, [1, 0]))), ModelBadResponse),
        (script.body(rows((0, [0, 0]))), ModelBadResponse),
        (script.body(rows((0, ["x", 0]))), ModelBadResponse),
        (script.body({"data": "none"}), ModelBadResponse),
        (script.body({"error": {"message": "wrong input"}}), ModelUnavailable),
        (script.body(b"<html>"), ModelBadResponse),
    ],
)
async def test_a_wrong_answer_is_refused(model, embedder, reply, error):
    model.then(reply)
    with pytest.raises(ModelError) as caught:
        await embedder.embed_queries(["x"])
    assert type(caught.value) is error


async def test_no_texts_cause_no_request(model, embedder):
    assert (await embedder.embed_passages([])).shape == (0, 2)
    assert model.requests == []
