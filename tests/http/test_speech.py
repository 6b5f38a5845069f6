"""Spoken questions and answers that are read aloud, over HTTP."""

from typing import Any
from uuid import UUID

import pytest
from tests.http.asking import QUESTION, RESET, answered, make_base
from tests.http.world import World, ok, problem

from refdesk.gateway.tables import Model
from refdesk.testing.scripted_media import SOUND, fields_of, speaks, transcribes
from refdesk.testing.scripted_model import ScriptedModel, error, scripted_model

API = "/api/v1"
WAV = {"Content-Type": "audio/wav"}


async def connect(world: World, server: ScriptedModel, kind: str) -> UUID:
    draft = {"kind": kind, "name": world.new_name("model"), "model_name": "scripted", "is_default": True}
    made = ok(await world.owner.post(f"{API}/models", json=draft | {"base_url": server.base_url}))
    return UUID(made["id"])


async def forget(world: World, model_id: UUID) -> None:
    async with world.database.transaction() as session:
        await session.delete(await session.get_one(Model, model_id))


@pytest.fixture(scope="module")
async def run(world: World) -> dict[str, Any]:
    base = await make_base(world, RESET)
    return await answered(world.owner, question=QUESTION, knowledge_base_ids=[base["id"]])


async def test_a_spoken_question_is_written_down(world: World) -> None:
    async with scripted_model() as server:
        server.always(transcribes("怎么重置路由器？"))
        model_id = await connect(world, server, "STT")
        assert ok(await world.viewer.get(f"{API}/status"))["hears"] is True
        heard = await world.viewer.post(
            f"{API}/transcriptions?language=zh",
            content=SOUND,
            headers={"Content-Type": "audio/webm;codecs=opus"},
        )
        assert ok(heard)["text"] == "怎么重置路由器？"
        sent = fields_of(server.requests[-1])
        assert sent["language"] == b"zh"
        assert SOUND in sent.values()
        await forget(world, model_id)


async def test_what_cannot_be_written_down_is_told(world: World) -> None:
    problem(await world.viewer.post(f"{API}/transcriptions", content=SOUND, headers=WAV), 422, "no-model")
    async with scripted_model() as server:
        model_id = await connect(world, server, "STT")
        path = f"{API}/transcriptions"
        problem(await world.viewer.post(path, content=b"", headers=WAV), 422, "recording-empty")
        huge = b"\0" * (25 * 1024 * 1024 + 1)
        problem(await world.viewer.post(path, content=huge, headers=WAV), 413, "recording-too-large")
        problem(await world.viewer.post(f"{path}?language=中文", content=SOUND, headers=WAV), 422, "invalid")
        server.always(error(401, "no such key"))
        problem(await world.viewer.post(path, content=SOUND, headers=WAV), 502, "model-authentication")
        await forget(world, model_id)


async def test_an_answer_is_read_aloud_without_its_marks(world: World, run: dict[str, Any]) -> None:
    async with scripted_model() as server:
        server.always(speaks())
        model_id = await connect(world, server, "TTS")
        assert ok(await world.viewer.get(f"{API}/status"))["speaks"] is True
        sound = await world.owner.post(f"{API}/runs/{run['id']}/speech?voice=alloy")
        assert (sound.status_code, sound.content) == (200, SOUND)
        assert sound.headers["content-type"].startswith("audio/")
        said = server.requests[-1].body
        assert said["voice"] == "alloy"
        assert "[1]" in run["answer"]
        assert "[" not in said["input"]
        problem(await world.editor.post(f"{API}/runs/{run['id']}/speech"), 404, "run-not-found")
        server.always(error(503, "overloaded"))
        problem(await world.owner.post(f"{API}/runs/{run['id']}/speech"), 503, "model-unavailable")
        await forget(world, model_id)


async def test_without_a_model_of_speech_nothing_is_read(world: World, run: dict[str, Any]) -> None:
    assert ok(await world.owner.get(f"{API}/status"))["speaks"] is False
    problem(await world.owner.post(f"{API}/runs/{run['id']}/speech"), 422, "no-model")
