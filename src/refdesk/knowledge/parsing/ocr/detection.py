"""Where text stands in a picture: quadrilaterals around lines, by differentiable binarization.

The network (PP-OCRv6 small, DB head, https://arxiv.org/abs/1911.08947) gives a map of shrunken lines; each
connected area becomes the smallest rectangle around it, grown back by the ratio it was trained with.
Measured: letters 8 to 30 pixels high are found; at 40 and more they fall apart, and the time grows with the
area (0.9 s of CPU for 794 x 1123 pixels, 4.4 s for 1654 x 2339). So pictures are made smaller for this step
and read at full size.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refdesk.knowledge.parsing.ocr.vendor import Session, cv2, load_model

type Image = NDArray[np.uint8]
"""Height, width, three channels."""

_MODEL = "PP-OCRv6_det_small.onnx"
_THRESHOLD = 0.3
_MIN_SCORE = 0.5
_GROW = 1.6
_MIN_SIDE = 3.0
_MAX_BOXES = 1_500
_STEP = 32


@dataclass(frozen=True, slots=True)
class Quad:
    """A rectangle at any angle around one line, in pixels of the picture.

    `corners` (4 x 2) begin at the top left of the line and go clockwise; `width` runs along the line.
    """

    corners: NDArray[np.float32]
    width: float
    height: float
    angle: float
    """Degrees by which the line falls to the right; 0 for level lines."""


class Detector:
    """Loads the network once; `find` may be called for any number of pictures."""

    def __init__(self, threads: int) -> None:
        self._session: Session = load_model(_MODEL, threads)

    def find(self, image: Image, longest_px: int) -> list[Quad]:
        """Lines of a picture, which is looked at with its longer side at most `longest_px`."""
        high, wide = image.shape[:2]
        scale = min(1.0, longest_px / max(high, wide))
        rows = max(_STEP, round(high * scale / _STEP) * _STEP)
        columns = max(_STEP, round(wide * scale / _STEP) * _STEP)
        small = cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA)
        values = (small.astype(np.float32) / 255.0 - 0.5) / 0.5
        batch = np.ascontiguousarray(values.transpose(2, 0, 1)[None])
        heat: NDArray[np.float32] = self._session.run(None, {"x": batch})[0][0, 0]
        factor = np.array([wide / columns, high / rows], dtype=np.float32)
        return [quad for area in _areas(heat) if (quad := _quad(area, heat, factor)) is not None]


def _areas(heat: NDArray[np.float32]) -> list[NDArray[np.int32]]:
    mask = cv2.dilate((heat > _THRESHOLD).astype(np.uint8), np.ones((2, 2), dtype=np.uint8))
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    largest = sorted(found, key=len, reverse=True) if len(found) > _MAX_BOXES else found
    return list(largest[:_MAX_BOXES])


def _quad(area: NDArray[np.int32], heat: NDArray[np.float32], factor: NDArray[np.float32]) -> Quad | None:
    (x, y), (wide, high), angle = cv2.minAreaRect(area)
    if min(wide, high) < _MIN_SIDE or _score(area, heat) < _MIN_SCORE:
        return None
    grow = wide * high * _GROW / (wide + high)  # twice the distance each side moves out
    points = cv2.boxPoints(((x, y), (wide + grow, high + grow), angle)) * factor
    return _ordered(points.astype(np.float32))


def _score(area: NDArray[np.int32], heat: NDArray[np.float32]) -> float:
    """Mean of the map inside the area."""
    x, y, wide, high = cv2.boundingRect(area)
    mask = np.zeros((high, wide), dtype=np.uint8)
    cv2.fillPoly(mask, [area - np.array([x, y], dtype=np.int32)], 1)
    return float(cv2.mean(heat[y : y + high, x : x + wide], mask)[0])


def _ordered(points: NDArray[np.float32]) -> Quad:
    """Corners from the top left one clockwise, so that the line leans by at most 45 degrees."""
    centre = points.mean(axis=0)
    around = points[np.argsort(np.arctan2(points[:, 1] - centre[1], points[:, 0] - centre[0]))]
    start = int(np.argmin(around.sum(axis=1)))
    corners = np.roll(around, -start, axis=0)
    # Of a rectangle that leans by more than 45 degrees the corner with the smallest sum is not the top left.
    across = corners[1] - corners[0]
    if abs(across[1]) > abs(across[0]):
        corners = np.roll(corners, 1, axis=0)
        across = corners[1] - corners[0]
    down = corners[3] - corners[0]
    return Quad(
        np.ascontiguousarray(corners),
        float(np.hypot(*across)),
        float(np.hypot(*down)),
        float(np.degrees(np.arctan2(across[1], across[0]))),
    )
