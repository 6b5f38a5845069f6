"""PDFs made for tests: drawn with reportlab, and changed where no program would write them so."""

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import reportlab
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
_TEXT = "the quick brown fox jumps over lazy dogs while many clever readers look on and wait for more"
_WORDS = _TEXT.split()


def pdf(draw: Callable[[Canvas], None], **options: object) -> bytes:
    """A PDF of A4 pages."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, **options)  # pyright: ignore[reportArgumentType]
    draw(canvas)
    canvas.save()
    return out.getvalue()


def lines(
    canvas: Canvas,
    texts: Sequence[str],
    x: float = 72,
    y: float = 700,
    size: float = 10,
    font: str = "Helvetica",
) -> None:
    """Lines one below the other."""
    canvas.setFont(font, size)
    for i, text in enumerate(texts):
        canvas.drawString(x, y - i * size * 1.2, text)


def fill(start: int, count: int, words: int = 7) -> list[str]:
    """Lines of about equal width that can be told apart."""
    return [
        f"L{start + i:03d} " + " ".join(_WORDS[(i + j) % len(_WORDS)] for j in range(words))
        for i in range(count)
    ]


def embedded_font() -> str:
    """Name of a TrueType font, embedded with a map to Unicode (Bitstream Vera comes with reportlab)."""
    if "Vera" not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(TTFont("Vera", str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")))
    return "Vera"


def with_map(data: bytes, change: Callable[[str], str]) -> bytes:
    """The PDF with every code of its maps to Unicode (four hexadecimal digits) changed.

    Lengths stay as they are, so that the table of references holds.
    """

    def changed(stream: re.Match[bytes]) -> bytes:
        content = stream[2]
        if b"beginbfchar" not in content and b"beginbfrange" not in content:
            return stream[0]

        def one(code: re.Match[bytes]) -> bytes:
            return code[1] + b"<" + change(code[2].decode()).encode() + b">"

        return stream[1] + re.sub(rb"(<[0-9A-Fa-f]+>\s+)<([0-9A-Fa-f]{4})>", one, content) + stream[3]

    return re.sub(rb"(stream\r?\n)(.*?)(endstream)", changed, data, flags=re.DOTALL)
