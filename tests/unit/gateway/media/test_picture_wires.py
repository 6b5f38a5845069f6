"""Pictures from words, in every dialect, over real sockets."""

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from refdesk.gateway import ModelBadResponse, ModelQuota, ModelTimeout
from refdesk.gateway.media import PictureRequest
from refdesk.gateway.wires import Connection
from refdesk.gateway.wires.exchanges import ResultNotFetched
from refdesk.gateway.wires.pictures import DIALECTS, RemotePainter
from refdesk.kit.http import ResponseTooLarge, guarded_client
from refdesk.testing.scripted_media import PICTURE, by_path, file, paints
from refdesk.testing.scripted_model import ScriptedModel, body, error, hang, scripted_model

ASKED = PictureRequest("A lighthouse", size="1024x768", count=2, negative_prompt="fog", seed=7)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture
async def painter(server: ScriptedModel) -> AsyncIterator[RemotePainter]:
    async with guarded_client(allow_private=True) as client:
        yield RemotePainter(
            UUID(int=1), "painter", Connection(client, server.base_url, "sk-secret"), poll_s=0.01
        )


BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": ("/v1/images/generations", {"n": 2, "size": "1024x768", "seed": 7}),
    "zhipu": ("/v1/images/generations", {"size": "1024x768"}),
    "siliconflow": (
        "/v1/images/generations",
        {"batch_size": 2, "image_size": "1024x768", "negative_prompt": "fog", "seed": 7},
    ),
    "minimax": (
        "/v1/image_generation",
        {"n": 2, "width": 1024, "height": 768, "seed": 7, "response_format": "base64"},
    ),
}


@pytest.mark.parametrize("dialect", list(DIALECTS))
async def test_every_dialect_asks_in_its_own_words_and_gives_the_picture(
    server: ScriptedModel, painter: RemotePainter, dialect: Any
) -> None:
    server.always(paints(dialect, inline=False))
    pictures = await replace(painter, dialect=dialect).paint(ASKED)
    assert [(one.media_type, one.data) for one in pictures] == [("image/png", PICTURE)]
    sent = server.requests[0]
    if dialect == "dashscope":
        assert sent.headers["x-dashscope-async"] == "enable"
        assert sent.body["input"] == {"prompt": "A lighthouse", "negative_prompt": "fog"}
        assert sent.body["parameters"] == {"n": 2, "size": "1024*768", "seed": 7}
    else:
        path, members = BODIES[dialect]
        assert sent.path == path
        assert sent.body == {"model": "painter", "prompt": "A lighthouse"} | members
    fetched = [request for request in server.requests if request.path == "/file"]
    assert all("authorization" not in request.headers for request in fetched)


async def test_a_job_that_fails_is_told_with_the_vendors_words(
    server: ScriptedModel, painter: RemotePainter
) -> None:
    failed = {"task_id": "t-1", "task_status": "FAILED", "code": "Arrearage", "message": "Pay first"}
    waiting = body({"output": {"task_id": "t-1", "task_status": "PENDING"}})
    server.always(by_path({"/image-synthesis": waiting, "/tasks/": body({"output": failed})}))
    with pytest.raises(ModelQuota) as told:
        await replace(painter, dialect="dashscope").paint(ASKED)
    assert told.value.details["vendor_message"] == "Arrearage: Pay first"


async def test_a_job_that_never_ends_is_given_up_at_the_deadline(
    server: ScriptedModel, painter: RemotePainter
) -> None:
    server.always(body({"output": {"task_id": "t-1", "task_status": "RUNNING"}}))
    started = time.perf_counter()
    with pytest.raises(ModelTimeout):
        await replace(painter, dialect="dashscope").paint(replace(ASKED, timeout_s=0.3))
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (body({"data": []}), ModelBadResponse),
        (body({"data": [{"b64_json": "%%%"}]}), ModelBadResponse),
        (body({"data": [{"b64_json": "bm8gcGljdHVyZQ=="}]}), ModelBadResponse),
        (body({"data": [7]}), ModelBadResponse),
        (body({"pictures": 1}), ModelBadResponse),
        (body({"data": [{"url": "ftp://somewhere/x.png"}]}), ResultNotFetched),
    ],
)
async def test_what_is_no_picture_is_an_error(
    server: ScriptedModel, painter: RemotePainter, reply: Any, failure: type[Exception]
) -> None:
    server.always(reply)
    with pytest.raises(failure):
        await painter.paint(ASKED)


async def test_a_picture_larger_than_the_limit_is_not_read_to_its_end(
    server: ScriptedModel, painter: RemotePainter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refdesk.gateway.wires.pictures.painter.MAX_PICTURE_BYTES", 1000)
    big = file(PICTURE + bytes(5000), "image/png")
    told = body({"data": [{"url": f"{server.base_url}/file"}]})
    server.always(by_path({"/images/generations": told, "/file": big}))
    with pytest.raises(ResponseTooLarge):
        await painter.paint(ASKED)


async def test_a_result_that_is_gone_is_told(server: ScriptedModel, painter: RemotePainter) -> None:
    told = body({"data": [{"url": f"{server.base_url}/file"}]})
    server.always(by_path({"/images/generations": told, "/file": error(404, "expired")}))
    with pytest.raises(ResultNotFetched):
        await painter.paint(ASKED)


async def test_a_server_that_hangs_is_left_at_the_deadline(
    server: ScriptedModel, painter: RemotePainter
) -> None:
    server.always(hang())
    with pytest.raises(ModelTimeout):
        await painter.paint(replace(ASKED, timeout_s=0.3))
