"""Questions that are spoken and answers that are read aloud, by the workspace's models of speech."""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.errors import NothingToRead, RecordingEmpty, RecordingTooLarge
from refdesk.gateway import (
    MAX_RECORDING_BYTES,
    Gateway,
    ModelBadResponse,
    NoModel,
    Recording,
    SpeechRequest,
    Transcription,
    TranscriptionRequest,
)

_TIMEOUT_S = 120.0
# The containers browsers record in, by what vendors tell them apart.
_SUFFIXES = {
    "audio/webm": "webm",
    "audio/ogg": "ogg",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/flac": "flac",
}
_CITATION = re.compile(r"\[\d+\](?:\([^)]*\))?")
_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE)
_RULE_OF_TABLE = re.compile(r"^\s*\|?\s*:?-{3,}.*$", re.MULTILINE)
_LEAD = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|>\s?)", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"(\*\*|__|`|\||(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w))")
_SPACE = re.compile(r"[ \t]+")


@dataclass(frozen=True, slots=True)
class Sound:
    """Sound as it is made, and its media type."""

    media_type: str
    parts: AsyncGenerator[bytes]


def spoken(answer: str) -> str:
    """An answer as it is said: without citation numbers and the marks of its layout."""
    text = _RULE_OF_TABLE.sub("", _FENCE.sub("", _CITATION.sub("", answer)))
    text = _LEAD.sub("", _LINK.sub(r"\1", text))
    lines = (_SPACE.sub(" ", _MARKS.sub(" ", line)).strip() for line in text.splitlines())
    return re.sub(r"\s+([,.;:!?，。；：！？])", r"\1", "\n".join(line for line in lines if line))


async def written_down(
    gateway: Gateway,
    scope: Scope,
    parts: AsyncIterator[bytes],
    media_type: str,
    *,
    language: str | None,
    request_id: str,
) -> Transcription:
    """What was said. Raises `NoModel`, `RecordingEmpty`, `RecordingTooLarge`, `ModelError`s."""
    model_id = await gateway.default_model(scope, "STT")
    if model_id is None:
        raise NoModel(kind="STT")
    data = bytearray()
    async for part in parts:
        data += part
        if len(data) > MAX_RECORDING_BYTES:
            raise RecordingTooLarge(max_bytes=MAX_RECORDING_BYTES)
    if not data:
        raise RecordingEmpty
    kind = media_type.partition(";")[0].strip().lower()
    recording = Recording(bytes(data), kind, f"speech.{_SUFFIXES.get(kind, 'wav')}")
    transcriber = await gateway.transcriber(scope, model_id)
    return await transcriber.transcribe(
        TranscriptionRequest(recording, language=language, timeout_s=_TIMEOUT_S, request_id=request_id)
    )


async def read_aloud(
    gateway: Gateway, scope: Scope, answer: str, *, voice: str | None, request_id: str
) -> Sound:
    """The sound of an answer. Raises `NothingToRead`, `NoModel`, `ModelError`s, all before the first part."""
    text = spoken(answer)
    if not text:
        raise NothingToRead
    model_id = await _speaker_of(gateway, scope)
    speaker = await gateway.speaker(scope, model_id)
    request = SpeechRequest(text, voice=voice, timeout_s=_TIMEOUT_S, request_id=request_id)
    async with AsyncExitStack() as opened:
        stream = await opened.enter_async_context(speaker.speak(request))
        first = await anext(stream.parts, b"")
        if not first:
            raise ModelBadResponse("The server sent no sound.")
        kept = opened.pop_all()

    async def parts() -> AsyncGenerator[bytes]:
        async with kept:
            yield first
            async for part in stream.parts:
                yield part

    return Sound(stream.media_type, parts())


async def _speaker_of(gateway: Gateway, scope: Scope) -> UUID:
    model_id = await gateway.default_model(scope, "TTS")
    if model_id is None:
        raise NoModel(kind="TTS")
    return model_id
