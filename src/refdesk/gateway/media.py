"""The typed calls that are not text alone: speech, pictures and video, whatever the vendor.

A wire of each kind stands behind the protocols at the end. Sizes and deadlines are part of the call: what a
vendor sends is bounded while it arrives, and leaving a call closes its socket.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol
from uuid import UUID

from refdesk.gateway.calls import Completion
from refdesk.gateway.content import ImagePart
from refdesk.gateway.kinds import SpeechFormat

MAX_RECORDING_BYTES = 25 * 1024 * 1024
MAX_SPEECH_BYTES = 64 * 1024 * 1024
MAX_PICTURE_BYTES = 32 * 1024 * 1024
MAX_VIDEO_BYTES = 512 * 1024 * 1024

type VideoStage = Literal["queued", "running", "finished", "failed", "cancelled"]

MEDIA_TYPES: dict[SpeechFormat, str] = {
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "pcm": "audio/pcm",
}


@dataclass(frozen=True, slots=True)
class Recording:
    """Speech to be written down. `name` tells vendors the container by its suffix."""

    data: bytes
    media_type: str = "audio/wav"
    name: str = "speech.wav"


@dataclass(frozen=True, slots=True)
class TranscriptionRequest:
    """`language` is an ISO 639-1 code, None lets the model find out; `prompt` are words it may meet."""

    recording: Recording
    language: str | None = None
    prompt: str | None = None
    timeout_s: float | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Transcription:
    """What was said; language and duration where the vendor tells them."""

    text: str
    language: str | None = None
    duration_s: float | None = None


@dataclass(frozen=True, slots=True)
class SpeechRequest:
    """`voice` None leaves it to the model's default; `speed` 1.0 is the voice's own."""

    text: str
    voice: str | None = None
    format: SpeechFormat = "mp3"
    speed: float | None = None
    timeout_s: float | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """Sound or film as it arrives, and its media type; raises `ResponseTooLarge` past its limit."""

    media_type: str
    parts: AsyncGenerator[bytes]


@dataclass(frozen=True, slots=True)
class PictureQuestion:
    """A question about pictures."""

    question: str
    pictures: Sequence[ImagePart]
    max_tokens: int | None = None
    timeout_s: float | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """`size` is `WIDTHxHEIGHT` or a vendor's own word; None leaves it to the model."""

    prompt: str
    size: str | None = None
    count: int = 1
    negative_prompt: str | None = None
    seed: int | None = None
    timeout_s: float | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class VideoRequest:
    """A film from words, and from a first picture where there is one. `seconds` None: the model's own."""

    prompt: str
    picture: ImagePart | None = None
    size: str | None = None
    seconds: int | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class VideoState:
    """Where a vendor's job stands.

    `progress` is 0–1 where the vendor tells it. A finished one has the address of its film, or None where
    the vendor gives it by the job's id only. `message` are the vendor's words of a failed one.
    """

    stage: VideoStage
    progress: float | None = None
    url: str | None = None
    message: str | None = None
    details: dict[str, str] = field(default_factory=dict[str, str])


class Media(Protocol):
    """What all of the models below share."""

    @property
    def model_id(self) -> UUID: ...

    @property
    def model_name(self) -> str: ...


class Transcriber(Media, Protocol):
    """Speech to text. Errors are `ModelError`s, as of all below."""

    async def transcribe(self, request: TranscriptionRequest) -> Transcription: ...


class Speaker(Media, Protocol):
    """Text to speech. The sound begins to arrive before all of it is made, where the vendor streams."""

    def speak(self, request: SpeechRequest) -> AbstractAsyncContextManager[Stream]: ...


class PictureReader(Media, Protocol):
    """A model that answers questions about pictures."""

    async def understand(self, request: PictureQuestion) -> Completion: ...


class Painter(Media, Protocol):
    """Text to pictures; as many as asked, or fewer where the vendor gives no more."""

    async def paint(self, request: PictureRequest) -> list[ImagePart]: ...


class Filmmaker(Media, Protocol):
    """Words, or words and a picture, to a film: a job at the vendor that is asked for again and again."""

    async def submit(self, request: VideoRequest) -> str:
        """Begin; the vendor's id of the job."""
        ...

    async def state(self, task: str) -> VideoState:
        """Where the job stands."""
        ...

    async def cancel(self, task: str) -> bool:
        """Ask the vendor to stop; False where it knows no such thing or it is too late."""
        ...

    def film(self, task: str, state: VideoState) -> AbstractAsyncContextManager[Stream]:
        """The finished film as it arrives, at most `MAX_VIDEO_BYTES`."""
        ...
