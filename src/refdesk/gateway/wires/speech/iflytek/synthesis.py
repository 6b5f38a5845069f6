"""Text to speech: one session for each piece of text that the vendor takes at once."""

import base64
import math
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any

from refdesk.gateway.errors import ModelBadResponse
from refdesk.gateway.media import MAX_SPEECH_BYTES, MEDIA_TYPES, SpeechRequest, Stream
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.exchanges import decoded, limited
from refdesk.gateway.wires.speech.iflytek.session import opened

MAX_TEXT_BYTES = 8_000
_SENTENCE = re.compile(r"[^。！？；.!?;\n]*[。！？；.!?;\n]?")


@asynccontextmanager
async def spoken(
    connection: Connection, voice: str, request: SpeechRequest, extra: Mapping[str, Any]
) -> AsyncGenerator[Stream]:
    """The sound as it arrives, MP3 or PCM of 16 kHz; `voice` is a `vcn`, `extra` goes into `business`."""
    business: dict[str, Any] = {
        "aue": "raw" if request.format == "pcm" else "lame",
        "auf": "audio/L16;rate=16000",
        "vcn": voice,
        "tte": "UTF8",
    }
    if business["aue"] == "lame":
        business["sfl"] = 1  # MP3 in parts
    if request.speed is not None:
        business["speed"] = _speed(request.speed)
    media_type = MEDIA_TYPES["pcm" if request.format == "pcm" else "mp3"]
    parts = _sound(connection, business | dict(extra), request)
    async with aclosing(limited(parts, MAX_SPEECH_BYTES)) as sound, aclosing(parts):
        yield Stream(media_type, sound)


async def _sound(
    connection: Connection, business: dict[str, Any], request: SpeechRequest
) -> AsyncGenerator[bytes]:
    heard = False
    for text in pieces(request.text):
        async with opened(connection, "/tts", request.timeout_s) as session:
            encoded = base64.b64encode(text.encode()).decode()
            await session.send(
                {
                    "common": {"app_id": session.app_id},
                    "business": business,
                    "data": {"status": 2, "text": encoded},
                }
            )
            async for data in session.answers():
                if sound := decoded(data.get("audio") or ""):
                    heard = True
                    yield sound
    if not heard:
        raise ModelBadResponse("The server sent no sound.")


def pieces(text: str, max_bytes: int = MAX_TEXT_BYTES) -> list[str]:
    """The text in as few pieces as the vendor's limit allows, cut behind sentences where there are such."""
    found: list[str] = []
    for sentence in _SENTENCE.findall(text):
        for part in _short(sentence, max_bytes):
            if found and len((found[-1] + part).encode()) <= max_bytes:
                found[-1] += part
            else:
                found.append(part)
    return [piece for piece in found if piece.strip()]


def _short(sentence: str, max_bytes: int) -> list[str]:
    # A character has at most four bytes.
    step = max_bytes // 4
    if len(sentence.encode()) <= max_bytes:
        return [sentence]
    return [sentence[at : at + step] for at in range(0, len(sentence), step)]


def _speed(speed: float) -> int:
    """The vendor's scale: 0 is half the voice's own speed, 50 its own, 100 twice it."""
    return round(min(max(50 + 50 * math.log2(max(speed, 0.01)), 0), 100))
