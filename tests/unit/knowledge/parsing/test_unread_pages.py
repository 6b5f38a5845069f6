"""Pages that nobody read weigh in the coverage like an average page of the file."""

import io
import re

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing.pdf_files import HEIGHT, WIDTH, embedded_font, fill, lines, pdf, with_map

from refdesk.knowledge.parsing import ParseOptions, parse
from refdesk.knowledge.repository import LEAST_COVERAGE

_OFF = ParseOptions(ocr="off")


def _scan(canvas: Canvas) -> None:
    picture = Image.new("RGB", (400, 560), "white")
    ImageDraw.Draw(picture).text((40, 40), "Scanned words that stand on paper", fill="black")
    canvas.drawImage(ImageReader(picture), 0, 0, WIDTH, HEIGHT)


@pytest.mark.parametrize(("texts", "scans", "blanks"), [(1, 9, 0), (3, 1, 2), (2, 0, 3)])
def test_scans_that_ocr_did_not_read_count_as_missing(texts: int, scans: int, blanks: int) -> None:
    def draw(canvas: Canvas) -> None:
        for i in range(texts):
            lines(canvas, fill(i * 20, 20))
            canvas.showPage()
        for _ in range(scans):
            _scan(canvas)
            canvas.showPage()
        for _ in range(blanks):
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf", _OFF)
    assert parsed.coverage == pytest.approx(texts / (texts + scans), abs=0.01)
    assert (parsed.coverage < LEAST_COVERAGE) == (scans > 0)


def test_pages_whose_text_cannot_be_decoded_count_as_missing() -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, fill(0, 20))
        canvas.showPage()
        lines(canvas, fill(20, 20), font=embedded_font())

    data = with_map(pdf(draw, pageCompression=0), lambda code: "FFFD")
    parsed = parse(data, "a.pdf", _OFF)
    assert [warning.code for warning in parsed.warnings] == ["unreadable-text"]
    assert parsed.coverage == pytest.approx(0.5, abs=0.01)


def test_damaged_pages_count_as_missing() -> None:
    def draw(canvas: Canvas) -> None:
        for i in range(4):
            lines(canvas, fill(i * 20, 20))
            canvas.showPage()

    data = pdf(draw, pageCompression=0)
    kids = re.search(rb"/Kids \[ (\d+) 0 R (\d+) 0 R", data)
    assert kids is not None
    page = re.search(rb"\n%s 0 obj\n<<.*?/Type /Page\b" % kids[2], data, re.DOTALL)
    assert page is not None
    damaged = data[: page.end() - 4] + b"Xage" + data[page.end() :]
    parsed = parse(damaged, "a.pdf", _OFF)
    assert {warning.code for warning in parsed.warnings} == {"damaged-page"}
    assert parsed.coverage == pytest.approx(0.75, abs=0.01)


def test_frames_of_a_picture_beyond_the_limit_count_as_missing() -> None:
    frames = [Image.new("RGB", (900, 300), "white") for _ in range(3)]
    for frame in frames:
        ImageDraw.Draw(frame).text((40, 100), "Return within seven days", fill="black", font_size=48)
    out = io.BytesIO()
    frames[0].save(out, "TIFF", save_all=True, append_images=frames[1:])
    parsed = parse(out.getvalue(), "a.tiff", ParseOptions(max_ocr_pages=1))
    assert parsed.coverage == pytest.approx(1 / 3, abs=0.02)
