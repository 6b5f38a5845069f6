"""iFlytek's speech over real WebSockets to a server that checks signatures and frames as the vendor does."""

import asyncio
import io
import wave
from collections.abc import AsyncIterator
from datetime import timedelta

import numpy as np
import pytest

from refdesk.gateway import ModelAuthentication, ModelContextExceeded, ModelError, ModelQuota
from refdesk.gateway.building import ClientBuilder
from refdesk.gateway.errors import (
    ModelInterrupted,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    RecordingUnsupported,
)
from refdesk.gateway.media import Recording, SpeechRequest, Transcription, TranscriptionRequest
from refdesk.gateway.media_probing import MediaProbe, tone
from refdesk.gateway.probing import seal
from refdesk.gateway.tables import Model
from refdesk.gateway.wires.speech.iflytek import session
from refdesk.gateway.wires.speech.iflytek.synthesis import pieces
from refdesk.gateway.wires.speech.samples import sound_of
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher
from refdesk.kit.http import AddressRefused, guarded_client
from refdesk.kit.ids import new_id
from refdesk.testing.scripted_iflytek import ScriptedIflytek, scripted_iflytek


@pytest.fixture
async def server() -> AsyncIterator[ScriptedIflytek]:
    async with scripted_iflytek() as found:
        yield found


@pytest.fixture
async def builder() -> AsyncIterator[ClientBuilder]:
    async with guarded_client(allow_private=True) as client:
        yield ClientBuilder(client, Cipher(b"k" * 32))


def row(builder: ClientBuilder, server: ScriptedIflytek, kind: str, key: str | None = None) -> Model:
    model = Model(
        id=new_id(),
        kind=kind,
        provider="iflytek-speech",
        name="speech",
        model_name="iat" if kind == "STT" else "xiaoyan",
        base_url=server.base_url,
        parameters={"timeout_s": 2},
    )
    seal(builder.cipher, model, key or server.key)
    return model


async def heard(builder: ClientBuilder, model: Model, request: TranscriptionRequest) -> Transcription:
    return await builder.transcriber(model).transcribe(request)


async def said(builder: ClientBuilder, model: Model, request: SpeechRequest) -> tuple[str, bytes]:
    async with builder.speaker(model).speak(request) as stream:
        return stream.media_type, b"".join([part async for part in stream.parts])


def recording(seconds: float = 1.0, rate: int = 16_000, channels: int = 1) -> Recording:
    samples = (3000 * np.sin(2 * np.pi * 440 * np.arange(int(seconds * rate)) / rate)).astype("<i2")
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.repeat(samples, channels).tobytes())
    return Recording(out.getvalue())


async def test_a_recording_is_sent_in_frames_and_its_words_are_joined(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    request = TranscriptionRequest(recording())
    assert await heard(builder, row(builder, server, "STT"), request) == Transcription(
        "今天天气怎么样？", None, 1.0
    )
    [one] = server.sessions
    assert (one.business["language"], one.business["domain"]) == ("zh_cn", "iat")
    assert (one.format, one.encoding) == ("audio/L16;rate=16000", "raw")
    assert one.frames == 5  # 32,000 bytes in four, and the end
    with wave.open(io.BytesIO(request.recording.data)) as file:
        assert one.data == file.readframes(16_000)


@pytest.mark.parametrize(("language", "theirs"), [("en", "en_us"), ("zh", "zh_cn"), ("ja", "ja_jp")])
async def test_the_language_is_named_as_the_vendor_names_it(
    server: ScriptedIflytek, builder: ClientBuilder, language: str, theirs: str
) -> None:
    request = TranscriptionRequest(recording(0.1), language=language)
    assert (await heard(builder, row(builder, server, "STT"), request)).language == language
    assert server.sessions[0].business["language"] == theirs
    assert ("accent" in server.sessions[0].business) == (language == "zh")


async def test_words_that_are_put_right_take_the_place_of_the_earlier_ones(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    server.words, server.replaces = ("我想", "他", "了"), (2, 3, "它了")
    request = TranscriptionRequest(recording(0.1))
    assert (await heard(builder, row(builder, server, "STT"), request)).text == "我想它了"


async def test_recordings_of_other_rates_and_channels_become_what_the_vendor_takes(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    request = TranscriptionRequest(recording(0.5, rate=48_000, channels=2))
    assert (await heard(builder, row(builder, server, "STT"), request)).duration_s == 0.5
    sent = np.frombuffer(server.sessions[0].data, "<i2")
    assert len(sent) == 8_000
    spectrum = np.abs(np.fft.rfft(sent))
    assert spectrum.argmax() * 16_000 / 8_000 == pytest.approx(440, abs=2)
    assert sent.max() == pytest.approx(3000, rel=0.02)


async def test_an_mp3_goes_as_it_is(server: ScriptedIflytek, builder: ClientBuilder) -> None:
    request = TranscriptionRequest(Recording(server.sound, "audio/mpeg", "a.mp3"))
    await heard(builder, row(builder, server, "STT"), request)
    assert (server.sessions[0].encoding, server.sessions[0].data) == ("lame", server.sound)


async def test_what_the_vendor_cannot_take_is_refused_before_anything_is_sent(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    model = row(builder, server, "STT")
    with pytest.raises(RecordingUnsupported) as caught:
        await heard(builder, model, TranscriptionRequest(Recording(b"\x1aE\xdf\xa3webm", "audio/webm")))
    assert caught.value.details["media_type"] == "audio/webm"
    with pytest.raises(ModelContextExceeded) as too_long:
        await heard(builder, model, TranscriptionRequest(recording(60.5)))
    assert too_long.value.details == {"seconds": 60.5, "max_seconds": 60.0}
    assert not server.sessions


async def test_a_text_is_said_as_mp3_and_the_models_name_is_the_voice(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    model = row(builder, server, "TTS")
    assert await said(builder, model, SpeechRequest("你好，世界。")) == ("audio/mpeg", server.sound)
    [one] = server.sessions
    assert one.data.decode() == "你好，世界。"
    assert one.business == {
        "aue": "lame",
        "sfl": 1,
        "auf": "audio/L16;rate=16000",
        "vcn": "xiaoyan",
        "tte": "UTF8",
    }


async def test_voice_format_and_speed_of_a_request_are_sent(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    model = row(builder, server, "TTS")
    media_type, _ = await said(
        builder, model, SpeechRequest("Hi", voice="aisjinger", format="pcm", speed=2.0)
    )
    business = server.sessions[0].business
    assert media_type == "audio/pcm"
    assert (business["vcn"], business["aue"], business["speed"]) == ("aisjinger", "raw", 100)
    # A format it does not have becomes the first it has.
    assert (await said(builder, model, SpeechRequest("Hi", format="opus")))[0] == "audio/mpeg"


async def test_a_long_text_is_said_in_pieces_that_end_with_sentences(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    text = "".join(f"这是第{number}句话，它并不短，但也不算太长。" for number in range(300))
    _, sound = await said(builder, row(builder, server, "TTS"), SpeechRequest(text))
    said_pieces = [one.data.decode() for one in server.sessions]
    assert "".join(said_pieces) == text
    assert len(said_pieces) == 3
    assert all(piece.endswith("。") for piece in said_pieces)
    assert sound == server.sound * 3


def test_pieces_never_pass_the_limit_and_lose_nothing() -> None:
    for text in ("", "a" * 25, "汉字" * 10 + "。" + "b" * 9, "😀" * 9, "One. Two. Three!\nFour?"):
        found = pieces(text, 12)
        assert all(len(piece.encode()) <= 12 for piece in found)
        assert "".join(found).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        (10313, "invalid appid", ModelAuthentication),
        (11200, "auth no license", ModelAuthentication),
        (11201, "auth no enough license", ModelQuota),
        (11202, "licc failed: flow control", ModelRateLimited),
        (10109, "text is too long", ModelContextExceeded),
        (10163, "param validate error: /business/vcn", ModelRefused),
        (10019, "session timeout", ModelTimeout),
        (10223, "RemoteLB: can't find valued addr", ModelUnavailable),
    ],
)
@pytest.mark.parametrize("kind", ["STT", "TTS"])
async def test_a_code_is_told_as_what_it_is_in_the_vendors_words(
    server: ScriptedIflytek,
    builder: ClientBuilder,
    kind: str,
    code: int,
    message: str,
    expected: type[ModelError],
) -> None:
    server.refuses = (code, message)
    with pytest.raises(ModelError) as caught:
        await called(builder, row(builder, server, kind))
    assert type(caught.value) is expected
    assert caught.value.details["vendor_message"] == f"{code}: {message}"


async def called(builder: ClientBuilder, model: Model) -> None:
    if model.kind == "STT":
        await heard(builder, model, TranscriptionRequest(recording(0.2)))
    else:
        await said(builder, model, SpeechRequest("Hi"))


@pytest.mark.parametrize("kind", ["STT", "TTS"])
async def test_a_wrong_secret_is_refused_at_the_door_and_shown_to_nobody(
    server: ScriptedIflytek, builder: ClientBuilder, kind: str
) -> None:
    wrong = f"{server.app_id}:{server.api_key}:another-secret"
    with pytest.raises(ModelAuthentication) as caught:
        await called(builder, row(builder, server, kind, wrong))
    assert caught.value.details["status_code"] == 401
    assert "another-secret" not in str(caught.value.details)
    assert not server.sessions


async def test_a_clock_that_is_wrong_is_named(
    server: ScriptedIflytek, builder: ClientBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "now", lambda: now() - timedelta(minutes=6))
    with pytest.raises(ModelAuthentication) as caught:
        await called(builder, row(builder, server, "TTS"))
    assert "clock" in str(caught.value.hint_text)


async def test_a_key_without_its_three_parts_is_refused_with_their_names(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    with pytest.raises(ModelAuthentication) as caught:
        await called(builder, row(builder, server, "STT", "only-one-part"))
    assert "APPID:APIKey:APISecret" in str(caught.value.hint_text)


@pytest.mark.parametrize("kind", ["STT", "TTS"])
async def test_a_session_that_ends_too_early_is_an_interruption(
    server: ScriptedIflytek, builder: ClientBuilder, kind: str
) -> None:
    server.leaves_after = 1
    with pytest.raises(ModelInterrupted):
        await called(builder, row(builder, server, kind))


async def test_a_server_that_says_nothing_is_a_timeout(
    server: ScriptedIflytek, builder: ClientBuilder
) -> None:
    server.silent = True
    request = TranscriptionRequest(recording(0.1), timeout_s=0.3)
    with pytest.raises(ModelTimeout):
        await heard(builder, row(builder, server, "STT"), request)


async def test_leaving_closes_the_socket(server: ScriptedIflytek, builder: ClientBuilder) -> None:
    server.silent = True
    request = TranscriptionRequest(recording(0.1), timeout_s=30)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await heard(builder, row(builder, server, "STT"), request)
    async with asyncio.timeout(3):
        await server.left.wait()


async def test_private_addresses_are_refused_as_everywhere(server: ScriptedIflytek) -> None:
    async with guarded_client(allow_private=False) as client:
        builder = ClientBuilder(client, Cipher(b"k" * 32))
        with pytest.raises(AddressRefused):
            await called(builder, row(builder, server, "TTS"))


async def test_the_connection_test_hears_and_speaks(server: ScriptedIflytek, builder: ClientBuilder) -> None:
    probe = MediaProbe(builder, 5.0)
    assert await probe.sample(row(builder, server, "STT")) == "今天天气怎么样？"
    assert await probe.sample(row(builder, server, "TTS")) == f"audio/mpeg, {len(server.sound)} B"
    assert server.sessions[0].data == sound_of(Recording(tone())).data
