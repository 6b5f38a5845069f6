"""Pictures and scans: what is read, where it stands, what is refused, and what it may cost."""

import base64
import io
import struct
import sys
import threading
import zlib
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing.pdf_files import HEIGHT, WIDTH, fill, lines, pdf

from refdesk.knowledge.parsing import (
    CorruptFile,
    NoText,
    ParseMemory,
    ParseOptions,
    ParseTimeout,
    PictureTooLarge,
    limited,
    parse,
    parse_in_subprocess,
    parse_limited,
)
from refdesk.knowledge.parsing.ocr import Allowance, allowance, allowing, read_image_text

_OFF = ParseOptions(ocr="off")
_CHINESE = (Path(__file__).with_name("pictures") / "chinese.png").read_bytes()


def _picture(texts: Sequence[str], size: tuple[int, int] = (420, 60), letters: int = 22) -> Image.Image:
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    for i, text in enumerate(texts):
        draw.text((16, 14 + 2 * letters * i), text, "black", ImageFont.load_default(letters))
    return picture


def _saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def test_chinese_and_english_are_read_letter_by_letter() -> None:
    parsed = parse(_CHINESE, "a.png")
    assert parsed.kind == "image"
    assert "第三条付款方式" in parsed.text
    assert (
        "甲方应于收到发票后30日内支付合同总价的20%，逾期付款的，每日按未付金额的0.05%支付违约金。"
        in parsed.text
    )
    assert "繁體中文：電腦與網絡設備" in parsed.text
    assert "Contact: service@example.org" in parsed.text
    assert parsed.meta["confidence_score"] > 0.95
    assert all(block.confidence and block.pictures for block in parsed.blocks)
    box = parsed.blocks[0].boxes[0]
    assert (box.page, box.x0, box.y0) == (1, pytest.approx(19, abs=6), pytest.approx(20, abs=8))


@pytest.mark.parametrize("kind", ["JPEG", "WEBP", "BMP", "GIF", "TIFF"])
def test_every_format_is_told_by_its_content_and_read(kind: str) -> None:
    parsed = parse(_saved(_picture(["Invoice number 4711"]), kind), "a.bin")
    assert parsed.text == "Invoice number 4711"
    assert parsed.meta["format"] == kind.lower()


def test_picture_with_transparent_paper_is_read() -> None:
    letters = Image.new("L", (420, 60), 0)
    ImageDraw.Draw(letters).text((16, 14), "Seen on any paper", 255, ImageFont.load_default(22))
    picture = Image.new("RGBA", (420, 60), (0, 0, 0, 0))
    picture.paste((10, 10, 10, 255), mask=letters)
    assert parse(_saved(picture, "PNG"), "a.png").text == "Seen on any paper"


def test_photograph_is_turned_as_its_camera_meant_it_and_boxes_follow() -> None:
    upright = _picture(["Turned by the camera"], (420, 200))
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held so that the picture must be turned clockwise to stand upright
    stored = upright.rotate(90, expand=True)
    parsed = parse(_saved(stored, "JPEG", exif=exif, quality=95), "a.jpg")
    assert parsed.text == "Turned by the camera"
    assert parsed.meta["page_sizes"] == [[420, 200]]
    box = parsed.blocks[0].boxes[0]
    assert box.x0 == pytest.approx(16, abs=6)
    assert box.y1 < 60


def test_picture_that_stands_on_its_side_is_read_and_boxes_are_on_the_picture_as_it_is() -> None:
    sentences = ["A first line that is long enough", "A second line that is long enough"]
    picture = _picture(sentences, (460, 130)).rotate(90, expand=True)
    parsed = parse(_saved(picture, "PNG"), "a.png")
    assert parsed.text == " ".join(sentences)
    box = parsed.blocks[0].boxes[0]
    assert 0 <= box.x0 < box.x1 <= 130
    assert box.y1 - box.y0 > 250


def test_every_page_of_a_tiff_is_read_and_told() -> None:
    frames = [_picture([f"Page number {word}"]) for word in ("one", "two", "three")]
    data = _saved(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    told: list[tuple[int, int]] = []
    parsed = parse_limited(data, "scan.tif", on_progress=lambda *counts: told.append(counts))
    assert [(b.page, b.text.split()[-1]) for b in parsed.blocks] == [(1, "one"), (2, "two"), (3, "three")]
    assert parsed.meta["ocr_pages"] == [1, 2, 3]
    assert told[-1] == (3, 3)


def test_picture_without_text_says_so() -> None:
    with pytest.raises(NoText) as caught:
        parse(_saved(Image.new("RGB", (300, 200), "white"), "PNG"), "a.png")
    assert "picture" in caught.value.text
    with pytest.raises(NoText) as off:
        parse(_CHINESE, "a.png", _OFF)
    assert "REFDESK_OCR" in str(off.value.hint_text)


def test_texture_is_not_taken_for_text() -> None:
    noise = np.random.default_rng(7).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    with pytest.raises(NoText):
        parse(_saved(Image.fromarray(noise), "PNG"), "a.png")


def _png_header(wide: int, high: int) -> bytes:
    def chunk(name: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        )

    head = struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\0" * 100_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(60_000, 60_000), (20_000, 10)])
def test_picture_that_unpacks_to_too_much_is_refused_by_its_header(size: tuple[int, int]) -> None:
    with pytest.raises(PictureTooLarge):
        parse(_png_header(*size), "a.png")


def test_picture_that_is_cut_off_is_reported() -> None:
    data = _saved(_picture(["Invoice number 4711"]), "JPEG")
    with pytest.raises(CorruptFile):
        parse(data[: len(data) // 2], "a.jpg")


def test_long_screenshot_is_read_in_strips() -> None:
    words = [f"Line {n} of a long screenshot" for n in range(40)]
    parsed = parse(_saved(_picture(words, (420, 1900)), "PNG"), "a.png")
    assert [n for n in range(40) if f"Line {n} of" not in parsed.text] == []


def _place(canvas: Canvas, picture: Image.Image, box: tuple[float, float, float, float]) -> None:
    canvas.drawImage(ImageReader(picture), *box)


def _scan(canvas: Canvas, texts: Sequence[str]) -> None:
    """A page that is one picture, at 100 dpi."""
    _place(canvas, _picture(texts, (827, 1169), letters=18), (0, 0, WIDTH, HEIGHT))


def test_scanned_page_is_read_beside_pages_with_text() -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, fill(0, 5))
        canvas.showPage()
        _scan(canvas, ["This page is a picture of a letter.", "It ends with this line."])

    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.meta["ocr_pages"] == [2]
    assert "This page is a picture of a letter. It ends with this line." in parsed.text
    assert [block.confidence is None for block in parsed.blocks] == [True, False]
    assert parsed.coverage == 1.0
    box = parsed.blocks[1].boxes[0]
    assert (box.page, box.x0) == (2, pytest.approx(16 * 0.72, abs=6))
    assert box.y1 < 80
    assert parsed.warnings == ()


def test_pages_beyond_the_limit_are_named() -> None:
    def draw(canvas: Canvas) -> None:
        for word in ("first", "second", "third"):
            _scan(canvas, [f"This is the {word} page"])
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf", ParseOptions(max_ocr_pages=1))
    assert parsed.text == "This is the first page"
    assert [w.code for w in parsed.warnings] == ["pages-without-text", "ocr-skipped"]
    assert "2, 3" in parsed.warnings[1].message
    assert "REFDESK_OCR_MAX_PAGES" in parsed.warnings[1].message


def test_page_with_a_text_layer_behind_the_scan_is_not_read_again() -> None:
    def draw(canvas: Canvas) -> None:
        _scan(canvas, ["What the scanner saw"])
        layer = canvas.beginText(12, HEIGHT - 25)
        layer.setFont("Helvetica", 13)
        layer.setTextRenderMode(3)
        layer.textLine("What the layer says")
        canvas.drawText(layer)

    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.text == "What the layer says"
    assert parsed.meta["text_layer_pages"] == [1]
    assert "ocr_pages" not in parsed.meta


def test_stamp_on_a_scan_does_not_hide_the_scan() -> None:
    def draw(canvas: Canvas) -> None:
        _scan(canvas, ["The scanned part of the page"])
        lines(canvas, ["Received 12 May"], x=300, y=400, size=14)

    text = parse(pdf(draw), "a.pdf").text
    assert text.count("The scanned part of the page") == 1
    assert text.count("Received 12 May") == 1


def test_pictures_on_pages_with_text_are_read_where_everything_is_to_be() -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, fill(0, 12), y=780)
        _place(canvas, _picture(["Only in the figure"], letters=28), (72, 400, 300, 43))

    data = pdf(draw)
    assert "figure" not in parse(data, "a.pdf").text
    everything = parse(data, "a.pdf", ParseOptions(ocr="always")).text
    assert everything.count("Only in the figure") == 1
    assert [everything.count(f"L{n:03d}") for n in range(12)] == [1] * 12


def test_scan_that_leans_is_read_and_its_boxes_lie_on_the_lines() -> None:
    words = [f"Line {n} of a page that leans to one side, as scans do" for n in range(6)]
    picture = _picture(words, (827, 500), letters=18).rotate(-2, fillcolor="white", expand=False)
    parsed = parse(_saved(picture, "PNG"), "a.png")
    assert parsed.text == " ".join(words)
    box = parsed.blocks[0].boxes[0]
    assert box.y0 < 40
    assert box.y1 > 190


def test_columns_of_a_scan_are_read_one_after_the_other() -> None:
    words = ("apple", "bread", "cherry", "dates", "eggs", "flour", "grapes", "honey")
    picture = Image.new("RGB", (900, 260), "white")
    draw = ImageDraw.Draw(picture)
    for n, word in enumerate(words):
        for x, side in ((20, "left"), (440, "right")):
            text = f"On the {side} they write of {word} at length"
            draw.text((x, 10 + 28 * n), text, "black", ImageFont.load_default(20))
    text = parse(_saved(picture, "PNG"), "a.png").text
    places = [text.index(f"the {side} they write of {word}") for side in ("left", "right") for word in words]
    assert places == sorted(places)


def test_light_letters_on_a_dark_ground_are_read() -> None:
    picture = Image.new("RGB", (560, 140), (20, 20, 24))
    draw = ImageDraw.Draw(picture)
    draw.text((20, 20), "def main(argv: list) -> int:", (220, 220, 220), ImageFont.load_default(20))
    draw.text((20, 80), "ERROR 504 timeout", (255, 90, 90), ImageFont.load_default(20))
    parsed = parse(_saved(picture, "PNG"), "a.png")
    assert [b.text for b in parsed.blocks] == ["def main(argv: list) -> int:", "ERROR 504 timeout"]


def test_ruled_table_of_a_scan_becomes_markdown() -> None:
    picture = Image.new("RGB", (700, 300), "white")
    draw = ImageDraw.Draw(picture)
    rows = [("Part", "Count", "Price"), ("Bolt M8", "120", "0.40"), ("Nut M8", "70", "0.15")]
    for i in range(4):
        draw.line((40, 40 + 60 * i, 640, 40 + 60 * i), "black", 2)
        draw.line((40 + 200 * i, 40, 40 + 200 * i, 220), "black", 2)
    for i, row in enumerate(rows):
        for k, cell in enumerate(row):
            draw.text((60 + 200 * k, 56 + 60 * i), cell, "black", ImageFont.load_default(24))
    (table,) = parse(_saved(picture, "PNG"), "a.png").blocks
    assert table.kind == "table"
    assert table.text.split("\n") == [
        "| Part | Count | Price |",
        "| --- | --- | --- |",
        "| Bolt M8 | 120 | 0.40 |",
        "| Nut M8 | 70 | 0.15 |",
    ]


def test_text_of_a_picture_inside_a_file_is_given_once() -> None:
    data = _saved(_picture(["Inside a document"]), "PNG")
    options = ParseOptions()
    with allowing(options):
        first = read_image_text(data, options)
        assert first is not None
        assert first.text == "Inside a document"
        assert first.confidence > 0.9
        assert read_image_text(data, options) is None
        assert allowance(options).read == 1


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (b"not a picture at all" * 20, ParseOptions()),
        (_saved(Image.new("RGB", (12, 12), "red"), "BMP"), ParseOptions()),
        (_png_header(60_000, 60_000), ParseOptions()),
        (_CHINESE, _OFF),
        (_CHINESE, ParseOptions(max_ocr_pages=0)),
    ],
)
def test_picture_inside_a_file_that_gives_no_text_gives_none(data: bytes, options: ParseOptions) -> None:
    assert read_image_text(data, options) is None


def test_archive_and_its_members_share_one_allowance() -> None:
    options = ParseOptions(max_ocr_pages=1)
    with allowing(options), allowing(options) as inner:
        assert read_image_text(_CHINESE, options) is not None
        assert not inner.is_left


def test_pictures_of_a_document_beyond_the_limit_are_counted() -> None:
    tags = "".join(
        f'<img src="data:image/png;base64,{base64.b64encode(_saved(_picture([word]), "PNG")).decode()}">'
        for word in ("First picture", "Second picture", "Third picture")
    )
    page = f"<!DOCTYPE html><html><body><p>Some text</p>{tags}</body></html>".encode()
    parsed = parse(page, "a.html", ParseOptions(max_ocr_pages=1))
    assert "First picture" in parsed.text
    assert "Second" not in parsed.text
    assert [(w.code, w.message[:11]) for w in parsed.warnings] == [("ocr-skipped", "2 pictures ")]


def _busy(monkeypatch: pytest.MonkeyPatch, *, cpu: float, wall: float) -> None:
    """Let each look at the clocks find them so many seconds later."""
    clocks = SimpleNamespace(
        process_time=partial(next, count(0.0, cpu)), monotonic=partial(next, count(0.0, wall))
    )
    monkeypatch.setattr(sys.modules[Allowance.__module__], "time", clocks)


_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MANY = _picture([f"Line {word} of many more" for word in _WORDS], (420, 580))


def test_page_is_read_whole_where_the_machine_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    _busy(monkeypatch, cpu=0.1, wall=40)
    parsed = parse(_saved(_MANY, "PNG"), "a.png")
    assert "Line one" in parsed.text
    assert "Line twelve" in parsed.text
    assert not parsed.warnings
    assert parsed.coverage == 1.0


@pytest.mark.parametrize(("cpu", "wall"), [(70.0, 0.1), (0.1, 301.0)])
def test_lines_that_were_found_but_not_read_count_as_lost(
    monkeypatch: pytest.MonkeyPatch, cpu: float, wall: float
) -> None:
    whole = parse(_saved(_MANY, "PNG"), "a.png")
    _busy(monkeypatch, cpu=cpu, wall=wall)
    parsed = parse(_saved(_MANY, "PNG"), "a.png")
    assert [w.code for w in parsed.warnings] == ["ocr-incomplete"]
    assert "page 1" not in parsed.warnings[0].message
    assert 0.3 < parsed.coverage < 0.9
    assert parsed.extracted_chars == pytest.approx(whole.extracted_chars, rel=0.2)
    assert parsed.meta["confidence_score"] < 0.9


def test_lines_of_a_scan_and_of_a_picture_that_were_not_read_count_as_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = _saved(_MANY, "PNG")
    tag = f'<img src="data:image/png;base64,{base64.b64encode(data).decode()}">'
    html = f"<!DOCTYPE html><html><body><p>Some text</p>{tag}</body></html>".encode()
    scan = pdf(lambda canvas: _place(canvas, _MANY, (40, 200, 420, 580)))
    _busy(monkeypatch, cpu=70.0, wall=0.1)
    for file, name in ((html, "a.html"), (scan, "a.pdf")):
        parsed = parse(file, name)
        assert [w.code for w in parsed.warnings] == ["ocr-incomplete"]
        assert 0.3 < parsed.coverage < 0.9


def test_process_without_enough_memory_for_ocr_says_so() -> None:
    with pytest.raises(ParseMemory):
        parse_limited(_CHINESE, "a.png", memory_bytes=420 * 1024**2)


# Asks for time, as a process does that reads pages, and then goes on without end.
_SLOW = "import sys, time; sys.stderr.write('\\x1eextend 1200\\n'); sys.stderr.flush(); time.sleep(60)"


async def test_time_of_ocr_comes_on_top_of_the_limit_but_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "_COMMAND", (sys.executable, "-I", "-c", _SLOW))
    for options, least, most in ((ParseOptions(), 1.2, 20.0), (_OFF, 0.2, 1.2)):
        begin = threading.Event()
        timer = threading.Timer(least, begin.set)
        timer.start()
        with pytest.raises(ParseTimeout):
            await parse_in_subprocess(b"text", "a.md", options, timeout_s=0.2)
        assert begin.is_set()
        assert most > least
        begin.clear()
        timer = threading.Timer(least, begin.set)
        timer.start()
        with pytest.raises(ParseTimeout):
            parse_limited(b"text", "a.md", options, timeout_s=0.2)
        assert begin.is_set()
