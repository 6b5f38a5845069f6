"""Speech, pictures and films under fallback policies and in the record of calls, over real HTTP."""

import pytest
from sqlalchemy import select
from tests.service.gateway.routed import routed_workspace, switch

from refdesk.gateway import ModelRefused, ModelUnavailable, Purpose
from refdesk.gateway.content import ImagePart
from refdesk.gateway.media import (
    PictureQuestion,
    PictureRequest,
    Recording,
    SpeechRequest,
    TranscriptionRequest,
    VideoRequest,
)
from refdesk.gateway.usage.tables import ModelCall
from refdesk.testing.scripted_media import PICTURE, SOUND
from refdesk.testing.scripted_model import body, error, scripted_model

DOWN = error(503, "overloaded")
PURPOSE = Purpose("try", request_id="r-42")


@pytest.fixture
async def world(database, tmp_path):
    async with routed_workspace(database, tmp_path) as made:
        yield made


@pytest.fixture
async def primary():
    async with scripted_model() as running:
        running.always(DOWN)
        yield running


@pytest.fixture
async def backup():
    async with scripted_model() as running:
        yield running


async def failing_over(world, primary, backup, kind, **parameters):
    backup_id = await world.model(backup.base_url, "backup", kind=kind, parameters={"voice": "reserve"})
    policy_id = await world.policy(switch(backup_id), policy_id=f"policy-{kind}")
    return await world.model(primary.base_url, kind=kind, fallback_policy_id=policy_id, parameters=parameters)


async def test_a_recording_goes_to_the_backup_under_the_same_request_id(world, primary, backup):
    model_id = await failing_over(world, primary, backup, "STT")
    transcriber = await world.gateway().transcriber(world.scope, model_id, PURPOSE)
    heard = await transcriber.transcribe(TranscriptionRequest(Recording(b"RIFF")))
    assert heard.text == "Good morning"
    assert [server.requests[-1].headers["x-request-id"] for server in (primary, backup)] == ["r-42", "r-42"]


async def test_a_voice_goes_to_its_backup_with_the_backups_own_voice(world, primary, backup):
    speaker = await world.gateway().speaker(
        world.scope, await failing_over(world, primary, backup, "TTS", voice="first"), PURPOSE
    )
    async with speaker.speak(SpeechRequest("Hello", voice="chosen")) as stream:
        assert stream.media_type == "audio/mpeg"
        assert b"".join([part async for part in stream.parts]) == SOUND
    assert primary.requests[0].body["voice"] == "chosen"
    assert backup.requests[0].body["voice"] == "reserve"


async def test_pictures_come_from_the_backup_and_are_in_the_record(world, primary, backup):
    gateway = world.gateway()
    model_id = await failing_over(world, primary, backup, "TTI")
    painter = await gateway.painter(world.scope, model_id, PURPOSE)
    assert [one.data for one in await painter.paint(PictureRequest("Sea"))] == [PICTURE]
    await gateway.close()
    world.gateways.clear()
    async with world.database.transaction() as session:
        calls = (
            await session.execute(select(ModelCall).where(ModelCall.workspace_id == world.scope.workspace_id))
        ).scalars()
        [kept] = [call for call in calls if call.kind == "TTI" and call.code == "ok"]
    assert kept.model_id != model_id


async def test_a_question_about_a_picture_is_governed_like_any_answer(world, primary, backup):
    reader = await world.gateway().picture_reader(
        world.scope, await failing_over(world, primary, backup, "IMAGE"), PURPOSE
    )
    answer = await reader.understand(PictureQuestion("What is it?", [ImagePart.of_bytes(PICTURE)]))
    assert answer.text
    assert backup.requests[0].headers["x-request-id"] == "r-42"


async def test_a_film_stays_with_the_model_that_was_asked_for_it(world, primary, backup):
    filmmaker = await world.gateway().filmmaker(
        world.scope, await failing_over(world, primary, backup, "TTV"), PURPOSE
    )
    with pytest.raises((ModelUnavailable, ModelRefused)):
        await filmmaker.submit(VideoRequest("Sea"))
    assert backup.requests == []
    primary.always(body({"id": "job-1", "status": "queued"}))
    assert await filmmaker.submit(VideoRequest("Sea")) == "job-1"
