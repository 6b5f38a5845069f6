"""Overlapping index pieces."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.splitting import pieces


@given(
    st.text(st.sampled_from("ab。. \n，中e\u0301"), max_size=400),
    st.integers(10, 120),
    st.floats(0, 0.5),
)
def test_pieces_cover_the_text_within_the_limit_and_advance(text: str, limit: int, share: float) -> None:
    found = pieces(text, limit_chars=limit, overlap_chars=int(limit * share))
    covered = 0
    previous = -1
    for start, end in found:
        assert 0 < end - start <= limit
        assert start > previous
        assert start <= covered or text[covered:start].strip() == ""
        covered = max(covered, end)
        previous = start
    assert text[covered:].strip() == ""


def test_pieces_end_at_sentences_and_overlap_by_whole_ones() -> None:
    text = "".join(f"这是第{n}句话，说明一件事。" for n in range(10, 40))
    found = pieces(text, limit_chars=60, overlap_chars=20)
    assert all(text[end - 1] == "。" for _, end in found)
    assert all(text[start - 1] == "。" for start, _ in found[1:])
    assert all(0 < before[1] - after[0] <= 20 for before, after in pairwise(found))


def test_short_text_is_one_piece_and_blank_text_none() -> None:
    assert pieces("  short  ", limit_chars=100, overlap_chars=10) == [(2, 7)]
    assert pieces(" \n ", limit_chars=100, overlap_chars=10) == []


def test_overlap_that_would_never_advance_is_refused() -> None:
    with pytest.raises(ValueError, match="half"):
        pieces("text", limit_chars=10, overlap_chars=6)


@pytest.mark.parametrize("mark", ["\u0301", "\u200d"])
def test_long_runs_of_joining_marks_are_cut_at_the_limit(mark: str) -> None:
    text = "e" + mark * 20_000
    begin = time.perf_counter()
    spans = pieces(text, limit_chars=600, overlap_chars=100)
    assert time.perf_counter() - begin < 5
    assert max(end - start for start, end in spans) <= 600
    assert len(spans) < 50  # one piece a character before
