"""Glyphs of a page as PDFium reports them, in the coordinates of the page as it is shown.

Owns all calls into PDFium's text interface. Text painted twice for a bold look is taken once; invisible
text (render modes 3 and 7, no opacity) and oblique text are set apart, text outside of the page is left out,
white text is marked. Four calls a character and a cache per text object: with the layout about 40 ms of CPU a
page of 4,400 characters.
"""

import ctypes
import math
import unicodedata
from dataclasses import dataclass

from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.slanted import SlantedGlyph, level_point
from refdesk.knowledge.parsing.pdf.vendor import Handle, raw

_INVISIBLE_MODES = (3, 7)
_WHITE = 245
_FAINT, _FAINT_OPACITY = 110, 200
# Faint letters of this size, in points, may be a watermark whatever their direction.
_LARGE = 20.0
# Degrees off level or upright. Text laid over a scan that went in askew is less, and belongs to its lines.
_OBLIQUE = 8
_BOLD_NAMES = (b"bold", b"black", b"heavy", b"simhei", b"cmbx")
# PDFium marks a hyphen at a line end by these.
_HYPHENS = {0x02: "-", 0xFFFE: "-", 0xAD: "-"}
_LEFT_OUT = frozenset((*range(0x20), 0x7F, 0x200B, 0xFEFF, 0x200E, 0x200F)) - frozenset(b"\t\n\r\x0b\x0c")
# Old TeX fonts printed through other programs lose the names of their ligatures: “ff” comes out as an arrow,
# “ffi” as nothing. The latter is told by its width (0.83 of the size; no single small letter reaches 0.8).
_ARROW_FF = 0x21B5
_FFI_WIDTH = 0.72


@dataclass(slots=True)
class PageGlyphs:
    """Glyphs by reading direction (quarter turns against the clock); counts of what was set aside."""

    number: int
    width: float
    height: float
    by_turn: dict[int, list[Glyph]]
    invisible: list[Glyph]
    slanted: list[SlantedGlyph]
    """Visible ones that stand oblique, or are large and faint; they are not in `by_turn`."""
    pale: list[Glyph]
    """Those of `by_turn` and `slanted` that are white: they may be hidden, or stand on something dark."""
    doubled: int
    outside: int
    unmapped: float
    """Share of the glyphs (every fourth is asked) for which PDFium had to guess the character."""

    @property
    def written(self) -> list[Glyph]:
        """All visible glyphs that stand level or upright; where there are none, the oblique ones."""
        straight = [glyph for glyphs in self.by_turn.values() for glyph in glyphs]
        straight += [one.glyph for one in self.slanted if not one.angle % 90]
        return straight or [one.glyph for one in self.slanted]

    def give_back_straight(self) -> None:
        """Put large faint glyphs that are not oblique back into `by_turn`."""
        for one in self.slanted:
            if not one.angle % 90:
                self.by_turn.setdefault(-one.angle // 90 % 4, []).append(one.glyph)
        self.slanted = [one for one in self.slanted if one.angle % 90]


@dataclass(slots=True)
class _Style:
    size: float
    bold: bool
    turn: int
    slant: int | None
    """Degrees clockwise on the page as shown, of text that stands neither level nor upright."""
    visible: bool
    pale: bool
    faint: bool


class Frame:
    """Maps PDF user space to the page as shown: the visible box, turned by the page's /Rotate."""

    def __init__(self, page: Handle) -> None:
        left, bottom, right, top = page.get_cropbox()
        self.left, self.bottom, self.right, self.top = left, bottom, right, top
        self.turns = page.get_rotation() // 90 % 4
        wide, high = right - left, top - bottom
        self.width, self.height = (high, wide) if self.turns % 2 else (wide, high)

    def box(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        """A box in user space as (x0, y0, x1, y1) from the top left corner of the page as shown."""
        if self.turns == 0:
            return x0 - self.left, self.top - y1, x1 - self.left, self.top - y0
        if self.turns == 1:
            return y0 - self.bottom, x0 - self.left, y1 - self.bottom, x1 - self.left
        if self.turns == 2:
            return self.right - x1, y0 - self.bottom, self.right - x0, y1 - self.bottom
        return self.top - y1, self.right - x1, self.top - y0, self.right - x0


def read_glyphs(page: Handle, number: int, frame: Frame) -> PageGlyphs:
    """All glyphs of a page in content order."""
    textpage = page.get_textpage()
    try:
        return _read(textpage, number, frame)
    finally:
        textpage.close()


def _read(textpage: Handle, number: int, frame: Frame) -> PageGlyphs:
    handle = textpage.raw
    count = raw.FPDFText_CountChars(handle)
    rect = raw.FS_RECTF()
    box = ctypes.byref(rect)
    styles: dict[int, _Style] = {}
    fonts: dict[int, bool] = {}
    by_turn: dict[int, list[Glyph]] = {}
    invisible: list[Glyph] = []
    painted: dict[tuple[str, int, int], list[tuple[float, float, int]]] = {}
    space = False
    pale: list[Glyph] = []
    slanted: list[SlantedGlyph] = []
    doubled = outside = 0
    high = 0
    texts: list[str] = []
    unmapped = 0
    unicode_of, object_of, box_of = (
        raw.FPDFText_GetUnicode,
        raw.FPDFText_GetTextObject,
        raw.FPDFText_GetLooseCharBox,
    )
    for i in range(count):
        code = unicode_of(handle, i)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if high else 0xFFFD
            high = 0
        char = _HYPHENS.get(code) or ("" if code in _LEFT_OUT else chr(code))
        if char.isspace():
            space = True
            continue
        target = object_of(handle, i)
        if not target or (not char and code):
            continue
        address = ctypes.addressof(target.contents)
        style = styles.get(address)
        if style is None:
            style = styles[address] = _style(handle, i, target, frame, fonts)
        box_of(handle, i, box)
        x0, y0, x1, y1 = frame.box(rect.left, rect.bottom, rect.right, rect.top)
        if not (x0 <= x1 and y0 <= y1):  # no place at all: not a number
            outside += 1
            continue
        if not char or code == _ARROW_FF:
            char = _ligature(code, (x1 - x0) / style.size, texts)
            if not char:
                continue
        texts.append(char)
        if len(texts) % 4 == 1:
            unmapped += raw.FPDFText_HasUnicodeMapError(handle, i) == 1
        if _twice(painted, char, x0, y0, style.size, address):
            doubled += 1
            continue
        if x1 <= 0 or y1 <= 0 or x0 >= frame.width or y0 >= frame.height:
            outside += 1
            continue
        glyph = Glyph(_normal(char), x0, y0, x1, y1, style.size, style.bold, space)
        space = False
        if style.visible and style.slant is not None:
            slanted.append(
                SlantedGlyph(
                    glyph, _set_level(handle, i, glyph, style.slant, frame), style.slant, style.faint
                )
            )
            if style.pale:
                pale.append(glyph)
        elif style.visible and style.faint and not style.pale and style.size >= _LARGE:
            angle = -90 * style.turn % 360
            level = _set_level(handle, i, glyph, angle, frame) if angle else glyph
            slanted.append(SlantedGlyph(glyph, level, angle, is_faint=True))
        elif style.visible:
            by_turn.setdefault(style.turn, []).append(glyph)
            if style.pale:
                pale.append(glyph)
        else:
            invisible.append(glyph)
    return PageGlyphs(
        number,
        frame.width,
        frame.height,
        by_turn,
        invisible,
        slanted,
        pale,
        doubled,
        outside,
        unmapped / max(1, (len(texts) + 3) // 4),
    )


def _ligature(code: int, width: float, before: list[str]) -> str:
    if not before or not before[-1].isalpha():
        return "" if not code else chr(code)
    if code == _ARROW_FF:
        return "ff"
    return "ffi" if width > _FFI_WIDTH else ""


def _style(handle: Handle, i: int, target: Handle, frame: Frame, fonts: dict[int, bool]) -> _Style:
    matrix = raw.FS_MATRIX()
    scale = 1.0
    has_matrix = raw.FPDFText_GetMatrix(handle, i, ctypes.byref(matrix))
    if has_matrix:
        scale = math.hypot(matrix.c, matrix.d) or 1.0
    size = raw.FPDFText_GetFontSize(handle, i) * scale
    angle = raw.FPDFText_GetCharAngle(handle, i)
    turn = (-round(math.degrees(angle) / 90) - frame.turns) % 4  # PDFium counts clockwise
    weight = raw.FPDFText_GetFontWeight(handle, i)
    opacity, darkest = _colour(target)
    visible = raw.FPDFTextObj_GetTextRenderMode(target) not in _INVISIBLE_MODES and opacity > 0
    bold = weight >= 600 or _bold_name(target, fonts)
    slant = _slant(matrix, frame) if has_matrix else None
    faint = darkest >= _FAINT or opacity < _FAINT_OPACITY
    return _Style(round(size, 2) or 1.0, bold, turn, slant, visible, darkest >= _WHITE, faint)


def _slant(matrix: Handle, frame: Frame) -> int | None:
    """Direction of oblique text in degrees clockwise; None for level, upright and merely sheared text."""
    baseline = math.degrees(math.atan2(matrix.b, matrix.a))
    upwards = math.degrees(math.atan2(-matrix.c, matrix.d))
    if min(abs(angle - 90 * round(angle / 90)) for angle in (baseline, upwards)) < _OBLIQUE:
        return None
    return round(90 * frame.turns - baseline) % 360


def _set_level(handle: Handle, i: int, glyph: Glyph, slant: int, frame: Frame) -> Glyph:
    """The glyph on the page turned until it is level.

    PDFium gives the upright box around the oblique one: both have the same middle, and half of the width lies
    between that and the origin.
    """
    across, up = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(handle, i, ctypes.byref(across), ctypes.byref(up))
    x, y, _, _ = frame.box(across.value, up.value, across.value, up.value)
    start, _ = level_point(x, y, slant)
    middle, height = level_point((glyph.x0 + glyph.x1) / 2, (glyph.y0 + glyph.y1) / 2, slant)
    end = start + 2 * max(middle - start, 0.1 * glyph.size)
    half = glyph.size / 2
    return Glyph(
        glyph.char, start, height - half, end, height + half, glyph.size, glyph.bold, glyph.space_before
    )


def _colour(target: Handle) -> tuple[int, int]:
    """Opacity and the darkest part of the fill colour, each 0–255."""
    parts = [ctypes.c_uint(0) for _ in range(4)]
    if not raw.FPDFPageObj_GetFillColor(target, *map(ctypes.byref, parts)):
        return 255, 0
    return parts[3].value, min(part.value for part in parts[:3])


def _bold_name(target: Handle, fonts: dict[int, bool]) -> bool:
    font = raw.FPDFTextObj_GetFont(target)
    if not font:
        return False
    address = ctypes.addressof(font.contents)
    if address not in fonts:
        buffer = ctypes.create_string_buffer(128)
        raw.FPDFFont_GetBaseFontName(font, buffer, 128)
        name = buffer.value.lower()
        fonts[address] = any(word in name for word in _BOLD_NAMES)
    return fonts[address]


def _twice(
    painted: dict[tuple[str, int, int], list[tuple[float, float, int]]],
    char: str,
    x: float,
    y: float,
    size: float,
    owner: int,
) -> bool:
    """Whether another text object painted the same character almost here (a tenth of its size away).

    Within one object PDFium reports the letters of a ligature with one box: those are no doubles.
    """
    grid = max(size, 1.0)
    near = 0.12 * grid
    column, row = int(x // grid), int(y // grid)
    for c in _cells(x / grid - column, column):
        for r in _cells(y / grid - row, row):
            for other_x, other_y, other in painted.get((char, c, r), ()):
                if other != owner and abs(other_x - x) < near and abs(other_y - y) < near:
                    return True
    painted.setdefault((char, column, row), []).append((x, y, owner))
    return False


def _cells(part: float, cell: int) -> tuple[int, ...]:
    """The cell of the grid, and its neighbour where the point lies within 0.12 of the border."""
    if part < 0.12:
        return cell, cell - 1
    return (cell, cell + 1) if part > 0.88 else (cell,)


def _normal(char: str) -> str:
    """Ligatures, Arabic forms and CJK radicals as the letters they stand for."""
    if len(char) > 1:
        return char
    code = ord(char)
    if (
        0xFB00 <= code <= 0xFDFF
        or 0xFE70 <= code <= 0xFEFC
        or 0x2E80 <= code <= 0x2FDF
        or 0xF900 <= code <= 0xFAFF
    ):
        return unicodedata.normalize("NFKC", char)
    return char
