"""Speech to text: OpenAI's `/audio/transcriptions` (multipart), DashScope's (the sound within JSON), and
iFlytek's (a WebSocket)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from refdesk.gateway.errors import ModelBadResponse, ModelContextExceeded
from refdesk.gateway.media import MAX_RECORDING_BYTES, Transcription, TranscriptionRequest
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.exchanges import Field, ask, data_url, multipart
from refdesk.gateway.wires.speech.iflytek import dictated


@dataclass(frozen=True, slots=True)
class RemoteTranscriber:
    """A transcriber behind HTTP. `extra` goes into every request as it is."""

    model_id: UUID
    model_name: str
    connection: Connection
    dialect: str = "openai"
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    async def transcribe(self, request: TranscriptionRequest) -> Transcription:
        """Raises `ModelError`s; a recording over `MAX_RECORDING_BYTES` is not sent."""
        size = len(request.recording.data)
        if size > MAX_RECORDING_BYTES:
            raise ModelContextExceeded(
                "The recording is larger than models take.", bytes=size, max_bytes=MAX_RECORDING_BYTES
            )
        try:
            return await TRANSCRIBERS[self.dialect](self, request)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise ModelBadResponse("The server's answer holds no transcription.") from error


async def _openai(model: RemoteTranscriber, request: TranscriptionRequest) -> Transcription:
    recording = request.recording
    fields: dict[str, Field] = {
        "file": (recording.name, recording.data, recording.media_type),
        "model": (None, model.model_name),
        "response_format": (None, "json"),
    }
    if request.language:
        fields["language"] = (None, request.language)
    if request.prompt:
        fields["prompt"] = (None, request.prompt)
    fields |= {name: (None, str(value)) for name, value in model.extra.items()}
    connection, body = multipart(model.connection, fields)
    answer = await ask(
        connection,
        "POST",
        "/audio/transcriptions",
        body,
        timeout_s=request.timeout_s,
        request_id=request.request_id,
    )
    usage: dict[str, Any] = answer.get("usage") or {}
    duration = answer.get("duration") or usage.get("seconds")
    return Transcription(
        _text(answer["text"]), answer.get("language"), float(duration) if duration is not None else None
    )


async def _dashscope(model: RemoteTranscriber, request: TranscriptionRequest) -> Transcription:
    recording = request.recording
    messages = [
        {"role": "user", "content": [{"audio": data_url(recording.data, recording.media_type)}]},
    ]
    if request.prompt:
        messages.insert(0, {"role": "system", "content": [{"text": request.prompt}]})
    options: dict[str, Any] = {"language": request.language} if request.language else {"enable_lid": True}
    body = {
        "model": model.model_name,
        "input": {"messages": messages},
        "parameters": {"asr_options": options} | dict(model.extra),
    }
    answer = await ask(
        model.connection,
        "POST",
        "/services/aigc/multimodal-generation/generation",
        body,
        timeout_s=request.timeout_s,
        request_id=request.request_id,
    )
    message = answer["output"]["choices"][0]["message"]
    annotations: list[dict[str, Any]] = message.get("annotations") or [{}]
    usage: dict[str, Any] = answer.get("usage") or {}
    seconds = usage.get("seconds")
    text = "".join(_text(part["text"]) for part in message["content"])
    return Transcription(
        text, annotations[0].get("language"), float(seconds) if seconds is not None else None
    )


async def _iflytek(model: RemoteTranscriber, request: TranscriptionRequest) -> Transcription:
    return await dictated(model.connection, model.model_name, request, model.extra)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a transcription that is no text")
    return value.strip()


TRANSCRIBERS: dict[str, Callable[[RemoteTranscriber, TranscriptionRequest], Awaitable[Transcription]]] = {
    "openai": _openai,
    "dashscope": _dashscope,
    "iflytek": _iflytek,
}
