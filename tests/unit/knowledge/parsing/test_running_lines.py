"""Running lines: what comes back beside text that differs goes, and no page loses its text to the rule."""

import re

import pytest
from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing.pdf_files import fill, lines, pdf

from refdesk.knowledge.parsing import Parsed, parse


def _pages(count: int, texts: list[str], *, step: float = 20, y: float = 800) -> Parsed:
    """Pages whose lines differ by the number of the page only."""

    def draw(canvas: Canvas) -> None:
        for n in range(1, count + 1):
            for i, text in enumerate(texts):
                lines(canvas, [text.format(n=n)], y=y - step * i)
            canvas.showPage()

    return parse(pdf(draw), "a.pdf")


@pytest.mark.parametrize("count", [2, 3, 60])
@pytest.mark.parametrize("step", [13, 20, 60])
@pytest.mark.parametrize(
    "texts",
    [
        ["Words of page {n}, which end here."],
        ["Section {n}", "Amount due {n}", "See page {n} for more of these words."],
        ["Name: Person {n}", "Badge: 00{n}", "Valid until 2027"],
        ["Section {n}", *(f"{{n}}.{k} The customer may return the goods in time" for k in range(3))],
        ["The same text on each page.", "And another line of the same text."],
    ],
)
def test_short_pages_that_are_nearly_equal_keep_all_their_text(
    texts: list[str], step: float, count: int
) -> None:
    parsed = _pages(count, texts, step=step)
    squeezed = re.sub(r"\s", "", parsed.text)
    for n in range(1, count + 1):
        for text in texts:
            assert re.sub(r"\s", "", text.format(n=n)) in squeezed
    assert len(squeezed) == sum(
        len(re.sub(r"\s", "", t.format(n=n))) for t in texts for n in range(1, count + 1)
    )
    assert parsed.meta.get("running_chars") is None


def test_line_that_counts_the_pages_goes_only_where_it_stands_apart() -> None:
    def draw(canvas: Canvas, gap: float) -> None:
        for n in range(1, 9):
            lines(canvas, [f"Sheet {n} of the survey"], y=815)
            lines(canvas, fill(10 * n, 8), y=815 - gap)
            canvas.showPage()

    assert "survey" not in parse(pdf(lambda c: draw(c, 40)), "a.pdf").text
    assert parse(pdf(lambda c: draw(c, 12)), "a.pdf").text.count("survey") == 8


def test_header_of_two_lines_goes_with_both() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(1, 9):
            lines(canvas, [f"Record {n} of the archive", "Town council"], y=815)
            lines(canvas, fill(10 * n, 8), y=770)
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    assert "archive" not in parsed.text
    assert "council" not in parsed.text
    assert parsed.meta["running_chars"] == sum(
        len(re.sub(r"\s", "", f"Record {n} of the archive Town council")) for n in range(1, 9)
    )
    assert parsed.coverage == 1.0


def test_page_with_nothing_but_its_header_keeps_it() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(1, 9):
            lines(canvas, ["Town council"], y=815)
            if n != 4:
                lines(canvas, fill(10 * n, 8), y=770)
            lines(canvas, [str(n)], x=290, y=25)
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    assert [b.page for b in parsed.blocks if "council" in b.text] == [4]
    assert not any(re.fullmatch(r"\d", b.text) for b in parsed.blocks)


def test_footer_of_many_slides_goes_though_they_say_little() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(1, 30):
            lines(canvas, [" ".join(f"w{n * k}" for k in range(3, 14))], y=500, size=20)
            lines(canvas, ["Confidential, 2024"], y=20, size=8)
            canvas.showPage()

    assert "Confidential" not in parse(pdf(draw), "a.pdf").text
