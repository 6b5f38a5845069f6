"""Oblique text in PDFs: watermarks go out of the text and are named once, other oblique text stays whole."""

import re
from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing.pdf_files import HEIGHT, WIDTH, fill, lines, pdf

from refdesk.knowledge.parsing import Parsed, parse

MARK = "TOP SECRET"


def stamp(
    canvas: Canvas,
    text: str = MARK,
    *,
    angle: float = 45,
    size: float = 60,
    grey: float = 0.8,
    x: float = WIDTH / 2,
    y: float = HEIGHT / 2,
) -> None:
    """Text turned about its middle."""
    canvas.saveState()
    canvas.translate(x, y)
    canvas.rotate(angle)
    canvas.setFont("Helvetica", size)
    canvas.setFillGray(grey)
    canvas.drawCentredString(0, -size / 3, text)
    canvas.restoreState()


def read(pages: int, mark: Callable[[Canvas], None], *, first: bool = True) -> Parsed:
    """Pages of 30 full lines each, with something drawn before or after them."""

    def draw(canvas: Canvas) -> None:
        for n in range(pages):
            if first:
                mark(canvas)
            lines(canvas, fill(30 * n, 30, words=16), y=760)
            if not first:
                mark(canvas)
            canvas.showPage()

    return parse(pdf(draw), "a.pdf")


def chars(text: str) -> int:
    return len("".join(text.split()))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("angle", [45, 60, 20, -45, 135, 225])
@pytest.mark.parametrize("pages", [1, 3])
def test_a_watermark_is_taken_out_of_the_lines_it_crosses(pages: int, angle: float, first: bool) -> None:
    plain = read(pages, lambda _: None)
    parsed = read(pages, lambda canvas: stamp(canvas, angle=angle), first=first)
    assert [b.text for b in parsed.blocks] == [b.text for b in plain.blocks]
    assert parsed.meta["watermarks"] == [MARK]
    assert parsed.meta["running_chars"] == pages * chars(MARK)
    assert parsed.coverage == 1.0


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_watermark_on_pages_that_are_shown_turned_is_read_as_people_see_it(turn: int) -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(3):
            canvas.setPageRotation(turn)
            canvas.saveState()
            canvas.translate(*{90: (WIDTH, 0), 180: (WIDTH, HEIGHT), 270: (0, WIDTH)}[turn])
            canvas.rotate(turn)
            lines(canvas, fill(30 * n, 15), y=450)
            stamp(canvas, x=250, y=360)
            canvas.restoreState()
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.meta["watermarks"] == [MARK]
    assert re.findall(r"L\d{3}", parsed.text) == [f"L{30 * n + i:03d}" for n in range(3) for i in range(15)]
    assert "SECRET" not in parsed.text


def test_a_watermark_of_many_tiles_in_a_form_is_named_once() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.beginForm("mark")
        canvas.setFillAlpha(0.3)
        for x in range(80, 600, 130):
            for y in range(60, 840, 110):
                stamp(canvas, "Li Wei 0042", angle=30, size=12, grey=0, x=x, y=y)
        canvas.endForm()
        for n in range(2):
            lines(canvas, fill(30 * n, 30, words=16), y=760)
            canvas.doForm("mark")
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.meta["watermarks"] == ["Li Wei 0042"]
    assert "Wei" not in parsed.text
    assert parsed.coverage == 1.0


def test_oblique_labels_of_a_chart_stay_as_paragraphs_of_their_own() -> None:
    months = ("January", "February", "March", "April")

    def labels(canvas: Canvas) -> None:
        for i, month in enumerate(months):
            stamp(canvas, month, size=9, grey=0, x=120 + 60 * i, y=200)

    parsed = read(2, labels)
    assert "watermarks" not in parsed.meta
    assert [parsed.text.count(month) for month in months] == [2] * 4
    body = [b for b in parsed.blocks if re.search(r"L\d{3}", b.text)]
    assert not any(month in b.text for b in body for month in months)
    assert parsed.coverage == 1.0
    (box,) = next(b.boxes for b in parsed.blocks if b.text.startswith("January"))
    assert box.x0 < 120 < box.x1
    assert box.y0 < HEIGHT - 200 < box.y1


def test_pages_on_which_all_text_is_oblique_keep_it_in_order() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(2):
            canvas.saveState()
            canvas.rotate(15)
            lines(canvas, fill(10 * n, 10), x=150, y=500)
            canvas.restoreState()
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    assert re.findall(r"L\d{3}", parsed.text) == [f"L{i:03d}" for i in range(20)]
    assert "lazy dogs" in parsed.text
    assert "watermarks" not in parsed.meta


def test_level_and_sheared_letters_are_no_watermark() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(3):
            lines(canvas, fill(30 * n, 30, words=16), y=760)
            canvas.saveState()
            canvas.skew(0, 18)  # what programs do that have no italic font
            lines(canvas, [f"Slanted by shearing only {n}"], x=72, y=300)
            canvas.restoreState()
            lines(canvas, [f"Large and level {n}"], y=200, size=40)
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    assert "watermarks" not in parsed.meta
    assert [f"Slanted by shearing only {n}" in parsed.text for n in range(3)] == [True] * 3
    assert [f"Large and level {n}" in parsed.text for n in range(3)] == [True] * 3


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
@pytest.mark.parametrize("pages", [1, 3])
def test_a_faint_watermark_over_the_text_goes_though_it_is_level_or_upright(pages: int, angle: int) -> None:
    plain = read(pages, lambda _: None)
    parsed = read(pages, lambda canvas: stamp(canvas, angle=angle, y=600))
    assert [b.text for b in parsed.blocks] == [b.text for b in plain.blocks]
    assert parsed.meta["watermarks"] == [MARK]
    assert parsed.coverage == 1.0


@pytest.mark.parametrize("grey", [0, 0.6])
@pytest.mark.parametrize("angle", [0, 90])
def test_large_titles_stay_faint_or_not(angle: int, grey: float) -> None:
    """A title that comes back on each page, beside the text and not over it."""
    parsed = read(3, lambda canvas: stamp(canvas, "Plans", angle=angle, size=30, grey=grey, y=250))
    assert "watermarks" not in parsed.meta
    assert parsed.text.count("Plans") == 3
    assert parsed.coverage == 1.0


def test_a_faint_title_over_a_line_of_one_page_stays() -> None:
    parsed = read(1, lambda canvas: stamp(canvas, "Plans", angle=0, size=22, y=600))
    assert "watermarks" not in parsed.meta
    assert "Plans" in parsed.text
    assert parsed.coverage == 1.0
