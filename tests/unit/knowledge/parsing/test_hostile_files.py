"""Files made to harm: each limit holds, says its name, and the next file is read as if nothing had been."""

import contextlib
import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.knowledge.parsing.docx_files import docx, p, part
from tests.unit.knowledge.parsing.ole_files import ole

from refdesk.knowledge.parsing import (
    ParseError,
    ParseOptions,
    UnsupportedKind,
    choose,
    parse,
    parse_in_subprocess,
    parse_limited,
)

_SEEDS = sorted((Path(__file__).parent / "seeds").iterdir())


def _packed(**members: bytes | str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in members.items():
            package.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return out.getvalue()


def _bomb() -> bytes:
    return _packed(word__document_dot_xml=part("document", "<w:body/>"), word__x_dot_xml=b" " * 400_000_000)


def _nested_bomb(levels: int) -> bytes:
    data = _packed(a_dot_txt=b"0" * 20_000_000)
    for _ in range(levels):
        data = _packed(**{f"{n}_dot_zip": data for n in range(8)})
    return data


def _entities() -> bytes:
    names = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    return _packed(
        word__document_dot_xml=f'<!DOCTYPE x [<!ENTITY e0 "haha">{names}]><w:document>&e11;</w:document>'
    )


def _wide_sheet() -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    sheet = (
        f'<worksheet xmlns="{main}"><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1" t="str">'
        '<v>first</v></c></row><row r="1048576"><c r="XFD1048576" t="str"><v>last</v></c></row></sheetData>'
        '<mergeCells><mergeCell ref="A1:XFD1048575"/></mergeCells></worksheet>'
    )
    return _packed(
        xl__workbook_dot_xml=f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        xl___rels__workbook_dot_xml_dot_rels='<Relationships xmlns="http://schemas.openxmlformats.org/package/'
        f'2006/relationships"><Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/s.xml"/>'
        "</Relationships>",
        xl__worksheets__s_dot_xml=sheet,
    )


@pytest.mark.parametrize(
    ("make", "name", "code"),
    [
        (_bomb, "a.docx", "unpacked-too-large"),
        (lambda: _nested_bomb(1), "a.zip", "unpacked-too-large"),
        (lambda: _nested_bomb(6), "a.zip", "archive-nested-too-deep"),
        (_entities, "a.docx", "corrupt-file"),
        (lambda: docx("<w:p>" + "<w:ins>" * 5000 + "</w:ins>" * 5000 + "</w:p>"), "a.docx", "corrupt-file"),
    ],
)
async def test_bomb_is_refused_quickly_with_a_hint_and_the_next_file_is_read(
    make: Callable[[], bytes], name: str, code: str
) -> None:
    begin = time.perf_counter()
    with pytest.raises(ParseError) as caught:
        await parse_in_subprocess(make(), name, timeout_s=60, memory_bytes=1024**3)
    assert caught.value.code == code
    assert caught.value.hint_text
    assert time.perf_counter() - begin < 60
    assert (await parse_in_subprocess(docx(p("fine")), "b.docx")).text == "fine"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        # The standard's own algorithm is quadratic in the depth: 100,000 are left to the limit of time.
        (b"<html><body>" + b"<div>" * 20_000 + b"deep" + b"</div>" * 20_000, "a.html"),
        (b"<table><tr><td>" * 20_000 + b"cell", "a.html"),
        (b"<a href=x>" * 50_000 + b"link", "a.html"),
        (b"> " * 20_000 + b"quoted", "a.md"),
        (b"*" * 200_000 + b" x", "a.md"),
        (b"[" * 50_000 + b"](" * 50_000, "a.md"),
        (b"```\n" * 50_000 + b"x", "a.md"),
        (b"<!--" * 50_000 + b"x", "a.md"),
        (b"|" * 100_000 + b"\n" + b"|-" * 100_000, "a.md"),
        (b"{" * 100_000, "a.json"),
        (b"{\\rtf1 " + b"{\\b " * 50_000 + b"x", "a.rtf"),
        (b'"' * 99_999 + b",x\n", "a.csv"),
        (b"---\n" + b"a: [" * 50_000 + b"\n---\nx", "a.md"),
        (b"From: a@b.example\nMIME-Version: 1.0\nSubject: " + b"=?utf-8?q?a?= " * 20_000 + b"\n\nx", "a.eml"),
        (_wide_sheet(), "a.xlsx"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_makes_naive_parsers_quadratic_takes_seconds_at_most(data: bytes, name: str) -> None:
    begin = time.process_time()
    with contextlib.suppress(ParseError):
        parse(data, name)
    assert time.process_time() - begin < 20


def test_limits_of_pages_output_and_members_are_those_of_the_options() -> None:
    with pytest.raises(ParseError) as caught:
        parse_limited(b"word " * 1000, "a.txt", ParseOptions(max_output_bytes=2000))
    assert caught.value.code == "parse-result-too-large"
    many = _packed(**{f"{n}_dot_txt": b"text" for n in range(5)})
    parsed = parse(many, "a.zip", ParseOptions(max_members=3))
    assert len(parsed.meta["members"]) == 3
    assert parsed.meta["members_skipped"][0]["code"] == "unpacked-too-large"


def test_old_presentation_says_what_to_do() -> None:
    with pytest.raises(UnsupportedKind) as caught:
        choose(ole({"PowerPoint Document": b"x" * 5000}), "a.bin")
    assert caught.value.code == "old-presentation"
    assert "PPTX" in str(caught.value.hint_text)


@pytest.mark.parametrize("seed", _SEEDS, ids=lambda path: path.name)
def test_what_fuzzing_found_is_read_or_refused_clearly(seed: Path) -> None:
    with contextlib.suppress(ParseError):
        parse(seed.read_bytes(), seed.name.partition("-")[0] + seed.suffix, ParseOptions(ocr="off"))
