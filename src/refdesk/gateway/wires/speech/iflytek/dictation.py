"""Speech to text: at most a minute of sound, sent in frames while the words come back."""

import asyncio
import base64
from collections.abc import Mapping
from typing import Any

from refdesk.gateway.errors import ModelContextExceeded
from refdesk.gateway.media import Transcription, TranscriptionRequest
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.speech.iflytek.session import Session, opened
from refdesk.gateway.wires.speech.samples import SAMPLE_RATE, Sound, sound_of

MAX_SECONDS = 60.0
FRAME_BYTES = 8_000
FRAME_PAUSE_S = 0.04
"""As the vendor's own example sends: a quarter of a second of sound every 40 ms."""
_LANGUAGES = {"zh": "zh_cn", "en": "en_us", "ja": "ja_jp", "ko": "ko_kr", "fr": "fr_fr"}


async def dictated(
    connection: Connection, domain: str, request: TranscriptionRequest, extra: Mapping[str, Any]
) -> Transcription:
    """What was said. `extra` goes into `business`. Raises `ModelError`s and `RecordingUnsupported`."""
    sound = sound_of(request.recording)
    if sound.seconds is not None and sound.seconds > MAX_SECONDS:
        raise ModelContextExceeded(
            "This model takes recordings of at most a minute.",
            hint="Send a shorter recording, or choose another model for speech.",
            seconds=round(sound.seconds, 1),
            max_seconds=MAX_SECONDS,
        )
    language = _LANGUAGES.get(request.language or "zh", request.language)
    # The end of speech is the recording's: by default two seconds of silence are.
    business: dict[str, Any] = {"language": language, "domain": domain, "vad_eos": 10_000}
    if language == "zh_cn":
        business["accent"] = "mandarin"
    async with opened(connection, "/iat", request.timeout_s) as session:
        sending = asyncio.create_task(_send(session, sound, business | dict(extra)))
        try:
            words = _Words()
            async for data in session.answers():
                words.add(data.get("result") or {})
        finally:
            # What its end was does not matter: a socket that breaks is seen by whoever reads.
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
    return Transcription(words.text, request.language, sound.seconds)


async def _send(session: Session, sound: Sound, business: dict[str, Any]) -> None:
    form = {"format": f"audio/L16;rate={SAMPLE_RATE}", "encoding": sound.encoding}
    head: dict[str, Any] = {"common": {"app_id": session.app_id}, "business": business}
    for at in range(0, max(len(sound.data), 1), FRAME_BYTES):
        audio = base64.b64encode(sound.data[at : at + FRAME_BYTES]).decode()
        await session.send(head | {"data": {"status": 1 if at else 0, "audio": audio} | form})
        head = {}
        await asyncio.sleep(FRAME_PAUSE_S)
    await session.send({"data": {"status": 2, "audio": ""} | form})


class _Words:
    """Results by their number; one with `pgs: rpl` takes the place of those in its range."""

    def __init__(self) -> None:
        self._parts: dict[int, str] = {}

    def add(self, result: dict[str, Any]) -> None:
        if result.get("pgs") == "rpl":
            first, last = result["rg"]
            for number in range(first, last + 1):
                self._parts.pop(number, None)
        text = "".join(str(word["cw"][0]["w"]) for word in result.get("ws") or ())
        if text:
            self._parts[int(result.get("sn", len(self._parts)))] = text

    @property
    def text(self) -> str:
        return "".join(self._parts[number] for number in sorted(self._parts)).strip()
