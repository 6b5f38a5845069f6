"""The overlap of index pieces: as the settings say, by script where they say nothing, never in paragraphs."""

from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.indexing import SMALLEST_PIECE, ParagraphText, piece_spans, prepare_entries
from refdesk.knowledge.parsing import parse
from refdesk.knowledge.splitting import SettingsInvalid, SplitSettings, overlap_of, split

_CHINESE = "退货须在七天内提出。" * 150
_ENGLISH = "Goods may be returned within seven days of receipt. " * 100
_ID = UUID(int=1)


def _shared(content: str, overlap: int | None) -> list[int]:
    """How many characters each piece shares with the next one."""
    spans = piece_spans(content, overlap)
    return [before[1] - after[0] for before, after in pairwise(spans)]


@pytest.mark.parametrize(
    ("content", "overlap", "most"),
    [
        (_CHINESE, None, 100),
        (_ENGLISH, None, 250),
        (_CHINESE, 64, 64),
        (_ENGLISH, 64, 64),
        (_ENGLISH, 300, 300),
    ],
)
def test_pieces_share_whole_sentences_up_to_the_overlap(content: str, overlap: int | None, most: int) -> None:
    shared = _shared(content, overlap)
    assert len(shared) > 1
    sentence = content.index("." if content is _ENGLISH else "。") + 2
    assert all(most - sentence < one <= most for one in shared)


def test_no_overlap_shares_nothing() -> None:
    assert max(_shared(_CHINESE, 0)) <= 0
    assert max(_shared(_ENGLISH, 0)) <= 0


@given(st.text(alphabet="字。 a.\n", max_size=SMALLEST_PIECE), st.integers(0, 300))
def test_a_paragraph_up_to_the_smallest_piece_is_one(content: str, overlap: int) -> None:
    assert len(piece_spans(content, overlap)) <= 1


def test_the_index_takes_the_overlap_of_the_paragraph() -> None:
    def spans(overlap: int | None) -> list[tuple[int, int]]:
        prepared = prepare_entries([ParagraphText(_ID, _ID, [], _CHINESE, 1, overlap=overlap)])
        return [(entry.start, entry.end) for entry in prepared.entries]

    assert spans(64) == piece_spans(_CHINESE, 64) != spans(None) == piece_spans(_CHINESE)


@pytest.mark.parametrize(
    ("chosen", "overlap"),
    [
        ({}, None),
        ({"profile": "compact"}, None),
        ({"profile": "structured"}, 64),
        ({"profile": "structured", "overlap": 0}, 0),
        ({"overlap": 200}, 200),
    ],
)
def test_structured_documents_overlap_by_64_characters_unless_told_otherwise(
    chosen: dict[str, Any], overlap: int | None
) -> None:
    assert overlap_of(chosen) == overlap


@pytest.mark.parametrize(("overlap", "limit"), [(-1, None), (301, None), (50, 50), (200, 100)])
def test_an_overlap_out_of_range_or_as_large_as_the_limit_is_refused(overlap: int, limit: int | None) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        SplitSettings(overlap=overlap, limit=limit)
    assert caught.value.details["overlap"] == overlap


def test_paragraphs_are_the_same_whatever_the_overlap() -> None:
    parsed = parse(_ENGLISH.encode(), "a.txt")
    results = {
        split(parsed, SplitSettings(limit=500, overlap=overlap)) == split(parsed, SplitSettings(limit=500))
        for overlap in (0, 64, 300)
    }
    assert results == {True}
