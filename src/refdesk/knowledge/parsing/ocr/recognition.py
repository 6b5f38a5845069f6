"""What a line says: a strip 48 pixels high → characters with probabilities, by CTC.

PP-OCRv6 small: 18,708 characters, among them Chinese (both scripts), Japanese, and Latin with its accents;
no Korean, Cyrillic, Arabic or Indic letters.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refdesk.knowledge.parsing.ocr.detection import Image, Quad
from refdesk.knowledge.parsing.ocr.vendor import Session, cv2, load_model

_MODEL = "PP-OCRv6_rec_small.onnx"
_HEIGHT = 48
_MIN_WIDTH, _MAX_WIDTH = 48, 3_200
# Strips of a batch are padded to the widest: a batch holds as many as fill this width together.
_BATCH_WIDTH = 2_400
_BATCH = 8


@dataclass(frozen=True, slots=True)
class Reading:
    """Text of a strip and the mean probability of its characters, 0 to 1."""

    text: str
    confidence: float


class Recogniser:
    """Loads the network once; `read` may be called for any number of strips."""

    def __init__(self, threads: int) -> None:
        self._session: Session = load_model(_MODEL, threads)
        listed: str = self._session.get_modelmeta().custom_metadata_map["character"]
        # Index 0 is the blank of CTC, the last one the space.
        self._characters = ["", *listed.splitlines(), " "]

    def read(
        self, strips: Sequence[Image], is_over: Callable[[], bool] | None = None
    ) -> Iterator[tuple[int, Reading]]:
        """Index and reading of each strip, in order of width; once it `is_over`, no batch after the first."""
        widths = [_width(strip) for strip in strips]
        order = sorted(range(len(strips)), key=lambda i: widths[i])
        at = 0
        while at < len(order):
            if at and is_over is not None and is_over():
                return
            last = at + 1
            while (
                last < len(order)
                and last - at < _BATCH
                and widths[order[last]] * (last + 1 - at) <= _BATCH_WIDTH
            ):
                last += 1
            chosen = order[at:last]
            yield from zip(chosen, self._batch([strips[i] for i in chosen]), strict=True)
            at = last

    def _batch(self, strips: Sequence[Image]) -> list[Reading]:
        widths = [_width(strip) for strip in strips]
        batch = np.zeros((len(strips), 3, _HEIGHT, max(widths)), dtype=np.float32)
        for i, (strip, width) in enumerate(zip(strips, widths, strict=True)):
            scaled = cv2.resize(strip, (width, _HEIGHT)).astype(np.float32)
            batch[i, :, :, :width] = ((scaled / 255.0 - 0.5) / 0.5).transpose(2, 0, 1)
        scores: NDArray[np.float32] = self._session.run(None, {"x": batch})[0]
        best, sure = scores.argmax(axis=2), scores.max(axis=2)
        return [self._decoded(best[i], sure[i]) for i in range(len(strips))]

    def _decoded(self, best: NDArray[np.intp], sure: NDArray[np.float32]) -> Reading:
        keep = best != 0
        keep[1:] &= best[1:] != best[:-1]
        if not keep.any():
            return Reading("", 0.0)
        indices: list[int] = best[keep].tolist()
        text = "".join(self._characters[i] for i in indices)
        return Reading(text, float(sure[keep].mean()))


def _width(strip: Image) -> int:
    high, wide = strip.shape[:2]
    return min(max(round(wide * _HEIGHT / max(1, high)), _MIN_WIDTH), _MAX_WIDTH)


def cut_out(image: Image, quad: Quad) -> Image:
    """The strip inside a rectangle, set level."""
    width, height = max(1, round(quad.width)), max(1, round(quad.height))
    x0, y0 = np.floor(quad.corners.min(axis=0)).astype(int)
    x1, y1 = np.ceil(quad.corners.max(axis=0)).astype(int)
    if abs(quad.angle) < 0.5:
        return image[max(0, y0) : max(1, y1), max(0, x0) : max(1, x1)]
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(quad.corners, target)
    strip: Image = cv2.warpPerspective(
        image, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return strip
