"""Every expectation of the shared files, by the same checks that `refdesk.evaluation.parsing` runs."""

from dataclasses import replace

import pytest
from tests.cases import CASES, needs_cases

from refdesk.evaluation.parsing import Expectation, check_all, faults_of, read_expectations
from refdesk.knowledge.parsing import Parsed, ParseError, ParseOptions, parse
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
