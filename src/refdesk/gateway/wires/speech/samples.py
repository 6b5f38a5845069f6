"""Recordings as vendors want them that take bare samples: 16 kHz, 16 bit, one channel."""

import io
import wave
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refdesk.gateway.errors import RecordingUnsupported
from refdesk.gateway.media import Recording

SAMPLE_RATE = 16_000
_MP3 = ("audio/mpeg", "audio/mp3")
_BARE = ("audio/pcm", "audio/l16")


@dataclass(frozen=True, slots=True)
class Sound:
    """Samples, or an MP3 as it is; how long it is where that can be known."""

    data: bytes
    encoding: str
    seconds: float | None


def sound_of(recording: Recording) -> Sound:
    """WAV files of any rate and number of channels as samples; bare samples and MP3 as they are.

    Raises `RecordingUnsupported`.
    """
    kind = recording.media_type.partition(";")[0].strip().lower()
    if kind in _MP3 or recording.data.startswith(b"ID3"):
        return Sound(recording.data, "lame", None)
    if kind in _BARE:
        return Sound(recording.data, "raw", len(recording.data) / 2 / SAMPLE_RATE)
    try:
        with wave.open(io.BytesIO(recording.data)) as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            frames = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise RecordingUnsupported(media_type=kind) from error
    if width != 2 or channels < 1 or rate < 1:
        raise RecordingUnsupported(media_type=kind, bits=8 * width)
    whole = len(frames) // (2 * channels) * channels
    samples = np.frombuffer(frames, "<i2", whole).reshape(-1, channels).mean(axis=1)
    data = _resampled(samples, rate).round().astype("<i2").tobytes()
    return Sound(data, "raw", len(samples) / rate)


def _resampled(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    if rate == SAMPLE_RATE or not len(samples):
        return samples
    if rate > SAMPLE_RATE:
        # The mean over one new sample's length keeps what is above the new limit from folding back.
        span = -(-rate // SAMPLE_RATE)
        samples = np.convolve(samples, np.full(span, 1 / span), "same")
    count = int(len(samples) * SAMPLE_RATE / rate)
    return np.interp(np.arange(count) * rate / SAMPLE_RATE, np.arange(len(samples)), samples)
