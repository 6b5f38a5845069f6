"""User patterns: headings where they match, a clear error where they cannot be used."""

import time

import pytest
from tests.unit.knowledge.splitting.made import parsed_of

from refdesk.knowledge.splitting import PatternInvalid, PatternTooSlow, SplitSettings, split


def _titles(patterns: tuple[str, ...], *blocks: tuple[str, str]) -> list[tuple[tuple[str, ...], str, str]]:
    parsed = parsed_of(*blocks)  # pyright: ignore[reportArgumentType]
    return [
        (p.title_chain, p.heading, p.content)
        for p in split(parsed, SplitSettings(patterns=patterns)).paragraphs
    ]


def test_patterns_find_headings_inside_plain_text() -> None:
    text = "第一章 总则\n第一条 甲。\n第二条 乙。\n第二章 附则\n第三条 丙。"
    assert _titles((r"^第.{1,3}章.*$", r"^第.{1,3}条"), ("paragraph", text)) == [
        (("总则",), "第一条", "甲。"),
        (("总则",), "第二条", "乙。"),
        (("附则",), "第三条", "丙。"),
    ]


def test_patterns_see_headings_as_markdown_and_replace_the_built_in_ones() -> None:
    blocks = [("heading", "One"), ("paragraph", "a"), ("heading", "Two"), ("paragraph", "b")]
    assert _titles((r"(?<=\n)# Two|^# Two",), *blocks) == [((), "", "# One\n\na"), ((), "Two", "b")]


def test_code_and_tables_are_not_searched() -> None:
    blocks = [("paragraph", "Start."), ("code", "第一条 in code"), ("table", "| 第二条 |\n| --- |\n| x |")]
    assert [heading for _, heading, _ in _titles((r"第.条",), *blocks)] == [""]


def test_invalid_pattern_names_itself() -> None:
    with pytest.raises(PatternInvalid) as caught:
        _titles(("(open",), ("paragraph", "text"))
    assert caught.value.details["pattern"] == "(open"


def test_catastrophic_pattern_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refdesk.knowledge.splitting.patterns.BUDGET_S", 0.3)
    begin = time.perf_counter()
    with pytest.raises(PatternTooSlow):
        _titles((r"^(a|aa)+$",), ("paragraph", "a" * 60 + "!"))
    assert time.perf_counter() - begin < 3
