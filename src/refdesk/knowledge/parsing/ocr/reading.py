"""One picture → its lines: which way up it is, where its lines are, what they say, how sure that is.

Owns the choice of sizes and directions; the networks are `detection` and `recognition`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from refdesk.knowledge.parsing.ocr.allowance import Deadline
from refdesk.knowledge.parsing.ocr.detection import Detector, Image, Quad
from refdesk.knowledge.parsing.ocr.recognition import Reading, Recogniser, cut_out

# Longer side of the picture in which lines are looked for; a second look where letters come out too small,
# in strips of an area that keeps the network below 600 MB.
_LOOK_PX = 1_120
_SMALL_PX, _GOOD_PX = 13.0, 16.0
_LOOK_AREA, _WIDEST_PX, _MAX_STRIPS = 1_200_000, 2_400, 40
_MAX_ASPECT = 2.5
_LARGE_PX = 2_600
_TALL = 1.7
# Below, a line is no text but a texture, a stamp or a drawing; a letter or two alone must be surer.
_MIN_CONFIDENCE, _MIN_SHORT = 0.5, 0.8
_UPSIDE_DOWN, _BETTER = 0.8, 0.1
_PROBES = 6
_LEVEL_DEGREES = 0.3
_LONG = 3.0
_PADDING = 16
_DARK = 90
# Of a page of which nothing could be read: Latin letters are half as wide as a line is high.
_CHARS_PER_HEIGHT = 2.0


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of text and its box in pixels of the page set upright and level."""

    text: str
    confidence: float
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class OcrPage:
    """Lines of a picture. `turn`: quarter turns clockwise that set it upright; `skew`: degrees it leans.

    `width` and `height` are those of the picture as given. `unread_chars`: an estimate of what stands in the
    lines that were found, but not read, because the time was over.
    """

    lines: tuple[OcrLine, ...]
    width: int
    height: int
    turn: int
    skew: float
    unread_chars: int = 0

    @property
    def is_cut_short(self) -> bool:
        """Whether lines were found, but not read."""
        return self.unread_chars > 0

    @property
    def chars(self) -> int:
        """Characters that were read."""
        return sum(len(line.text) for line in self.lines)

    @property
    def confidence(self) -> float:
        """Mean confidence of the characters that were read; 0 without any."""
        chars = self.chars
        return sum(line.confidence * len(line.text) for line in self.lines) / chars if chars else 0.0


@lru_cache(maxsize=1)
def reader(threads: int) -> "Reader":
    """The reader of this process; loading takes 0.3 s and 90 MB, so it is done once and only when needed."""
    return Reader(threads)


class Reader:
    """Reads pictures of any size (height, width, BGR)."""

    def __init__(self, threads: int) -> None:
        self._detector = Detector(threads)
        self._recogniser = Recogniser(threads)

    def read(self, image: Image, deadline: Deadline) -> OcrPage:
        """Lines of a picture, as many as are read before `deadline`. Raises `MemoryError`."""
        try:
            return self._read(image, deadline)
        except Exception as error:
            # ONNX Runtime and OpenCV have errors of their own for memory that cannot be had.
            if any(word in str(error).lower() for word in ("alloc", "insufficient memory", "bad_alloc")):
                raise MemoryError(str(error)[:200]) from error
            raise

    def _read(self, image: Image, deadline: Deadline) -> OcrPage:
        high, wide = image.shape[:2]
        light = on_light_ground(image)
        # Letters that touch the border of a picture are not found.
        padded = np.pad(light, ((_PADDING, _PADDING), (_PADDING, _PADDING), (0, 0)), mode="edge")
        turn, quads = self._upright(padded)
        upright = np.ascontiguousarray(np.rot90(padded, -turn)) if turn else padded
        lines, unread_chars = self._lines(upright, quads, deadline)
        if turn == 0 and self._is_upside_down(upright, quads, lines):
            turn, upright = 2, np.ascontiguousarray(upright[::-1, ::-1])
            quads = self._find(upright)
            lines, unread_chars = self._lines(upright, quads, deadline)
        skew = _skew(quads)
        return OcrPage(
            tuple(_placed(line, quad, upright, skew) for quad, line in lines),
            wide,
            high,
            turn,
            skew,
            unread_chars,
        )

    def _find(self, image: Image) -> list[Quad]:
        """Lines of the picture; where their letters come out too small, it is looked at more closely."""
        high, wide = image.shape[:2]
        longest = max(high, wide)
        quads: list[Quad] = []
        closer = 2.0
        if longest <= _MAX_ASPECT * min(high, wide):
            quads = self._detector.find(image, _LOOK_PX)
            if longest <= _LOOK_PX or (not quads and longest < _LARGE_PX):
                return quads
            if quads:
                seen = float(np.median([min(q.width, q.height) for q in quads])) * _LOOK_PX / longest
                if seen >= _SMALL_PX:
                    return quads
                closer = _GOOD_PX / seen
        scale = min(1.0, closer * _LOOK_PX / longest) if quads else min(1.0, _LOOK_PX / min(high, wide))
        return self._in_strips(image, min(scale, _WIDEST_PX / wide)) or quads

    def _in_strips(self, image: Image, scale: float) -> list[Quad]:
        """Lines of a picture looked at in strips over its whole width, so that no line is cut."""
        high, wide = image.shape[:2]
        tall = max(int(_LOOK_AREA / (wide * scale) / scale), 64)
        overlap = tall // 8
        found: list[Quad] = []
        for top in range(0, min(high, tall * _MAX_STRIPS), tall - overlap):
            strip = image[top : top + tall]
            last = top + tall >= high
            for quad in self._detector.find(strip, max(1, round(max(strip.shape[:2]) * scale))):
                middle = float(quad.corners[:, 1].mean())
                if (top == 0 or middle >= overlap / 2) and (last or middle < tall - overlap / 2):
                    found.append(replace(quad, corners=quad.corners + np.array([0, top], dtype=np.float32)))
            if last:
                break
        return found

    def _upright(self, image: Image) -> tuple[int, list[Quad]]:
        """Quarter turns clockwise that set most lines level, and the lines then found.

        Columns of Chinese and Japanese count as lines of a page that was turned: the network knows signs that
        lie on their side, and from right to left becomes from top to bottom.
        """
        quads = self._find(image)
        tall = [quad for quad in quads if quad.height > _TALL * quad.width]
        area = sum(quad.width * quad.height for quad in quads)
        if not tall or sum(quad.width * quad.height for quad in tall) < 0.6 * area:
            return 0, quads
        probes = sorted(tall, key=lambda quad: -quad.height)[:_PROBES]
        strips = [cut_out(image, quad) for quad in probes]
        sure = {turn: self._sureness([np.rot90(strip, -turn) for strip in strips]) for turn in (1, 3)}
        best = max(sure, key=lambda turn: sure[turn])
        return best, self._find(np.ascontiguousarray(np.rot90(image, -best)))

    def _sureness(self, strips: Sequence[Image]) -> float:
        readings = [reading for _, reading in self._recogniser.read(strips)]
        chars = sum(len(reading.text) for reading in readings)
        return sum(len(r.text) * r.confidence for r in readings) / chars if chars else 0.0

    def _is_upside_down(self, image: Image, quads: list[Quad], lines: list[tuple[Quad, OcrLine]]) -> bool:
        chars = sum(len(line.text) for _, line in lines)
        sure = sum(len(line.text) * line.confidence for _, line in lines) / chars if chars else 0.0
        if not quads or sure >= _UPSIDE_DOWN:
            return False
        probes = sorted(quads, key=lambda quad: -quad.width)[:_PROBES]
        strips = [cut_out(image, quad) for quad in probes]
        now = self._sureness(strips)
        return self._sureness([strip[::-1, ::-1] for strip in strips]) > now + _BETTER

    def _lines(
        self, image: Image, quads: list[Quad], deadline: Deadline
    ) -> tuple[list[tuple[Quad, OcrLine]], int]:
        """Lines that were read, and about how many characters stand in the others."""
        strips = [cut_out(image, quad) for quad in quads]
        tall = {i for i, quad in enumerate(quads) if quad.height > _TALL * quad.width}
        best: dict[int, Reading] = {}
        level = [i for i in range(len(quads)) if i not in tall]
        for k, reading in self._recogniser.read([strips[i] for i in level], deadline.is_over):
            best[level[k]] = reading
        # Lines along the side of a page run up or down.
        columns = [] if level and deadline.is_over() else sorted(tall)
        for turn in (1, 3):
            for k, reading in self._recogniser.read([np.rot90(strips[i], -turn) for i in columns]):
                i = columns[k]
                if i not in best or reading.confidence > best[i].confidence:
                    best[i] = reading
        lines = [
            (quads[i], OcrLine(reading.text.strip(), reading.confidence, 0, 0, 0, 0))
            for i, reading in sorted(best.items())
            if _is_text(reading)
        ]
        return lines, _chars_unread(quads, best)


def _chars_unread(quads: Sequence[Quad], best: Mapping[int, Reading]) -> int:
    """About how many characters stand in the lines without a reading, as close together as in the others."""
    missing = [_shape(quad) for i, quad in enumerate(quads) if i not in best]
    if not missing:
        return 0
    length = sum(_shape(quads[i]) for i in best)
    chars = sum(len(reading.text.strip()) for reading in best.values() if _is_text(reading))
    dense = chars / length if chars and length else _CHARS_PER_HEIGHT
    return max(len(missing), round(dense * sum(missing)))


def _shape(quad: Quad) -> float:
    """How many times longer than high a line is, whichever way it runs."""
    return max(quad.width, quad.height) / max(1.0, min(quad.width, quad.height))


def on_light_ground(image: Image) -> Image:
    """The picture, or its negative where most of it is dark, as screenshots of terminals are."""
    return image if np.median(image[::4, ::4]) >= _DARK else 255 - image


def _is_text(reading: Reading) -> bool:
    text = reading.text.strip()
    least = _MIN_SHORT if len(text) < 3 else _MIN_CONFIDENCE
    return bool(text) and reading.confidence >= least and any(c.isalnum() for c in text)


def _skew(quads: list[Quad]) -> float:
    """Degrees by which the page leans; 0 where its lines are level, do not agree, or are too few to tell."""
    angles = [quad.angle for quad in quads if quad.width > _LONG * quad.height]
    if len(angles) < 3:
        return 0.0
    middle = float(np.median(angles))
    spread = float(np.median(np.abs(np.array(angles) - middle)))
    return middle if abs(middle) >= max(_LEVEL_DEGREES, 1.5 * spread) else 0.0


def _placed(line: OcrLine, quad: Quad, image: Image, skew: float) -> OcrLine:
    """The line with its box, without the padding; of a page that leans, as if it stood level."""
    high, wide = image.shape[:2]
    centre = quad.corners.mean(axis=0)
    if skew:
        angle = np.radians(-skew)
        x, y = centre - np.array([wide / 2, high / 2])
        centre = np.array(
            [
                x * np.cos(angle) - y * np.sin(angle) + wide / 2,
                x * np.sin(angle) + y * np.cos(angle) + high / 2,
            ]
        )
    x, y = float(centre[0]) - _PADDING, float(centre[1]) - _PADDING
    across, down = quad.width / 2, quad.height / 2
    return replace(line, x0=x - across, y0=y - down, x1=x + across, y1=y + down)
