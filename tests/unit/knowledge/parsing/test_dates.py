"""Dates in metadata are ISO 8601 whatever the file wrote, and what is no date is left out with a warning."""

import pytest
from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing.pdf_files import lines, pdf

from refdesk.knowledge.metadata import found_metadata
from refdesk.knowledge.parsing import parse
from refdesk.knowledge.parsing.dates import iso_date


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024/3/1", "2024-03-01"),
        ("2024年3月1日", "2024-03-01"),
        ("2024年3月1日 9:05", "2024-03-01T09:05:00"),
        ("20240301", "2024-03-01"),
        ("2024-03-01T10:11:12Z", "2024-03-01T10:11:12+00:00"),
        ("2024-03-01 10:11:12 +0800", "2024-03-01T10:11:12+08:00"),
        ("2024:03:01 10:11:12", "2024-03-01T10:11:12"),
        ("D:20240301101112+08'00'", "2024-03-01T10:11:12+08:00"),
        ("D:20240301101112Z00'00'", "2024-03-01T10:11:12+00:00"),
        ("20240301101112-05'30'", "2024-03-01T10:11:12-05:30"),
        ("D:2024", "2024-01-01T00:00:00+00:00"),
        ("Fri, 01 Mar 2024 10:11:12 +0800 (CST)", "2024-03-01T10:11:12+08:00"),
        ("1 Mar 2024 10:11:12 GMT", "2024-03-01T10:11:12+00:00"),
        ("March 1, 2024", "2024-03-01"),
        ("1st March 2024", "2024-03-01"),
        ("2024-02-30", None),
        ("2024年13月1日", None),
        ("D:20240230101112", None),
        ("Fri, 30 Feb 2024 10:11:12 +0800", None),
        ("01/02/2024", None),
        ("next spring", None),
        ("March 2024", None),
        ("", None),
        (20240301, None),
    ],
)
def test_a_date_is_iso_or_none(written: object, expected: str | None) -> None:
    assert iso_date(written) == expected


def test_a_pdf_says_when_it_was_made_and_changed() -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, ["Terms of use for every customer"])

    data = pdf(draw)
    at = data.index(b"/CreationDate (") + len(b"/CreationDate (")
    end = data.index(b")", at)
    written = b"D:20240301101112+08'00'".ljust(end - at)
    data = data[:at] + written[: end - at] + data[end:]
    meta = parse(data, "a.pdf").meta
    assert meta["created"] == "2024-03-01T10:11:12+08:00"
    assert iso_date(meta["modified"]) == meta["modified"]


def test_the_date_of_a_message_is_iso_and_its_text_is_as_written() -> None:
    date = "Fri, 01 Mar 2024 10:11:12 +0800"
    parsed = parse(f"From: a@b.example\nDate: {date}\nMIME-Version: 1.0\n\nHello there".encode(), "a.eml")
    assert parsed.meta["created"] == "2024-03-01T10:11:12+08:00"
    assert date in parsed.text


def test_what_is_no_date_goes_with_a_warning() -> None:
    parsed = parse(
        "---\neffective_date: 2024-02-30\n发布日期: 2024年3月1日\ndate: 2023\n---\n\n# A\n\nText".encode(),
        "a.md",
    )
    assert "effective_date" not in parsed.meta
    assert parsed.meta["发布日期"] == "2024-03-01"
    assert parsed.meta["date"] == "2023"
    [warning] = [warning for warning in parsed.warnings if warning.code == "date-unreadable"]
    assert warning.details == {"field": "effective_date", "value": "2024-02-30"}
    assert "2024-02-30" in parsed.text
    assert found_metadata(parsed.meta)["published_at"] == "2024-03-01"
