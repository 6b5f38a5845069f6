"""Text to speech: OpenAI's `/audio/speech` (bytes as they are made), MiniMax' (hexadecimal within an event
stream), DashScope's (the address of a file), Volcengine's (base64 within JSON), iFlytek's (a WebSocket)."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import orjson

from refdesk.gateway.errors import ModelBadResponse
from refdesk.gateway.kinds import SpeechFormat
from refdesk.gateway.media import MAX_SPEECH_BYTES, MEDIA_TYPES, SpeechRequest, Stream
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.exchanges import ask, decoded, download, limited
from refdesk.gateway.wires.refusals import body_error
from refdesk.gateway.wires.speech.iflytek import spoken
from refdesk.kit.http import read_beginning

MAX_LINE_BYTES = 8 * 1024 * 1024
_VOLCENGINE_DONE = 3000


@dataclass(frozen=True, slots=True)
class RemoteSpeaker:
    """A voice behind HTTP. `voice` is used where a request names none; `app_secret` is the app's id and
    token, which Volcengine wants in the body; `formats` are the only ones it has, none for any."""

    model_id: UUID
    model_name: str
    connection: Connection
    dialect: str = "openai"
    voice: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    app_secret: tuple[str, str] = ("", "")
    formats: tuple[SpeechFormat, ...] = ()

    @asynccontextmanager
    async def speak(self, request: SpeechRequest) -> AsyncGenerator[Stream]:
        """The sound as it arrives. Raises `ModelError`s, `ResponseTooLarge`."""
        if self.formats and request.format not in self.formats:
            request = replace(request, format=self.formats[0])
        async with SPEAKERS[self.dialect](self, request) as stream:
            yield stream


@asynccontextmanager
async def _openai(model: RemoteSpeaker, request: SpeechRequest) -> AsyncGenerator[Stream]:
    body: dict[str, Any] = dict(model.extra) | {
        "model": model.model_name,
        "input": request.text,
        "response_format": request.format,
    }
    if voice := request.voice or model.voice:
        body["voice"] = voice
    if request.speed is not None:
        body["speed"] = request.speed
    async with model.connection.send(
        "POST", "/audio/speech", body, timeout_s=request.timeout_s, request_id=request.request_id
    ) as response:
        media_type = response.headers.get("content-type", "").partition(";")[0].strip()
        if media_type.startswith("text/") or media_type == "application/json":
            raise _no_sound(model.connection, await read_beginning(response, 64 * 1024))
        if not media_type.startswith("audio/"):
            media_type = MEDIA_TYPES[request.format]
        yield Stream(media_type, limited(response.aiter_bytes(), MAX_SPEECH_BYTES))


@asynccontextmanager
async def _minimax(model: RemoteSpeaker, request: SpeechRequest) -> AsyncGenerator[Stream]:
    audio_format = request.format if request.format != "opus" else "mp3"
    body: dict[str, Any] = dict(model.extra) | {
        "model": model.model_name,
        "text": request.text,
        "stream": True,
        "stream_options": {"exclude_aggregated_audio": True},
        "voice_setting": {"voice_id": request.voice or model.voice, "speed": request.speed or 1.0},
        "audio_setting": {"format": audio_format},
    }
    async with model.connection.send(
        "POST", "/t2a_v2", body, timeout_s=request.timeout_s, request_id=request.request_id
    ) as response:
        if "text/event-stream" not in response.headers.get("content-type", ""):
            raise _no_sound(model.connection, await read_beginning(response, 64 * 1024))
        parts = _hexadecimal(model.connection, response)
        yield Stream(MEDIA_TYPES[audio_format], limited(parts, MAX_SPEECH_BYTES))


async def _hexadecimal(connection: Connection, response: httpx.Response) -> AsyncIterator[bytes]:
    heard = False
    rest = b""
    async for data in response.aiter_bytes():
        *lines, rest = (rest + data).split(b"\n")
        if len(rest) > MAX_LINE_BYTES:
            raise connection.bad_response(rest)
        for line in lines:
            if not line.startswith(b"data:"):
                continue
            try:
                event = orjson.loads(line[5:])
                if (words := body_error(event)) is not None:
                    raise connection.in_band(words)
                part: dict[str, Any] = event.get("data") or {}
                sound = bytes.fromhex(part.get("audio") or "")
            except (AttributeError, TypeError, ValueError) as error:
                raise connection.bad_response(line) from error
            # The last event (status 2) holds all of the sound again unless the server left it out.
            if sound and not (heard and part.get("status") == 2):
                heard = True
                yield sound
    if not heard:
        raise ModelBadResponse("The server sent no sound.")


@asynccontextmanager
async def _dashscope(model: RemoteSpeaker, request: SpeechRequest) -> AsyncGenerator[Stream]:
    spoken: dict[str, Any] = {"text": request.text}
    if voice := request.voice or model.voice:
        spoken["voice"] = voice
    body = {"model": model.model_name, "input": spoken} | dict(model.extra)
    path = "/services/aigc/multimodal-generation/generation"
    answer = await ask(
        model.connection, "POST", path, body, timeout_s=request.timeout_s, request_id=request.request_id
    )
    try:
        url = str(answer["output"]["audio"]["url"])
    except (KeyError, TypeError) as error:
        raise ModelBadResponse("The server's answer holds no address of a sound.") from error
    async with download(model.connection, url, max_bytes=MAX_SPEECH_BYTES) as (media_type, parts):
        yield Stream(media_type if media_type.startswith("audio/") else "audio/wav", parts)


@asynccontextmanager
async def _volcengine(model: RemoteSpeaker, request: SpeechRequest) -> AsyncGenerator[Stream]:
    app, token = model.app_secret
    encoding = {"opus": "ogg_opus", "flac": "mp3"}.get(request.format, request.format)
    body: dict[str, Any] = {
        "app": {"appid": app, "token": token, "cluster": model.model_name},
        "user": {"uid": "refdesk"},
        "audio": {"voice_type": request.voice or model.voice, "encoding": encoding}
        | ({"speed_ratio": request.speed} if request.speed is not None else {}),
        "request": {"reqid": request.request_id or str(uuid4()), "text": request.text, "operation": "query"},
    }
    answer = await model.connection.json(
        "POST",
        "/tts",
        body | dict(model.extra),
        timeout_s=request.timeout_s,
        request_id=request.request_id,
    )
    if not isinstance(answer, dict):
        raise ModelBadResponse("The server's answer holds no sound.")
    if answer.get("code") != _VOLCENGINE_DONE:  # pyright: ignore[reportUnknownMemberType]
        raise model.connection.in_band(answer)
    sound = decoded(answer.get("data") or "")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if not sound:
        raise ModelBadResponse("The server sent no sound.")
    media_type = MEDIA_TYPES[request.format if request.format != "flac" else "mp3"]
    yield Stream(media_type, limited(_whole(sound), MAX_SPEECH_BYTES))


def _iflytek(model: RemoteSpeaker, request: SpeechRequest) -> AbstractAsyncContextManager[Stream]:
    # What one chooses there is a voice, so the model's name is one.
    voice = request.voice or model.voice or model.model_name
    return spoken(model.connection, voice, request, model.extra)


async def _whole(data: bytes) -> AsyncIterator[bytes]:
    yield data


def _no_sound(connection: Connection, raw: bytes) -> Exception:
    try:
        words = body_error(orjson.loads(raw))
    except (AttributeError, ValueError):
        words = None
    return connection.bad_response(raw) if words is None else connection.in_band(words)


SPEAKERS: dict[str, Callable[[RemoteSpeaker, SpeechRequest], AbstractAsyncContextManager[Stream]]] = {
    "openai": _openai,
    "minimax": _minimax,
    "dashscope": _dashscope,
    "volcengine": _volcengine,
    "iflytek": _iflytek,
}
