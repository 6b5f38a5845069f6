"""What is tried and what came of it. Sounds and pictures travel as base64 within JSON."""

from typing import Any

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field

from refdesk.gateway.kinds import Kind, SpeechFormat
from refdesk.gateway.media import MAX_RECORDING_BYTES
from refdesk.kit.border_types import CleanText, PlainLine

MAX_PICTURES = 4
MAX_TEXTS = 20


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RecordingIn(_Sent):
    """Speech to be written down; `name` tells vendors the container by its suffix."""

    data: Base64Bytes = Field(max_length=MAX_RECORDING_BYTES)
    media_type: PlainLine = Field(default="audio/wav", max_length=100)
    name: PlainLine = Field(default="speech.wav", max_length=200)


class TryRequest(_Sent):
    """What to ask a model that answers in words, vectors or scores.

    `text` is the question to a chat model, about `pictures`, or of which texts are scored; an embedding model
    compares it with `texts`. A model that hears takes the `recording`.
    """

    text: CleanText = Field(default="", max_length=20_000)
    texts: list[CleanText] = Field(default_factory=list[CleanText], max_length=MAX_TEXTS)
    pictures: list[Base64Bytes] = Field(default_factory=list[bytes], max_length=MAX_PICTURES)
    recording: RecordingIn | None = None
    language: PlainLine | None = Field(default=None, max_length=16)


class TryNotice(BaseModel):
    """What the gateway did to get an answer: `model-switched`, `retried`, `context-truncated`, …"""

    code: str
    detail: dict[str, Any]


class TryAnswer(BaseModel):
    """What the model answered. `scores` are one a text: of a reranker its own, of an embedding model the
    cosine with the question."""

    kind: Kind
    latency_ms: float
    text: str | None = None
    reasoning: str | None = None
    scores: list[float] | None = None
    dimensions: int | None = None
    language: str | None = None
    duration_s: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    notices: list[TryNotice] = []


class SpeechIn(_Sent):
    """What to say, and how; without a voice the model's own."""

    text: CleanText = Field(min_length=1, max_length=5_000)
    voice: PlainLine | None = Field(default=None, max_length=200)
    format: SpeechFormat = Field(default="mp3", description="Where the voice has it; else its usual one.")
    speed: float | None = Field(default=None, ge=0.25, le=4)


class PicturesIn(_Sent):
    """What to paint. `size` is `WIDTHxHEIGHT` or a word of the vendor's."""

    prompt: CleanText = Field(min_length=1, max_length=8_000)
    size: PlainLine | None = Field(default=None, max_length=50)
    count: int = Field(default=1, ge=1, le=MAX_PICTURES)
    negative_prompt: CleanText | None = Field(default=None, max_length=2_000)
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1)


class PictureOut(BaseModel):
    """A picture; `data` is base64."""

    media_type: str
    data: str


class PicturesOut(BaseModel):
    """What was painted."""

    latency_ms: float
    pictures: list[PictureOut]
