"""Sentence ends of Chinese and English."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.splitting import sentences


def _split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("七天内可退。运费自理！为什么？", ["七天内可退。", "运费自理！", "为什么？"]),
        ("他说：“可以。”然后走了。", ["他说：“可以。”", "然后走了。"]),
        ("It costs 3.14 dollars. Really?", ["It costs 3.14 dollars.", "Really?"]),
        (
            "Dr. Smith met Mr. Jones at 5 p.m. yesterday. Fine.",
            ["Dr. Smith met Mr. Jones at 5 p.m. yesterday.", "Fine."],
        ),
        ("Use version 2.0.1 or later. Then restart.", ["Use version 2.0.1 or later.", "Then restart."]),
        (
            "See https://a.example/b.html?x=1.5&y=2. Done.",
            ["See https://a.example/b.html?x=1.5&y=2.", "Done."],
        ),
        ("Write to a.b@c.example. We answer.", ["Write to a.b@c.example.", "We answer."]),
        ("Tools, e.g. hammers, i.e. iron ones. Good.", ["Tools, e.g. hammers, i.e. iron ones.", "Good."]),
        ("The U.S. Senate voted. It passed.", ["The U.S. Senate voted.", "It passed."]),
        (
            "Acme Inc. sells bolts. Acme Inc. They are red.",
            ["Acme Inc. sells bolts.", "Acme Inc.", "They are red."],
        ),
        ("He left in 2019. She stayed.", ["He left in 2019.", "She stayed."]),
        ("1. Install it.\n2. Run it.", ["1. Install it.", "2. Run it."]),
        ("wrapped\nover lines. Next", ["wrapped\nover lines.", "Next"]),
        ("- one\n- two", ["- one", "- two"]),
        ("| a | b |\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("As shown in Fig. 3 and Eq. 4. Clear.", ["As shown in Fig. 3 and Eq. 4.", "Clear."]),
        ("Well... maybe. OK", ["Well...", "maybe.", "OK"]),
        ("等等……然后呢", ["等等……", "然后呢"]),
        ("a &amp; b; c. D", ["a &amp; b; c.", "D"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, expected: list[str]) -> None:
    assert _split(text) == expected


@given(st.text(st.sampled_from("ab AB.。！?；;\n\t“”)1 -|中"), max_size=200))
def test_spans_are_ordered_and_cover_every_visible_character(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert start >= at
        assert start < end
        assert text[at:start].strip() == ""
        at = end
    assert text[at:].strip() == ""


@pytest.mark.parametrize("unit", [".", "·", "…", ".*", '."', "_", "\n ", ". "])
def test_long_runs_of_one_mark_take_linear_time(unit: str) -> None:
    begin = time.perf_counter()
    sentences(unit * 50_000 + "x")
    assert time.perf_counter() - begin < 5  # dots took over two minutes
