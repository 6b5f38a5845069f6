"""User patterns: headings where they match, a clear error where they cannot be used."""

import time

import pytest
from tests.unit.knowledge.splitting.made import parsed_of

from refdesk.knowledge.splitting import PatternInvalid, PatternTooSlow, SplitSettings, check_patterns, split


def _titles(patterns: tuple[str, ...], *blocks: tuple[str, str]) -> list[tuple[tuple[str, ...], str, str]]:
    parsed = parsed_of(*blocks)  # pyright: ignore[reportArgumentType]
    return [
        (p.title_chain, p.heading, p.content)
        for p in split(parsed, SplitSettings(patterns=patterns)).paragraphs
    ]


def test_patterns_find_headings_inside_plain_text() -> None:
    text = "第一章 总则\n第一条 甲。\n第二条 乙。\n第二章 附则\n第三条 丙。"
    assert _titles((r"^第.{1,3}章.*$", r"^第.{1,3}条"), ("paragraph", text)) == [
        (("第一章 总则",), "第一条", "甲。"),
        (("第一章 总则",), "第二条", "乙。"),
        (("第二章 附则",), "第三条", "丙。"),
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


def test_check_shows_what_would_become_headings() -> None:
    text = "第一章 总则\n第一条 甲。\n第二章 附则\n"
    found = check_patterns([r"^第.{1,3}章.*$", r"^第.{1,3}条"], text)
    assert [(m.level, m.text, m.title, text[m.start : m.end]) for m in found] == [
        (1, "第一章 总则", "第一章 总则", "第一章 总则"),
        (2, "第一条", "第一条", "第一条"),
        (1, "第二章 附则", "第二章 附则", "第二章 附则"),
    ]


def test_check_keeps_the_first_of_overlapping_matches() -> None:
    assert [(m.level, m.text) for m in check_patterns([r"^# .*", r"^#+ .*", r"b"], "# a b\n## c b\nb")] == [
        (1, "# a b"),
        (2, "## c b"),
        (3, "b"),
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(a|aa)+$",
        r"(x+x+)+y",
        r"^(([a-z])+.)+[A-Z]([a-z])+$",
        r"(?:\s*\w+\s*)+:",
        r"(.*?,){25}P",
        r"(?:a{0,99}){0,99}b",
        r"(中|中中)+。",
    ],
)
def test_check_refuses_what_is_catastrophic_on_some_other_text(pattern: str) -> None:
    begin = time.perf_counter()
    with pytest.raises(PatternTooSlow):
        check_patterns([pattern], "A harmless text, with a comma, and nothing else.")
    assert time.perf_counter() - begin < 10


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a{99999}){99999}",
        r"((a{99}){99}){99}",
        r"(?#[)(a{3000}){3000}(?#])",
        r"(?x)(a{ 3000 }){ 3 000 }",
        "(?x)# [\n(a{3#\n000}){3#\n000}#]",
        "(?:" * 300 + "a" + ")" * 300,
        r"(?R)?a",
        r"(?P<x>(?&x)a)",
        "a" * 1001,
        "(",
        "[",
        "a{2,1}",
        r"\p{Nothing}",
    ],
)
def test_check_refuses_what_would_not_compile_or_not_end(pattern: str) -> None:
    begin = time.perf_counter()
    with pytest.raises(PatternInvalid):
        check_patterns([pattern], "text")
    assert time.perf_counter() - begin < 5


@pytest.mark.parametrize(
    "pattern",
    [
        r"^第[一二三四五六七八九十百零〇\d]{1,9}[章节条].*$",
        r"(?<=\n)(?<!#)# (?!#).*|(?<=\n)(?<!#)#(?!#).*",
        r"^\s*\d+(?:\.\d+){0,5}\s+\S.{0,200}$",
        r"^#{1,6}\s+.*$",
        r"^[A-Z][^a-z]*$",
        r"^(?:Chapter|Section)\s+[IVXLC\d]+[.:]?\s.*$",
        r"\{\d{4}\}",
        r"",
    ],
)
def test_check_takes_the_patterns_people_write(pattern: str) -> None:
    check_patterns([pattern], "# a\n第一章 总则\n1.2 x\n" * 2000)


def test_check_takes_at_most_six_patterns() -> None:
    with pytest.raises(PatternInvalid):
        check_patterns(["a"] * 7, "a")
