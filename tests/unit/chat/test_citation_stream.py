"""Citation marks are the same however the stream cuts them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.chat.citations import CitationStream, Cited, Removed, Text


def run(chunks: list[str], sources: int = 3) -> tuple[str, list[tuple[int, int]], list[int]]:
    """(text, [(source, n)], removed)."""
    stream = CitationStream(sources)
    parts = [part for chunk in chunks for part in stream.feed(chunk)] + list(stream.finish())
    text = "".join(part.text for part in parts if isinstance(part, Text))
    cited = [(part.source, part.n) for part in parts if isinstance(part, Cited)]
    return text, cited, [part.number for part in parts if isinstance(part, Removed)]


@pytest.mark.parametrize(
    ("given_text", "shown", "cited", "removed"),
    [
        ("A [2]. B [1]. C [2].", "A [1]. B [2]. C [1].", [(2, 1), (1, 2)], []),
        ("A [1][3]", "A [1][2]", [(1, 1), (3, 2)], []),
        ("A [1, 3]", "A [1][2]", [(1, 1), (3, 2)], []),
        ("A [1-3]", "A [1][2][3]", [(1, 1), (2, 2), (3, 3)], []),
        ("甲【2】。乙［1］", "甲[1]。乙[2]", [(2, 1), (1, 2)], []),
        ("A [9].", "A.", [], [9]),
        ("A [1, 9].", "A [1, 9].", [], []),
        ("A 【1, 9】.", "A [1].", [(1, 1)], [9]),
        ("The range is [0, 100] and x in [1, 5].", "The range is [0, 100] and x in [1, 5].", [], []),
        ("区间 [0, 3] 内。[1]", "区间 [0, 3] 内。[1]", [(1, 1)], []),
        ("the row[7] of it", "the row[7] of it", [], []),
        ("index [0] is first", "index [0] is first", [], []),
        ("按规定。[7]", "按规定。", [], [7]),
        ("按规定[7]。", "按规定。", [], [7]),
        ("Hold [7] the button", "Hold the button", [], [7]),
        ("Hold it. [7] Then", "Hold it. Then", [], [7]),
        ("A [来源 9] B", "A B", [], [9]),
        ("A [0].", "A.", [], [0]),
        ("A [^2] B [来源1]", "A [1] B [2]", [(2, 1), (1, 2)], []),
        ("A [1](#source-1) B", "A [1] B", [(1, 1)], []),
        ("A [1] (see B)", "A [1] (see B)", [(1, 1)], []),
        ("`a[1]` is code [1]", "`a[1]` is code [1]", [(1, 1)], []),
        ("```py\na[1] = b[9]\n```\nB [2]", "```py\na[1] = b[9]\n```\nB [1]", [(2, 1)], []),
        ("[the manual](https://example.org) [2]", "[the manual](https://example.org) [1]", [(2, 1)], []),
        ("- [ ] open [x] done [2024]", "- [ ] open [x] done [2024]", [], []),
        ("ends with [", "ends with [", [], []),
        ("ends with [1", "ends with [1", [], []),
        ("trailing space ", "trailing space ", [], []),
    ],
)
def test_marks(given_text: str, shown: str, cited: list[tuple[int, int]], removed: list[int]) -> None:
    assert run([given_text]) == (shown, cited, removed)


@pytest.mark.parametrize("text", ["A [2]. B 【1】 C [9] `x[1]` D [1](u).", "甲[1, 2]乙[3][1]，丙 [7] 丁"])
def test_every_cut_into_two_gives_the_same(text: str) -> None:
    whole = run([text])
    for at in range(len(text) + 1):
        assert run([text[:at], text[at:]]) == whole


@given(st.text(alphabet="ab [](),1239`【】\n来源", max_size=40), st.data())
def test_any_text_cut_anywhere_gives_the_same(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert run(chunks) == run([text])


@given(st.text(alphabet="ab [](),19【】 ", max_size=60))
def test_only_sources_that_exist_are_cited_and_numbered_in_order(text: str) -> None:
    shown, cited, _ = run([text], sources=2)
    assert [n for _, n in cited] == list(range(1, len(cited) + 1))
    assert all(1 <= source <= 2 for source, _ in cited)
    # A number beyond the sources is text, and cannot be taken for one of them.
    numbers = [int(n) for n in re.findall(r"\[(\d{1,3})\]", shown)]
    assert all(n <= len(cited) or n > 2 for n in numbers)


def test_text_without_brackets_is_not_held_back() -> None:
    stream = CitationStream(1)
    assert list(stream.feed("hello")) == [Text("hello")]


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1" * 10_000,
        "[" + "1, " * 5_000,
        "[" + " " * 10_000 + "x",
        "[1" * 5_000,
        "【来源" + "1 " * 5_000,
    ],
)
def test_a_flood_that_never_becomes_a_mark_passes_unchanged(text: str) -> None:
    assert run([text]) == (text, [], [])
    assert run(list(text)) == (text, [], [])


def test_what_is_held_back_is_bounded() -> None:
    stream = CitationStream(3)
    passed = 0
    for fed, char in enumerate("[" + "1, " * 100, 1):
        passed += sum(len(part.text) for part in stream.feed(char) if isinstance(part, Text))
        assert fed - passed <= 60


@given(st.text(alphabet="[]1, -–†^:来s", max_size=300), st.integers(1, 30))
def test_long_marks_are_the_same_however_they_are_cut(text: str, size: int) -> None:
    assert run([text[at : at + size] for at in range(0, len(text), size)]) == run([text])
