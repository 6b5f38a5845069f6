"""Every expectation of the shared files, by the same checks that `refdesk.evaluation.parsing` runs."""

import re
import unicodedata
from dataclasses import replace

import pypdfium2
import pytest
from tests.cases import CASES, needs_cases

from refdesk.evaluation.parsing import Expectation, check_all, faults_of, read_expectations
from refdesk.knowledge.parsing import NoText, Parsed, ParseError, ParseOptions, parse
from refdesk.knowledge.parsing.coverage import character_counts
from refdesk.knowledge.splitting import SplitResult, split


def _rows() -> list[Expectation]:
    return read_expectations(CASES) if (CASES / "files" / "expect.jsonl").exists() else []


def _read(row: Expectation, password: str | None = None) -> tuple[Parsed, SplitResult] | ParseError:
    try:
        parsed = parse(row.path.read_bytes(), row.path.name, ParseOptions(password=password))
    except ParseError as error:
        return error
    return parsed, split(parsed)


@needs_cases
@pytest.mark.parametrize("row", _rows(), ids=lambda row: row.file)
def test_shared_file_meets_its_expectation(row: Expectation) -> None:
    assert faults_of(row, _read(row), ocr=True) == []


def _layers() -> list[Expectation]:
    return [row for row in _rows() if row.expect == "text" and row.path.suffix == ".pdf"]


def _set_aside(parsed: Parsed) -> int:
    """Characters that were left out for a reason that is told: they run, were painted twice or are hidden."""
    hidden = (w.message for w in parsed.warnings if w.code == "hidden-text")
    counted = (int(digits) for message in hidden for digits in re.findall(r"\d+", message)[:1])
    return sum(parsed.meta.get(key, 0) for key in ("running_chars", "doubled_chars_removed")) + sum(counted)


@needs_cases
@pytest.mark.parametrize("row", _layers(), ids=lambda row: row.file)
def test_all_that_pdfium_finds_on_the_pages_is_kept_or_accounted_for(row: Expectation) -> None:
    data = row.path.read_bytes()
    try:
        parsed = parse(data, row.path.name, ParseOptions(ocr="off"))
    except NoText as error:
        assert "character map" in error.text  # noqa: PT017 - one file has a text layer that is no language
        return
    document = pypdfium2.PdfDocument(data)
    pages = [page.get_textpage().get_text_range() for page in document]
    found = character_counts([unicodedata.normalize("NFKC", text) for text in pages])
    kept = character_counts([unicodedata.normalize("NFKC", block.text) for block in parsed.blocks])
    assert (found - kept).total() - _set_aside(parsed) <= 0.005 * found.total()
    assert parsed.coverage >= 0.995


@needs_cases
@pytest.mark.parametrize("row", [row for row in _rows() if row.password], ids=lambda row: row.file)
def test_protected_file_opens_with_its_password_only(row: Expectation) -> None:
    assert faults_of(replace(row, expect="text"), _read(row, row.password), ocr=True) == []
    wrong = _read(row, "wrong")
    assert isinstance(wrong, ParseError)
    assert wrong.code == "password-wrong"


@needs_cases
def test_limited_process_gives_the_same_as_this_one() -> None:
    kinds = {row.kind: row for row in _rows() if row.kind in ("pdf_encrypted", "image_ocr", "zip_slip")}
    outcomes = check_all(kinds.values())
    assert [(outcome.expectation.kind, outcome.faults) for outcome in outcomes] == [(k, ()) for k in kinds]


@needs_cases
def test_names_in_an_archive_are_read_in_the_encoding_they_were_written_in() -> None:
    data = (CASES / "files" / "zip_gbk_names.zip").read_bytes()
    with pytest.raises(ParseError) as caught:
        parse(data, "zip_gbk_names.zip")
    assert "集团邮件审计系统2021年自动巡检需求文档_V4.0.doc" in caught.value.text
