"""PDF tables whose header has two rows: names over groups of columns join the names below them."""

from collections.abc import Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing.pdf_files import lines, pdf

from refdesk.knowledge.parsing import Parsed, parse
from refdesk.knowledge.parsing.layout.headers import groups_over
from refdesk.knowledge.splitting import SplitSettings, split

X, WIDE, HIGH = 60, 95, 18
NAMES = ("", "Units", "Price", "Units", "Price")
BODY = [(f"Part {i:02d}", f"{i}", f"{i}.10", f"{i + 7}", f"{i}.40") for i in range(12)]
JOINED = "| Article | 2023 / Units | 2023 / Price | 2024 / Units | 2024 / Price |"


def ruled(canvas: Canvas, y: float, body: Sequence[Sequence[str]]) -> None:
    """Two header rows with lines: `Article` over both, two years over two columns each."""
    right, rows = X + 5 * WIDE, 2 + len(body)
    canvas.line(X, y, right, y)
    canvas.line(X + WIDE, y - HIGH, right, y - HIGH)
    for i in range(2, rows + 1):
        canvas.line(X, y - i * HIGH, right, y - i * HIGH)
    for column, top in ((0, 0), (1, 0), (2, 1), (3, 0), (4, 1), (5, 0)):
        canvas.line(X + column * WIDE, y - top * HIGH, X + column * WIDE, y - rows * HIGH)
    lines(canvas, ["Article"], x=X + 4, y=y - HIGH - 3, size=9)
    lines(canvas, ["2023"], x=X + 1.9 * WIDE, y=y - 13, size=9)
    lines(canvas, ["2024"], x=X + 3.9 * WIDE, y=y - 13, size=9)
    for i, row in enumerate([NAMES, *body]):
        for column, text in enumerate(row):
            lines(canvas, [text], x=X + column * WIDE + 4, y=y - (i + 1) * HIGH - 13, size=9)


def plain(canvas: Canvas, y: float, body: Sequence[Sequence[str]], *, middle: bool) -> None:
    """The same without lines."""
    for start, year in ((1, "2023"), (3, "2024")):
        x = X + (start + 0.4) * WIDE if middle else X + start * WIDE
        lines(canvas, [year], x=x, y=y, size=9)
    for i, row in enumerate([("Article", *NAMES[1:]), *body]):
        for column, text in enumerate(row):
            lines(canvas, [text], x=X + column * WIDE, y=y - (i + 1) * HIGH, size=9)


def table_of(parsed: Parsed) -> list[str]:
    (table,) = [block for block in parsed.blocks if block.kind == "table"]
    return table.text.split("\n")


def test_both_header_rows_of_a_ruled_table_are_its_header() -> None:
    parsed = parse(pdf(lambda canvas: ruled(canvas, 760, BODY)), "a.pdf")
    rows = table_of(parsed)
    assert rows[0] == JOINED
    assert rows[2] == "| Part 00 | 0 | 0.10 | 7 | 0.40 |"
    assert len(rows) == 2 + len(BODY)
    assert parsed.coverage == 1.0


@pytest.mark.parametrize("middle", [True, False])
def test_both_header_rows_of_a_table_without_lines_are_its_header(middle: bool) -> None:
    parsed = parse(pdf(lambda canvas: plain(canvas, 760, BODY, middle=middle)), "a.pdf")
    rows = table_of(parsed)
    assert rows[0] == JOINED
    assert rows[2] == "| Part 00 | 0 | 0.10 | 7 | 0.40 |"
    assert len(rows) == 2 + len(BODY)
    assert parsed.coverage == 1.0


def test_the_joined_header_is_repeated_where_the_table_is_cut() -> None:
    parsed = parse(pdf(lambda canvas: ruled(canvas, 760, BODY)), "a.pdf")
    paragraphs = split(parsed, SplitSettings(limit=300)).paragraphs
    assert len(paragraphs) > 2
    assert all(paragraph.content.startswith(f"{JOINED}\n| --- ") for paragraph in paragraphs)
    shown = [line for p in paragraphs for line in p.content.split("\n") if line.startswith("| Part")]
    assert shown == table_of(parsed)[2:]


@pytest.mark.parametrize("header_again", [True, False])
def test_a_table_with_two_header_rows_goes_on_over_the_page(header_again: bool) -> None:
    def draw(canvas: Canvas) -> None:
        ruled(canvas, 760, BODY)
        canvas.showPage()
        if header_again:
            ruled(canvas, 780, BODY)
            return
        xs = [X + i * WIDE for i in range(6)]
        canvas.grid(xs, [780 - i * HIGH for i in range(len(BODY) + 1)])
        for i, row in enumerate(BODY):
            for column, text in enumerate(row):
                lines(canvas, [text], x=X + column * WIDE + 4, y=780 - i * HIGH - 13, size=9)

    rows = table_of(parse(pdf(draw), "a.pdf"))
    assert rows[0] == JOINED
    assert len(rows) == 2 + 2 * len(BODY)


def test_first_rows_of_a_body_with_merged_cells_stay_rows() -> None:
    """A page that begins inside a table: its first cells lie over two rows, or hold values."""

    def draw(canvas: Canvas) -> None:
        canvas.line(X, 760, X + 3 * WIDE, 760)
        canvas.line(X + WIDE, 742, X + 3 * WIDE, 742)
        for y in (724, 706):
            canvas.line(X, y, X + 3 * WIDE, y)
        for column in range(4):
            canvas.line(X + column * WIDE, 760, X + column * WIDE, 706)
        for x, y, text in (
            (0, 747, "North"), (1, 747, "Ann"), (2, 747, "Bonn"),
            (1, 729, "Bob"), (2, 729, "Ulm"),
            (0, 711, "South"), (1, 711, "Eve"), (2, 711, "Rom"),
        ):  # fmt: skip
            lines(canvas, [text], x=X + x * WIDE + 4, y=y, size=9)

    rows = table_of(parse(pdf(draw), "a.pdf"))
    assert [row for row in rows if "---" not in row] == [
        "| North | Ann | Bonn |",
        "|  | Bob | Ulm |",
        "| South | Eve | Rom |",
    ]


def test_labels_take_the_columns_they_stand_over() -> None:
    columns = [(float(x), float(x + 40)) for x in range(0, 700, 100)]
    # In the middle of columns 1-3 and 4-6; the first column has no group.
    assert groups_over([(210, 230), (510, 530)], columns) == [(1, 3), (4, 6)]
    # At the left edge of the same.
    assert groups_over([(100, 130), (400, 430)], columns) == [(1, 3), (4, 6)]
    assert groups_over([(900, 930)], columns) is None
