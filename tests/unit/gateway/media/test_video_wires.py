"""Jobs for films, in every dialect, over real sockets."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from refdesk.gateway import ModelAuthentication, ModelBadResponse, ModelQuota
from refdesk.gateway.content import ImagePart
from refdesk.gateway.media import VideoRequest, VideoState
from refdesk.gateway.wires import Connection
from refdesk.gateway.wires.video import DIALECTS, RemoteFilmmaker
from refdesk.kit.http import guarded_client
from refdesk.testing.scripted_media import FILM, PICTURE, FilmStudio, fields_of
from refdesk.testing.scripted_model import ScriptedModel, body, error, scripted_model

CANCELS = {"openai", "dashscope", "volcengine"}
SUBMIT_PATHS = {
    "openai": "/v1/videos",
    "siliconflow": "/v1/video/submit",
    "zhipu": "/v1/videos/generations",
    "dashscope": "/v1/services/aigc/video-generation/video-synthesis",
    "volcengine": "/v1/contents/generations/tasks",
    "minimax": "/v1/video_generation",
}


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture
async def filmmaker(server: ScriptedModel) -> AsyncIterator[RemoteFilmmaker]:
    async with guarded_client(allow_private=True) as client:
        yield RemoteFilmmaker(UUID(int=1), "film-1", Connection(client, server.base_url, "sk-secret"))


@pytest.mark.parametrize("dialect", list(DIALECTS))
async def test_a_job_is_handed_in_asked_for_and_its_film_fetched(
    server: ScriptedModel, filmmaker: RemoteFilmmaker, dialect: Any
) -> None:
    server.always(FilmStudio(dialect))
    maker = replace(filmmaker, dialect=dialect)
    task = await maker.submit(VideoRequest("Waves", size="1280x720", seconds=5, request_id="r-5"))
    assert task == "job-1"
    sent = server.requests[0]
    assert (sent.path, sent.headers["x-request-id"]) == (SUBMIT_PATHS[dialect], "r-5")
    assert sent.headers["authorization"] == "Bearer sk-secret"
    assert sent.body["model"] == "film-1"
    assert "Waves" in str(sent.body)
    states = [await maker.state(task) for _ in range(3)]
    running = "running"
    assert states[0].stage in ("queued", running)
    assert states[1].stage == running
    assert states[2].stage == "finished"
    async with maker.film(task, states[2]) as stream:
        assert stream.media_type == "video/mp4"
        assert b"".join([part async for part in stream.parts]) == FILM
    if states[2].url is not None:
        assert "authorization" not in server.requests[-1].headers


@pytest.mark.parametrize("dialect", list(DIALECTS))
async def test_a_picture_goes_along_where_a_film_begins_with_one(
    server: ScriptedModel, filmmaker: RemoteFilmmaker, dialect: Any
) -> None:
    server.always(FilmStudio(dialect))
    picture = ImagePart.of_bytes(PICTURE)
    await replace(filmmaker, dialect=dialect).submit(VideoRequest("It moves", picture))
    sent = server.requests[0]
    if dialect == "openai":
        assert fields_of(sent)["input_reference"] == PICTURE
    else:
        assert picture.as_url in str(sent.body)


@pytest.mark.parametrize("dialect", list(DIALECTS))
async def test_a_job_is_taken_back_where_the_vendor_can(
    server: ScriptedModel, filmmaker: RemoteFilmmaker, dialect: Any
) -> None:
    studio = FilmStudio(dialect)
    server.always(studio)
    maker = replace(filmmaker, dialect=dialect)
    assert await maker.cancel("job-1") is (dialect in CANCELS)
    assert len(studio.withdrawn) == (1 if dialect in CANCELS else 0)
    server.always(error(400, "too late"))
    assert await maker.cancel("job-1") is False


FAILED: dict[str, dict[str, Any]] = {
    "openai": {"id": "job-1", "status": "failed", "error": {"code": "moderation", "message": "Not this."}},
    "siliconflow": {"status": "Failed", "reason": "moderation: Not this."},
    "zhipu": {"task_status": "FAIL", "message": "moderation: Not this."},
    "dashscope": {"output": {"task_status": "FAILED", "code": "moderation", "message": "Not this."}},
    "volcengine": {"status": "failed", "error": {"code": "moderation", "message": "Not this."}},
}


@pytest.mark.parametrize("dialect", list(FAILED))
async def test_a_job_that_failed_says_why_in_the_vendors_words(
    server: ScriptedModel, filmmaker: RemoteFilmmaker, dialect: str
) -> None:
    server.always(body(FAILED[dialect]))
    state = await replace(filmmaker, dialect=dialect).state("job-1")
    assert (state.stage, state.message) == ("failed", "moderation: Not this.")


@pytest.mark.parametrize("dialect", list(DIALECTS))
@pytest.mark.parametrize("answer", [{}, {"status": "dancing"}, {"output": None}, [1]])
async def test_an_answer_of_another_form_is_an_error(
    server: ScriptedModel, filmmaker: RemoteFilmmaker, dialect: str, answer: Any
) -> None:
    server.always(body(answer))
    maker = replace(filmmaker, dialect=dialect)
    with pytest.raises(ModelBadResponse):
        await maker.submit(VideoRequest("Waves"))
    with pytest.raises(ModelBadResponse):
        await maker.state("job-1")


async def test_refusals_are_sorted(server: ScriptedModel, filmmaker: RemoteFilmmaker) -> None:
    server.then(error(401, "no such key"), error(402, "pay"))
    with pytest.raises(ModelAuthentication):
        await filmmaker.submit(VideoRequest("Waves"))
    with pytest.raises(ModelQuota):
        await filmmaker.state("job-1")


async def test_a_film_longer_than_the_limit_is_cut(
    server: ScriptedModel, filmmaker: RemoteFilmmaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refdesk.gateway.wires.video.filmmaker.MAX_VIDEO_BYTES", 1000)
    server.always(FilmStudio("openai"))
    with pytest.raises(ModelBadResponse, match="more than is accepted"):
        async with filmmaker.film("job-1", VideoState("finished")) as stream:
            [part async for part in stream.parts]
