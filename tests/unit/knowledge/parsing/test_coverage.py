"""Characters found against characters kept: the quick way gives what counting them gives."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.parsing import coverage
from refdesk.knowledge.parsing.blocks import BlockList
from refdesk.knowledge.parsing.coverage import character_counts, finish

_TEXTS = st.lists(
    st.text(st.sampled_from("ab c\n;|中文\u200b\u00a0\u3000é\x07\ufffd"), max_size=60), max_size=8
)
_IGNORED = "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffd\ufffe\uffff"


def _counts(texts: list[str]) -> Counter[str]:
    return Counter(c for text in texts for c in text if not (c.isspace() or c in _IGNORED or ord(c) < 32))


@pytest.mark.parametrize("large", [0, 1 << 30])
@given(texts=_TEXTS)
def test_visible_characters_are_counted_whatever_the_size(large: int, texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage, "_LARGE", large)
        patch.setattr(coverage, "_WINDOW", 5)
        assert character_counts(texts) == _counts(texts)


def test_what_is_kept_in_the_metadata_counts_and_marks_of_our_own_do_not() -> None:
    found = BlockList()
    found.add("list_item", "1. one")
    parsed = finish("a", "text", found, {}, "one two three", ["two"])
    assert (parsed.extracted_chars, parsed.kept_chars) == (11, 6)


@given(source=_TEXTS, kept=_TEXTS)
def test_lines_in_common_cancel_without_changing_the_counts(source: list[str], kept: list[str]) -> None:
    expected = _counts(source)
    assert coverage.kept_of("\n".join(source).split("\n"), kept) == (
        expected.total(),
        (expected & _counts(kept)).total(),
    )


@given(texts=_TEXTS)
def test_visible_characters_of_one_text_are_as_many_as_counting_gives(texts: list[str]) -> None:
    assert coverage.visible_chars("\n".join(texts)) == _counts(texts).total()
