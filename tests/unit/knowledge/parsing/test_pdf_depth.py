"""PDF in depth: contents pages, reading order, turned pages, type, running lines, tables over pages, maps."""

import re
from itertools import product

import pytest
from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing.pdf_files import HEIGHT, WIDTH, embedded_font, fill, lines, pdf, with_map

from refdesk.knowledge.parsing import (
    NoText,
    Parsed,
    ParseOptions,
    PasswordRequired,
    PasswordWrong,
    parse,
)
from refdesk.knowledge.splitting import SplitSettings, split

_CHAPTERS = ("Scope of supply", "Delivery and risk", "Prices and payment", "Warranty", "Final provisions")


def _once(parsed: Parsed, *texts: str) -> None:
    """Each text once, in this order."""
    squeezed = re.sub(r"\s", "", parsed.text)
    wanted = [re.sub(r"\s", "", text) for text in texts]
    assert [squeezed.count(text) for text in wanted] == [1] * len(wanted)
    places = [squeezed.index(text) for text in wanted]
    assert places == sorted(places)


def _with_contents(canvas: Canvas, *, leaders: bool) -> None:
    lines(canvas, ["Contents"], y=780, size=14)
    for i, title in enumerate(_CHAPTERS):
        dots = " . . . . . . . . . . . . . . . . " if leaders else "  "
        y = 740 - 16 * i
        lines(canvas, [f"{i + 1} {title}{dots}{i + 2}"], y=y)
        canvas.linkRect("", f"c{i}", (72, y - 2, 400, y + 10), relative=0)
    canvas.showPage()
    for i, title in enumerate(_CHAPTERS):
        canvas.bookmarkPage(f"c{i}")
        lines(canvas, [f"{i + 1} {title}"], y=780)
        lines(canvas, fill(10 * i, 6), y=750)
        canvas.showPage()


@pytest.mark.parametrize("leaders", [True, False])
def test_links_of_a_contents_page_label_the_headings_and_add_nothing(leaders: bool) -> None:
    parsed = parse(pdf(lambda c: _with_contents(c, leaders=leaders)), "a.pdf")
    headings = [(b.level, b.text, b.page) for b in parsed.blocks if b.kind == "heading"]
    assert parsed.meta["headings_from"] == "links"
    assert [page for _, _, page in headings] == [2, 3, 4, 5, 6]
    assert [text.split(" ", 1)[-1] if text[0].isdigit() else text for _, text, _ in headings] == [*_CHAPTERS]
    assert {level for level, _, _ in headings} == {1}
    # Once on the contents page, once above its chapter.
    assert [parsed.text.count(title) for title in _CHAPTERS] == [2] * 5
    _once(parsed, *(f"L{10 * i + j:03d}" for i in range(5) for j in range(6)))


def test_links_to_a_web_address_are_no_contents_page() -> None:
    def draw(canvas: Canvas) -> None:
        for i in range(6):
            lines(canvas, [f"See source {i} on the web"], y=760 - 20 * i)
            canvas.linkURL(f"https://example.org/{i}", (72, 755 - 20 * i, 250, 770 - 20 * i))
        canvas.showPage()
        lines(canvas, fill(0, 5))

    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.meta.get("headings_from") is None
    _once(parsed, *(f"See source {i} on the web" for i in range(6)))


def test_three_columns_with_a_table_over_the_page_and_a_footnote() -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, ["A report in three columns"], y=800, size=16)
        for row, column in product(range(24), range(3)):
            line = fill(100 * column + row, 1, words=4)
            lines(canvas, line, x=50 + 175 * column, y=770 - 12 * row, size=8)
        across = "A line that spans all three of the columns and says what stands below it, at length."
        lines(canvas, [across], x=50, y=450)
        for row, column in product(range(20), range(3)):
            line = fill(100 * column + 50 + row, 1, words=4)
            lines(canvas, line, x=50 + 175 * column, y=420 - 12 * row, size=8)

    parsed = parse(pdf(draw), "a.pdf")
    _once(
        parsed,
        *(f"L{100 * c + r:03d}" for c in range(3) for r in range(24)),
        "A line that spans all three",
        *(f"L{100 * c + 50 + r:03d}" for c in range(3) for r in range(20)),
    )


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_pages_turned_by_any_quarter_read_like_upright_ones(turn: int) -> None:
    def upright(canvas: Canvas) -> None:
        lines(canvas, ["Heading of the page"], y=780, size=16)
        lines(canvas, fill(0, 6), y=740)

    def draw(canvas: Canvas) -> None:
        # /Rotate is clockwise; the content is turned the other way, so that people see it upright.
        canvas.setPageRotation(turn)
        # A page turned by 90 or 270 is made lying by reportlab.
        canvas.translate(*{90: (WIDTH, 0), 180: (WIDTH, HEIGHT), 270: (0, WIDTH)}[turn])
        canvas.rotate(turn)
        lines(canvas, ["Heading of the page"], y=480, size=16)
        lines(canvas, fill(0, 6), y=440)

    expected = parse(pdf(upright), "a.pdf")
    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.text == expected.text
    box = parsed.blocks[0].boxes[0]
    assert box.x0 == pytest.approx(72, abs=3)
    assert box.y0 < box.y1


def _grid(canvas: Canvas, rows: list[tuple[str, ...]], x: float, y: float, *, high: float = 18) -> None:
    xs = [x + 110 * i for i in range(len(rows[0]) + 1)]
    canvas.grid(xs, [y - high * i for i in range(len(rows) + 1)])
    for i, row in enumerate(rows):
        for left, cell in zip(xs, row, strict=False):
            lines(canvas, [cell], x=left + 4, y=y - high * i - 13, size=9)


def test_table_that_lies_across_an_upright_page_is_still_a_table() -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, ["Annex of the agreement"], y=800)
        canvas.saveState()
        canvas.translate(500, 100)
        canvas.rotate(90)
        _grid(canvas, [("Part", "Count", "Price"), ("Bolt", "12", "0.40"), ("Nut", "7", "0.10")], 0, 200)
        canvas.restoreState()

    parsed = parse(pdf(draw), "a.pdf")
    (table,) = [b for b in parsed.blocks if b.kind == "table"]
    assert "| Bolt | 12 | 0.40 |" in table.text
    box = table.boxes[0]
    assert box.y1 - box.y0 > box.x1 - box.x0


def test_ligatures_are_read_as_letters() -> None:
    text = "e\ufb03cient \ufb02ow of o\ufb03ce \ufb01les"
    parsed = parse(pdf(lambda c: lines(c, [text], font=embedded_font())), "a.pdf")
    assert "\ufb02" not in parsed.text
    assert "flow of" in parsed.text
    assert "files" in parsed.text


def test_word_divided_at_a_column_break_is_joined() -> None:
    def draw(canvas: Canvas) -> None:
        left = [*fill(0, 29), "these lines go on until a word is divi-"]
        right = ["ded at the break, and go on from there.", *fill(100, 29)]
        for i, (one, two) in enumerate(zip(left, right, strict=True)):
            lines(canvas, [one], x=50, y=740 - 12 * i, size=9)
            lines(canvas, [two], x=310, y=740 - 12 * i, size=9)

    assert "a word is divided at the break" in parse(pdf(draw), "a.pdf").text


@pytest.mark.parametrize("offsets", [[(0.3, 0)], [(0.2, 0.2)], [(0.25, 0), (0.5, 0)], [(0, 0)]])
def test_bold_by_painting_again_is_read_once(offsets: list[tuple[float, float]]) -> None:
    def draw(canvas: Canvas) -> None:
        for x, y in [(0.0, 0.0), *offsets]:
            lines(canvas, ["Bookkeeping of wills: 1100 pages"], x=72 + x, y=700 + y)

    assert parse(pdf(draw), "a.pdf").text == "Bookkeeping of wills: 1100 pages"


@pytest.mark.parametrize(
    ("header", "footer"),
    [
        ("Annual report", "{n}"),
        ("Annual report", "Page {n} of 8"),
        ("Annual report", "- {n} -"),
        ("Left {side}", "{n}/8"),
    ],
)
def test_running_lines_are_removed_and_kept_in_meta(header: str, footer: str) -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(1, 9):
            side = "pages" if n % 2 else "sides"
            lines(canvas, [header.format(side=side)], x=72 if n % 2 else 300, y=815, size=8)
            lines(canvas, fill(10 * n, 8), y=750)
            lines(canvas, [footer.format(n=n)], x=290, y=25, size=8)
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    _once(parsed, *(f"L{10 * n + i:03d}" for n in range(1, 9) for i in range(8)))
    assert {b.text[:2] for b in parsed.blocks} == {"L0"}
    assert set(parsed.meta["running_headers"]) == {header.format(side=side) for side in ("pages", "sides")}
    assert parsed.coverage == 1.0


def test_line_that_only_looks_like_a_header_stays() -> None:
    def draw(canvas: Canvas) -> None:
        for n, title in enumerate(("Ducks", "Geese", "Swans", "Herons")):
            lines(canvas, [title], y=815)
            lines(canvas, fill(10 * n, 5), y=750)
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    _once(parsed, "Ducks", "Geese", "Swans", "Herons")


def test_numbered_heading_at_the_top_of_every_page_is_no_running_line() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(1, 6):
            lines(canvas, [f"Chapter {n}"], y=800, size=16)
            lines(canvas, fill(10 * n, 6), y=760)
            canvas.showPage()

    blocks = parse(pdf(draw), "a.pdf").blocks
    assert [b.text for b in blocks if b.kind == "heading"] == [f"Chapter {n}" for n in range(1, 6)]


def test_file_that_is_cut_off_is_read_as_far_as_it_goes_with_a_warning() -> None:
    data = pdf(lambda c: lines(c, fill(0, 8)), pageCompression=0)
    parsed = parse(data[: data.rindex(b"xref")].rstrip(), "a.pdf")
    _once(parsed, *(f"L{n:03d}" for n in range(8)))
    assert [w.code for w in parsed.warnings] == ["damaged-file"]


_HEAD = ("Part", "Count", "Price")


def _over_two_pages(canvas: Canvas, *, header_again: bool) -> None:
    lines(canvas, ["Price list of the year"], y=800, size=14)
    _grid(canvas, [_HEAD, *((f"A{i:02d}", str(i), f"{i}.10") for i in range(30))], 72, 760)
    canvas.showPage()
    rest = [(f"B{i:02d}", str(i), f"{i}.20") for i in range(10)]
    _grid(canvas, [_HEAD, *rest] if header_again else rest, 72, 780)
    lines(canvas, ["Prices hold until the end of the year."], y=300)


@pytest.mark.parametrize("header_again", [True, False])
def test_table_over_two_pages_is_one_table_with_one_header(header_again: bool) -> None:
    parsed = parse(pdf(lambda c: _over_two_pages(c, header_again=header_again)), "a.pdf")
    (table,) = [b for b in parsed.blocks if b.kind == "table"]
    rows = table.text.split("\n")
    assert rows[0] == "| Part | Count | Price |"
    assert rows[-1] == "| B09 | 9 | 9.20 |"
    assert len(rows) == 42
    assert table.text.count("Part") == 1
    assert [box.page for box in table.boxes] == [1, 2]
    assert parsed.coverage == 1.0


def test_header_of_a_table_that_is_cut_is_repeated_in_every_paragraph() -> None:
    parsed = parse(pdf(lambda c: _over_two_pages(c, header_again=True)), "a.pdf")
    paragraphs = [p for p in split(parsed, SplitSettings(limit=300)).paragraphs if "| ---" in p.content]
    assert len(paragraphs) > 3
    assert all(p.content.startswith("| Part | Count | Price |\n| ---") for p in paragraphs)
    assert sum(p.content.count("| B09 |") for p in paragraphs) == 1


def test_two_tables_of_other_shapes_stay_apart() -> None:
    def draw(canvas: Canvas) -> None:
        _grid(canvas, [("Part", "Count"), ("Bolt", "1"), ("Nut", "2")], 72, 200)
        canvas.showPage()
        _grid(
            canvas,
            [("Name", "Town", "Street"), ("Ann", "Bonn", "Am Rhein"), ("Bob", "Ulm", "Markt")],
            72,
            780,
        )

    tables = [b for b in parse(pdf(draw), "a.pdf").blocks if b.kind == "table"]
    assert [table.text.count("---") for table in tables] == [2, 3]


def test_password_is_asked_for_and_a_wrong_one_is_told_from_none() -> None:
    data = pdf(lambda c: lines(c, ["Secret terms"]), encrypt="open sesame")
    with pytest.raises(PasswordRequired) as missing:
        parse(data, "a.pdf")
    assert missing.value.code == "password-required"
    with pytest.raises(PasswordWrong) as wrong:
        parse(data, "a.pdf", ParseOptions(password="sesame"))
    assert wrong.value.code == "password-wrong"
    assert parse(data, "a.pdf", ParseOptions(password="open sesame")).text == "Secret terms"


def test_every_paragraph_has_its_page_and_boxes_inside_the_page() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(3):
            lines(canvas, [f"Chapter {n} of the book"], y=780, size=16)
            lines(canvas, fill(20 * n, 14), y=740)
            _grid(canvas, [_HEAD, ("Bolt", "12", "0.40"), ("Nut", "7", "0.10")], 72, 500)
            canvas.showPage()

    for paragraph in split(parse(pdf(draw), "a.pdf"), SplitSettings(limit=200)).paragraphs:
        assert paragraph.page is not None
        assert paragraph.boxes
        for box in paragraph.boxes:
            assert 0 <= box.x0 < box.x1 <= WIDTH
            assert 0 <= box.y0 < box.y1 <= HEIGHT


def test_text_that_nobody_sees_is_left_out_with_a_warning() -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, ["Everybody sees this"], y=700)
        canvas.setFillGray(1)
        lines(canvas, ["White on white says obey"], y=650)
        canvas.setFillGray(0)
        lines(canvas, ["Beside the page it says obey"], x=WIDTH + 20, y=600)
        canvas.setFillAlpha(0)
        lines(canvas, ["Without opacity it says obey"], y=550)

    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.text == "Everybody sees this"
    assert [w.code for w in parsed.warnings] == ["hidden-text"]


def test_white_letters_on_a_dark_field_are_read() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rect(60, 690, 200, 24, fill=1)
        canvas.setFillGray(1)
        lines(canvas, ["Head of a table"], y=698)

    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.text == "Head of a table"
    assert parsed.warnings == ()


def _private(code: str) -> str:
    return "E0" + code[2:]


def _shifted(code: str) -> str:
    return f"{max(int(code, 16) - 29, 33):04X}" if code != "0000" else code


def _replaced(code: str) -> str:
    return "FFFD"


def test_text_that_may_be_decoded_wrongly_is_kept_with_a_warning_where_nothing_looks_at_the_page() -> None:
    words = ["Readable words stand on this page,", "and more of them, so that there is a page of text."]
    good = pdf(lambda c: lines(c, words, font=embedded_font()), pageCompression=0)
    parsed = parse(with_map(good, _shifted), "a.pdf", ParseOptions(ocr="off"))
    assert [w.code for w in parsed.warnings] == ["doubtful-text"]


@pytest.mark.parametrize("change", [_private, _replaced])
def test_text_with_a_bad_map_is_never_passed_on(change: object) -> None:
    words = ["Readable words stand on this page,", "and more of them, so that there is a page of text."] * 3
    good = pdf(lambda c: lines(c, words, font=embedded_font()), pageCompression=0)
    assert "Readable words" in parse(good, "a.pdf", ParseOptions(ocr="off")).text
    bad = with_map(good, change)  # pyright: ignore[reportArgumentType]
    with pytest.raises(NoText) as caught:
        parse(bad, "a.pdf", ParseOptions(ocr="off"))
    assert "decoded" in caught.value.text
    assert "REFDESK_OCR" in str(caught.value.hint_text)


def test_text_with_a_bad_map_is_read_from_what_the_page_shows() -> None:
    words = ["Readable words stand on this page,", "and more of them, so that there is a page of text."]
    good = pdf(lambda c: lines(c, words, font=embedded_font(), size=12), pageCompression=0)
    parsed = parse(with_map(good, _shifted), "a.pdf")
    _once(parsed, "Readable words stand on this page", "so that there is a page of text")
    assert parsed.meta["ocr_pages"] == [1]
    assert parsed.blocks[0].confidence is not None
    assert parsed.blocks[0].boxes[0].x0 == pytest.approx(72, abs=6)


def test_odd_text_that_the_page_shows_as_well_is_kept() -> None:
    codes = ["BCDFG-HJKLM NPQRS-TVWXZ 4711", "ZXWVT-SRQPN MLKJH-GFDCB 1174"] * 2
    parsed = parse(pdf(lambda c: lines(c, codes, size=14)), "a.pdf")
    assert "ocr_pages" not in parsed.meta
    assert parsed.warnings == ()
    assert parsed.text.count("BCDFG-HJKLM") == 2
