"""Blocks → paragraphs: nothing lost, nothing twice, within the limit, cut where a reader would."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.knowledge.splitting.made import FILES, parsed_of

from refdesk.knowledge.parsing import Parsed, parse
from refdesk.knowledge.splitting import SettingsInvalid, SplitSettings, clean_title, split

_SETTINGS = st.builds(
    SplitSettings,
    profile=st.sampled_from(["standard", "compact", "structured"]),
    limit=st.integers(50, 400),
    unit=st.sampled_from(["characters", "tokens"]),
    min_size=st.sampled_from([None, 0, 60]),
    patterns=st.sampled_from([(), (r"^# .*", r"^## .*"), (r"^中.*$",)]),
    with_filter=st.booleans(),
)


@settings(max_examples=300, deadline=None)
@given(FILES, _SETTINGS)
def test_paragraphs_cover_the_text_in_order_without_overlap(parsed: Parsed, chosen: SplitSettings) -> None:
    result = split(parsed, chosen)
    at = 0
    for paragraph in result.paragraphs:
        assert paragraph.start >= at
        assert parsed.text[at : paragraph.start].strip() == ""
        assert paragraph.end > paragraph.start
        at = paragraph.end
    if not result.paragraphs:  # nothing that can be seen: all of it was removed, and is counted
        assert result.removed_chars == sum(map(len, parsed.text.split()))
        return
    assert parsed.text[at:].strip() == ""


@settings(max_examples=300, deadline=None)
@given(FILES, _SETTINGS)
def test_text_of_a_span_is_all_in_its_content_or_titles(parsed: Parsed, chosen: SplitSettings) -> None:
    for paragraph in split(parsed, replace(chosen, with_filter=False, patterns=())).paragraphs:
        missing = _letters(parsed.text[paragraph.start : paragraph.end])
        missing -= _letters(paragraph.content + paragraph.heading)
        # Headings of parents without a text of their own live on in the chain, without their numbering.
        for block in parsed.blocks:
            inside = paragraph.start <= block.offset < paragraph.end
            if inside and block.kind == "heading" and clean_title(block.text) in paragraph.title_chain:
                missing -= _letters(block.text)
        assert not missing


@settings(max_examples=200, deadline=None)
@given(FILES)
def test_filter_counts_exactly_what_it_takes_from_the_content(parsed: Parsed) -> None:
    kept = split(parsed, SplitSettings(with_filter=False)).paragraphs
    cleaned = split(parsed, SplitSettings())
    before, after = (sum(_letters(p.content).total() for p in found) for found in (kept, cleaned.paragraphs))
    assert before - after == cleaned.removed_chars


@settings(max_examples=300, deadline=None)
@given(FILES, st.integers(50, 400))
def test_no_paragraph_is_longer_than_the_limit(parsed: Parsed, limit: int) -> None:
    for paragraph in split(parsed, SplitSettings(limit=limit, with_filter=False)).paragraphs:
        assert len(paragraph.content) <= max(limit, len(paragraph.heading))


def _letters(text: str) -> Counter[str]:
    return Counter("".join(text.split()))


def test_titles_of_parents_are_carried_and_repeated_titles_stay_apart() -> None:
    parsed = parsed_of(
        ("heading", "第一章 总则", 1),
        ("heading", "1.1 Scope", 2),
        ("paragraph", "a"),
        ("heading", "1.1 Scope", 2),
        ("paragraph", "b"),
        ("heading", "第二章 附则", 1),
        ("paragraph", "c"),
    )
    assert [(p.title_chain, p.title, p.content) for p in split(parsed).paragraphs] == [
        (("第一章 总则",), "1.1 Scope", "a"),
        (("第一章 总则",), "1.1 Scope", "b"),
        ((), "第二章 附则", "c"),
    ]


def test_heading_without_text_is_kept_unless_it_lives_on_in_a_chain() -> None:
    parsed = parsed_of(
        ("heading", "Alone", 2), ("heading", "Next", 2), ("paragraph", "text"), ("heading", "Last", 1)
    )
    assert [(p.title, p.content) for p in split(parsed).paragraphs] == [
        ("Alone", "Alone"),
        ("Next", "text"),
        ("Last", "Last"),
    ]


def test_long_text_is_cut_at_the_last_sentence_end_before_the_limit() -> None:
    text = "第一句话到此结束。第二句话也到此为止。" * 10
    contents = [p.content for p in split(parsed_of(("paragraph", text)), SplitSettings(limit=50)).paragraphs]
    assert "".join(contents) == text
    assert all(c.endswith("。") for c in contents)
    assert len(contents[0]) == 47


def test_text_without_punctuation_is_cut_all_the_same() -> None:
    contents = [
        p.content for p in split(parsed_of(("paragraph", "字" * 730)), SplitSettings(limit=100)).paragraphs
    ]
    assert [len(c) for c in contents] == [100] * 7 + [30]


def test_cut_table_repeats_its_header_and_keeps_rows_whole() -> None:
    rows = [f"| item {n} | {n * 7} |" for n in range(40)]
    table = "\n".join(["| name | price |", "| --- | --- |", *rows])
    paragraphs = split(
        parsed_of(("paragraph", "Before."), ("table", table)), SplitSettings(limit=200)
    ).paragraphs
    tables = [p.content for p in paragraphs if "| item" in p.content]
    assert len(tables) > 3
    assert all(
        t.removeprefix("Before.\n\n").startswith("| name | price |\n| --- | --- |\n| item") for t in tables
    )
    assert [line for t in tables for line in t.split("\n") if line.startswith("| item")] == rows
    assert all(len(t) <= 200 for t in tables)


def test_table_and_code_that_fit_a_paragraph_are_not_cut() -> None:
    code = "\n".join(f"line {n}." for n in range(12))
    parsed = parsed_of(("paragraph", "Some text. " * 12), ("code", code), ("paragraph", "End."))
    contents = [p.content for p in split(parsed, SplitSettings(limit=150)).paragraphs]
    assert any(f"```\n{code}\n```" in c for c in contents)


def test_structured_profile_splits_at_second_level_and_merges_small_parts() -> None:
    parsed = parsed_of(
        ("heading", "Guide", 1),
        ("heading", "Big", 2),
        ("paragraph", "x" * 300),
        ("heading", "Deeper", 3),
        ("paragraph", "y" * 300),
        ("heading", "Tiny", 2),
        ("paragraph", "z"),
    )
    (paragraph,) = split(parsed, SplitSettings(profile="structured")).paragraphs
    assert "### Deeper" in paragraph.content
    assert paragraph.content.endswith("Tiny\n\nz")


def test_structured_profile_cuts_unstructured_pdf_to_512() -> None:
    parsed = parsed_of(("paragraph", "Words of a sentence. " * 100), kind="pdf")
    contents = [p.content for p in split(parsed, SplitSettings(profile="structured")).paragraphs]
    assert max(map(len, contents)) <= 512
    assert min(map(len, contents[:-1])) > 450


def test_filter_removes_no_word_and_counts_what_it_removed() -> None:
    text = "a  \u200b  b\x07\n\n\n\n=====\n=====\nc — d … e"
    (paragraph,) = (result := split(parsed_of(("paragraph", text)))).paragraphs
    assert paragraph.content == "a b\n\n=====\nc — d … e"
    assert result.removed_chars == 7
    (untouched,) = split(parsed_of(("paragraph", text)), SplitSettings(with_filter=False)).paragraphs
    assert untouched.content == text


@pytest.mark.parametrize("bad", [{"limit": 49}, {"limit": 100_001}, {"min_size": -1}, {"profile": "x"}])
def test_settings_out_of_range_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(SettingsInvalid):
        SplitSettings(**bad)  # pyright: ignore[reportArgumentType]


def test_block_that_is_filtered_out_whole_makes_no_empty_paragraph_and_no_gap() -> None:
    parsed = parsed_of(("paragraph", "\u200b\u200b"), ("heading", "A", 1), ("paragraph", "a"))
    result = split(parsed)
    assert [(p.start, p.title, p.content) for p in result.paragraphs] == [(0, "A", "a")]
    assert result.removed_chars == 2


@pytest.mark.parametrize("length", range(5, 95, 10))
def test_merging_counts_the_header_rows_that_are_repeated(length: int) -> None:
    rows = "\n".join(f"| r{i} | value |" for i in range(9))
    table = "| first column | second |\n|---|---|\n" + rows
    parsed = parse(f"## S\n\n{table}\n\n## T\n\n{'x' * length}".encode(), "a.md")
    for limit in range(100, 180, 10):
        found = split(parsed, SplitSettings(profile="structured", limit=limit)).paragraphs
        assert max(len(paragraph.content) for paragraph in found) <= limit
