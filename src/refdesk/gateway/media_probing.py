"""The connection tests of models that hear, speak, see, paint and film: as cheap as each can be."""

import io
import math
import struct
import wave
import zlib
from dataclasses import dataclass

from refdesk.gateway.building import ClientBuilder
from refdesk.gateway.content import ImagePart
from refdesk.gateway.errors import ModelBadResponse, ModelNotThere, ModelRefused, ModelUnavailable
from refdesk.gateway.media import (
    PictureQuestion,
    PictureRequest,
    Recording,
    SpeechRequest,
    TranscriptionRequest,
)
from refdesk.gateway.tables import Model

CHECK_TEXT = "Ready. 准备好了。"
CHECK_PICTURE = "A plain red circle on white paper"
CHECK_PICTURE_QUESTION = "Which colour is this picture? One word."
UNKNOWN_JOB = "refdesk-connection-test"
_RATE = 16_000


@dataclass(frozen=True, slots=True)
class MediaProbe:
    """One short call; what it tells is shown beside the result."""

    builder: ClientBuilder
    timeout_s: float

    async def sample(self, model: Model) -> str:
        """What the model did, in a few words. Raises what the call raises."""
        match model.kind:
            case "STT":
                return await self._transcribe(model)
            case "TTS":
                return await self._speak(model)
            case "IMAGE":
                return await self._look(model)
            case "TTI":
                return await self._paint(model)
            case _:
                return await self._ask_for_no_film(model)

    async def _transcribe(self, model: Model) -> str:
        recording = Recording(tone(), "audio/wav", "tone.wav")
        request = TranscriptionRequest(recording, timeout_s=self.timeout_s)
        heard = await self.builder.transcriber(model).transcribe(request)
        return heard.text[:200] or "…"

    async def _speak(self, model: Model) -> str:
        request = SpeechRequest(CHECK_TEXT, timeout_s=self.timeout_s)
        async with self.builder.speaker(model).speak(request) as stream:
            size = sum([len(part) async for part in stream.parts])
        if not size:
            raise ModelBadResponse("The server sent no sound.")
        return f"{stream.media_type}, {size} B"

    async def _look(self, model: Model) -> str:
        picture = ImagePart.of_bytes(red_square())
        question = PictureQuestion(
            CHECK_PICTURE_QUESTION, [picture], max_tokens=256, timeout_s=self.timeout_s
        )
        answer = await self.builder.picture_reader(model).understand(question)
        return (answer.text or answer.reasoning)[:200]

    async def _paint(self, model: Model) -> str:
        pictures = await self.builder.painter(model).paint(
            PictureRequest(CHECK_PICTURE, timeout_s=self.timeout_s)
        )
        return f"{pictures[0].media_type}, {len(pictures[0].data)} B"

    async def _ask_for_no_film(self, model: Model) -> str:
        """A film costs money and minutes: a job that cannot be is asked for, which shows address and key.

        A vendor that knows no such job has understood the question: with a status of its own, or, as MiniMax,
        with an error within a good answer, which has neither a status nor a cause in the connection.
        """
        try:
            state = await self.builder.filmmaker(model).state(UNKNOWN_JOB)
        except (ModelNotThere, ModelRefused) as error:
            return str(error.details.get("vendor_message") or "…")
        except ModelUnavailable as error:
            if error.__cause__ is not None or "status_code" in error.details:
                raise
            return str(error.details.get("vendor_message") or "…")
        return state.stage


def tone(seconds: float = 1.0, hertz: float = 440.0) -> bytes:
    """A quiet tone as WAV: mono, 16 bit, 16 kHz."""
    samples = (int(3000 * math.sin(2 * math.pi * hertz * n / _RATE)) for n in range(int(seconds * _RATE)))
    data = b"".join(struct.pack("<h", sample) for sample in samples)
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(_RATE)
        file.writeframes(data)
    return out.getvalue()


def red_square(pixels: int = 64) -> bytes:
    """A picture in one colour as PNG. 64 pixels: some models refuse smaller ones."""

    def chunk(name: bytes, data: bytes) -> bytes:
        checked = name + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    rows = (b"\0" + b"\xc8\x1e\x1e" * pixels) * pixels
    header = struct.pack(">IIBBBBB", pixels, pixels, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
