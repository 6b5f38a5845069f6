"""Speech both ways, in every dialect, over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from refdesk.gateway import (
    ModelAuthentication,
    ModelBadResponse,
    ModelContextExceeded,
    ModelInterrupted,
    ModelQuota,
)
from refdesk.gateway.media import (
    MAX_RECORDING_BYTES,
    Recording,
    SpeechRequest,
    TranscriptionRequest,
)
from refdesk.gateway.wires import Authentication, Connection
from refdesk.gateway.wires.exchanges import ResultNotFetched
from refdesk.gateway.wires.speech import RemoteSpeaker, RemoteTranscriber
from refdesk.kit.http import AddressRefused, guarded_client
from refdesk.testing.scripted_http import streamed
from refdesk.testing.scripted_media import SOUND, by_path, fields_of, speaks, transcribes
from refdesk.testing.scripted_model import ScriptedModel, body, error, events, scripted_model

ID = UUID(int=1)
RECORDING = Recording(b"RIFF....WAVE", "audio/wav", "question.wav")


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture
async def connection(server: ScriptedModel) -> AsyncIterator[Connection]:
    async with guarded_client(allow_private=True) as client:
        yield Connection(client, server.base_url, "sk-secret-key-123")


async def heard(speaker: RemoteSpeaker, request: SpeechRequest) -> tuple[str, bytes]:
    async with speaker.speak(request) as stream:
        return stream.media_type, b"".join([part async for part in stream.parts])


async def test_a_recording_is_sent_as_a_file_with_what_helps_to_hear_it(
    server: ScriptedModel, connection: Connection
) -> None:
    server.always(transcribes(" Hello there. "))
    model = RemoteTranscriber(ID, "whisper-1", connection, extra={"temperature": 0})
    request = TranscriptionRequest(RECORDING, language="en", prompt="Refdesk", request_id="r-77")
    transcription = await model.transcribe(request)
    assert (transcription.text, transcription.duration_s) == ("Hello there.", 3.0)
    sent = server.requests[0]
    assert (sent.method, sent.path) == ("POST", "/v1/audio/transcriptions")
    assert sent.headers["authorization"] == "Bearer sk-secret-key-123"
    assert sent.headers["x-request-id"] == "r-77"
    fields = fields_of(sent)
    assert fields["file"] == RECORDING.data
    assert (fields["model"], fields["language"], fields["prompt"]) == (b"whisper-1", b"en", b"Refdesk")
    assert fields["temperature"] == b"0"
    assert b'filename="question.wav"' in sent.body


async def test_dashscope_takes_the_recording_within_json(
    server: ScriptedModel, connection: Connection
) -> None:
    server.always(transcribes("你好", "dashscope"))
    model = RemoteTranscriber(ID, "qwen3-asr-flash", connection, "dashscope")
    transcription = await model.transcribe(TranscriptionRequest(RECORDING, prompt="参考台"))
    assert (transcription.text, transcription.language, transcription.duration_s) == ("你好", "zh", 3.0)
    sent = server.requests[0]
    assert sent.path == "/v1/services/aigc/multimodal-generation/generation"
    system, user = sent.body["input"]["messages"]
    assert system["content"] == [{"text": "参考台"}]
    assert user["content"][0]["audio"].startswith("data:audio/wav;base64,UklGRi4u")


async def test_a_recording_larger_than_models_take_is_not_sent(
    server: ScriptedModel, connection: Connection
) -> None:
    recording = Recording(bytes(MAX_RECORDING_BYTES + 1))
    with pytest.raises(ModelContextExceeded):
        await RemoteTranscriber(ID, "whisper-1", connection).transcribe(TranscriptionRequest(recording))
    assert server.requests == []


@pytest.mark.parametrize("answer", [{"words": "?"}, {"text": None}, [1], {"text": 7}])
async def test_an_answer_without_a_transcription_is_an_error(
    server: ScriptedModel, connection: Connection, answer: Any
) -> None:
    server.always(body(answer))
    with pytest.raises(ModelBadResponse):
        await RemoteTranscriber(ID, "whisper-1", connection).transcribe(TranscriptionRequest(RECORDING))


async def test_speech_arrives_as_the_server_sends_it(server: ScriptedModel, connection: Connection) -> None:
    server.always(speaks())
    speaker = RemoteSpeaker(ID, "tts-1", connection, voice="alloy")
    request = SpeechRequest("Good morning", format="mp3", speed=1.25, request_id="r-1")
    assert await heard(speaker, request) == ("audio/mpeg", SOUND)
    sent = server.requests[0]
    assert (sent.path, sent.headers["x-request-id"]) == ("/v1/audio/speech", "r-1")
    assert sent.body == {
        "model": "tts-1",
        "input": "Good morning",
        "voice": "alloy",
        "response_format": "mp3",
        "speed": 1.25,
    }


async def test_minimax_sends_the_sound_in_parts_and_is_heard_once(
    server: ScriptedModel, connection: Connection
) -> None:
    server.always(speaks("minimax"))
    speaker = RemoteSpeaker(ID, "speech-02-hd", connection, "minimax", voice="female-yujie")
    assert await heard(speaker, SpeechRequest("早上好")) == ("audio/mpeg", SOUND)
    sent = server.requests[0]
    assert sent.path == "/v1/t2a_v2"
    assert sent.body["voice_setting"]["voice_id"] == "female-yujie"


async def test_dashscope_names_an_address_that_is_fetched_without_the_key(
    server: ScriptedModel, connection: Connection
) -> None:
    server.always(speaks("dashscope"))
    speaker = RemoteSpeaker(ID, "qwen3-tts-flash", connection, "dashscope", voice="Cherry")
    assert await heard(speaker, SpeechRequest("早上好")) == ("audio/wav", SOUND)
    asked, fetched = server.requests
    assert asked.body == {"model": "qwen3-tts-flash", "input": {"text": "早上好", "voice": "Cherry"}}
    assert fetched.path == "/file"
    assert "authorization" not in fetched.headers


async def test_volcengine_gets_the_apps_id_and_token_where_it_wants_them(
    server: ScriptedModel, connection: Connection
) -> None:
    server.always(speaks("volcengine"))
    entered = Connection(
        connection.client, connection.base_url, "token-9", authentication=Authentication(prefix="Bearer;")
    )
    speaker = RemoteSpeaker(
        ID, "volcano_tts", entered, "volcengine", "BV001_streaming", app_secret=("app-7", "token-9")
    )
    assert await heard(speaker, SpeechRequest("早上好")) == ("audio/mpeg", SOUND)
    sent = server.requests[0]
    assert sent.headers["authorization"] == "Bearer;token-9"
    assert sent.body["app"] == {"appid": "app-7", "token": "token-9", "cluster": "volcano_tts"}
    assert sent.body["audio"]["voice_type"] == "BV001_streaming"


@pytest.mark.parametrize(
    ("dialect", "reply", "failure"),
    [
        ("openai", error(401, "Incorrect API key provided"), ModelAuthentication),
        ("openai", body({"error": {"code": "insufficient_quota", "message": "No money"}}), ModelQuota),
        ("openai", body(b"<html>Welcome</html>", content_type="text/html"), ModelBadResponse),
        (
            "minimax",
            body({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}),
            ModelQuota,
        ),
        ("minimax", events([{"data": {"audio": "zz"}}]), ModelBadResponse),
        ("minimax", events([{"data": {"audio": "", "status": 2}}]), ModelBadResponse),
        ("dashscope", body({"output": {}}), ModelBadResponse),
        ("dashscope", body({"output": {"audio": {"url": "file:///etc/passwd"}}}), ResultNotFetched),
        ("dashscope", body({"output": {"audio": {"url": "http://169.254.169.254/x"}}}), AddressRefused),
        ("volcengine", body({"code": 3000, "data": "***"}), ModelBadResponse),
        ("volcengine", body({"code": 3000, "data": ""}), ModelBadResponse),
    ],
)
async def test_what_is_no_speech_is_told_as_what_it_is(
    server: ScriptedModel, connection: Connection, dialect: str, reply: Any, failure: type[Exception]
) -> None:
    server.always(reply)
    with pytest.raises(failure):
        await heard(RemoteSpeaker(ID, "voice", connection, dialect, "v"), SpeechRequest("Hello"))


async def test_a_voice_that_never_ends_is_cut_at_the_limit(
    server: ScriptedModel, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refdesk.gateway.wires.speech.speaking.MAX_SPEECH_BYTES", 100)
    server.always(speaks())
    with pytest.raises(ModelBadResponse, match="more than is accepted"):
        await heard(RemoteSpeaker(ID, "tts-1", connection, voice="v"), SpeechRequest("Hello"))


async def test_a_voice_that_breaks_off_is_told_from_one_that_ended(
    server: ScriptedModel, connection: Connection
) -> None:
    server.always(streamed([SOUND[:500], SOUND[500:]], content_type="audio/mpeg", break_after=1))
    with pytest.raises(ModelInterrupted):
        await heard(RemoteSpeaker(ID, "tts-1", connection, voice="v"), SpeechRequest("Hello"))


async def test_a_caller_who_stops_listening_closes_the_vendors_connection(
    server: ScriptedModel, connection: Connection
) -> None:
    server.always(streamed([SOUND] * 1000, content_type="audio/mpeg", delay_s=0.02))
    speaker = RemoteSpeaker(ID, "tts-1", connection, voice="v")
    async with speaker.speak(SpeechRequest("Hello")) as stream:
        assert await anext(stream.parts)
        assert server.open_connections == 1
    for _ in range(100):
        if server.open_connections == 0:
            break
        await asyncio.sleep(0.02)
    assert server.open_connections == 0


async def test_redirects_without_end_are_given_up(server: ScriptedModel, connection: Connection) -> None:
    again = body(b"", status=302, headers={"Location": "/file"})
    point = body({"output": {"audio": {"url": f"{server.base_url}/file"}}})
    server.always(by_path({"/generation": point, "/file": again}))
    with pytest.raises(ResultNotFetched):
        await heard(RemoteSpeaker(ID, "voice", connection, "dashscope", "v"), SpeechRequest("Hello"))


@pytest.mark.parametrize("way", ["named", "redirected"])
async def test_a_vendor_cannot_lead_to_another_server_of_the_network(
    server: ScriptedModel, connection: Connection, way: str
) -> None:
    async with scripted_model() as neighbour:
        neighbour.always(body(b"secret", content_type="audio/wav"))
        elsewhere = f"{neighbour.root}/file"
        named = elsewhere if way == "named" else f"{server.root}/file"
        point = body({"output": {"audio": {"url": named}}})
        moved = body(b"", status=302, headers={"Location": elsewhere})
        server.always(by_path({"/generation": point, "/file": moved}))
        with pytest.raises(AddressRefused):
            await heard(RemoteSpeaker(ID, "voice", connection, "dashscope", "v"), SpeechRequest("Hello"))
        assert neighbour.requests == []
