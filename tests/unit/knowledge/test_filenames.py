"""Names of files: harmless, readable, and the same again when they go out."""

import unicodedata
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.errors import BlankName
from refdesk.knowledge.filenames import (
    MAX_NAME_CHARS,
    clean_title,
    content_disposition,
    display_name,
    media_type,
    renewed_name,
)


@given(st.text(max_size=600))
def test_a_name_is_one_short_visible_line_without_folders_whatever_was_sent(raw: str) -> None:
    name = display_name(raw)
    assert 0 < len(name) <= MAX_NAME_CHARS
    assert not set(name) & set("/\\\0\r\n\t")
    assert all(unicodedata.category(character)[0] != "C" for character in name)
    assert name not in (".", "..")
    assert name == name.strip()


@given(st.text(max_size=600))
def test_cleaning_a_clean_name_changes_nothing(raw: str) -> None:
    name = display_name(raw)
    assert display_name(name) == name


@given(
    st.text(
        alphabet=st.characters(categories=["L", "N", "P"], exclude_characters="/\\."), min_size=1, max_size=50
    )
)
def test_letters_of_any_script_stay(stem: str) -> None:
    assert display_name(f"{stem}.pdf") == unicodedata.normalize("NFC", f"{stem}.pdf")


@given(st.text(max_size=200))
def test_a_header_is_plain_ascii_and_carries_the_name_exactly(raw: str) -> None:
    name = display_name(raw)
    header = content_disposition(name)
    assert header.isascii()
    assert "\n" not in header
    assert header.startswith('attachment; filename="')
    assert unquote(header.split("filename*=UTF-8''")[1]) == name
    assert header.count('"') == 2


def test_a_long_name_keeps_its_ending() -> None:
    name = display_name("报告" * 500 + ".docx")
    assert len(name) == MAX_NAME_CHARS
    assert name.endswith(".docx")


@pytest.mark.parametrize("raw", ["", "   ", "\u200b", "\x00", "\u202e"])
def test_a_title_without_a_visible_character_is_refused(raw: str) -> None:
    with pytest.raises(BlankName):
        clean_title(raw)


@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.xml", "a.js", "a", "a.HTM"])
def test_what_a_browser_could_run_goes_out_as_plain_bytes(name: str) -> None:
    assert media_type(name) == "application/octet-stream"


@pytest.mark.parametrize(
    ("present", "file", "name"),
    [
        ("handbook.md", "new draft.md", "handbook.md"),
        ("handbook.MD", "new draft.md", "handbook.MD"),
        ("sub/手册.docx", "v2.pdf", "sub/手册.pdf"),
        ("Release 2.0", "notes.md", "Release 2.0.md"),
        ("sub.d/notes", "notes.md", "sub.d/notes.md"),
        ("handbook.md", "README", "handbook.md"),
        ("x" * 199, "a.html", "x" * 195 + ".html"),
    ],
)
def test_a_document_with_another_file_keeps_its_name_but_for_the_ending(
    present: str, file: str, name: str
) -> None:
    assert renewed_name(present, file) == name
