"""Bytes of a picture → pixels: formats, frames, orientation, and what is refused.

The size is checked before anything is unpacked. Large pictures are made smaller while they are decoded, for
no letter gains by more than some 12 million pixels.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from refdesk.knowledge.parsing.errors import CorruptFile, PictureTooLarge
from refdesk.knowledge.parsing.ocr.detection import Image

_pil: Any = import_module("PIL.Image")
_operations: Any = import_module("PIL.ImageOps")

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
_PAGED = ("TIFF",)  # frames of other formats are those of an animation: the first one shows what it is
_MAX_PIXELS = 150_000_000
_READ_PIXELS = 12_000_000
_MAX_RATIO = 1_000
_EXIF_DATE, _EXIF_TAGS = 0x9003, 0x8769
_UNREADABLE = (OSError, SyntaxError, ValueError, EOFError, TypeError, KeyError, IndexError, OverflowError)

_pil.MAX_IMAGE_PIXELS = None  # the limit is ours, and an error, not a warning


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture upright as its camera meant it; `scale` is its size against the size as stored."""

    number: int
    pixels: Image
    width: int
    height: int
    scale: float


@dataclass(slots=True)
class PictureFile:
    """An opened picture: its format, how many frames count as pages, and when it was taken."""

    format: str
    frames: int
    taken: str | None
    _opened: Any

    def read(self) -> Iterator[Frame]:
        """Frames in order. Raises `CorruptFile` and `PictureTooLarge`."""
        for number in range(1, self.frames + 1):
            try:
                self._opened.seek(number - 1)
                yield _frame(self._opened, number)
            except _UNREADABLE as error:
                raise CorruptFile(reason=str(error)[:200]) from error


def open_picture(data: bytes) -> PictureFile:
    """The header of a picture. Raises `CorruptFile` and `PictureTooLarge`."""
    try:
        opened = _pil.open(io.BytesIO(data), formats=_FORMATS)
        name = str(opened.format)
        frames = int(getattr(opened, "n_frames", 1)) if name in _PAGED else 1
        _check(opened.size)
        taken = opened.getexif().get_ifd(_EXIF_TAGS).get(_EXIF_DATE)
    except _UNREADABLE as error:
        raise CorruptFile(reason=str(error)[:200]) from error
    return PictureFile(name, frames, str(taken) if taken else None, opened)


def _check(size: tuple[int, int]) -> None:
    wide, high = size
    if wide * high > _MAX_PIXELS:
        raise PictureTooLarge(width=wide, height=high, max_pixels=_MAX_PIXELS)
    if max(wide, high) > _MAX_RATIO * max(1, min(wide, high)):
        raise PictureTooLarge("The picture is a line without end.", width=wide, height=high)


def _frame(opened: Any, number: int) -> Frame:
    wide, high = opened.size
    _check((wide, high))
    shrink = (_READ_PIXELS / max(1, wide * high)) ** 0.5
    if shrink < 1 and opened.format in ("JPEG", "MPO"):
        opened.draft("RGB", (round(wide * shrink), round(high * shrink)))
    picture = _operations.exif_transpose(opened)
    turned = opened.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    shrink = (_READ_PIXELS / max(1, picture.width * picture.height)) ** 0.5
    if shrink < 1:
        size = (max(1, round(picture.width * shrink)), max(1, round(picture.height * shrink)))
        picture = picture.resize(size, reducing_gap=2.0)
    pixels = np.ascontiguousarray(np.asarray(_on_white(picture))[:, :, ::-1])
    width, height = (high, wide) if turned else (wide, high)
    return Frame(number, pixels, width, height, pixels.shape[1] / max(1, width))


def _on_white(picture: Any) -> Any:
    """As RGB; what can be seen through stands on white."""
    if picture.mode.startswith("I") or picture.mode == "F":
        values = np.asarray(picture, dtype=np.float32)
        low, high = float(values.min()), float(values.max())
        return _pil.fromarray(((values - low) / max(high - low, 1e-6) * 255).astype(np.uint8)).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        layer = picture.convert("RGBA")
        paper = _pil.new("RGBA", layer.size, (255, 255, 255, 255))
        return _pil.alpha_composite(paper, layer).convert("RGB")
    return picture.convert("RGB")
