"""A character on a page: the common ground of a text layer and of OCR."""

from dataclasses import dataclass


@dataclass(slots=True)
class Glyph:
    """A character with its box (origin top left, points), size, and whether a space stands before it."""

    char: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    space_before: bool
