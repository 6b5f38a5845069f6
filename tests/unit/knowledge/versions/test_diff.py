"""What differs between two versions: both texts can be put together again from it, however long they are."""

import time
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from refdesk.kit.ids import new_id
from refdesk.knowledge.versions.diff import compare, parts
from refdesk.knowledge.versions.records import ParagraphRecord

TEXTS = st.text(st.sampled_from("ab 灯\n.,1"), max_size=60)


def record(content: str) -> ParagraphRecord:
    return ParagraphRecord(id=new_id(), title="", title_chain=[], content=content)


@given(TEXTS, TEXTS)
@settings(max_examples=300, deadline=None)
def test_both_texts_are_in_the_parts(before: str, after: str) -> None:
    found = parts(before, after)
    assert "".join(part.text for part in found if part.op != "insert") == before
    assert "".join(part.text for part in found if part.op != "delete") == after


def test_texts_too_long_to_compare_word_by_word_end_soon() -> None:
    begin = time.perf_counter()
    before, after = "a " * 50_000, "b a " * 30_000
    found = parts(before, after)
    assert time.perf_counter() - begin < 2
    assert "".join(part.text for part in found if part.op != "delete") == after


@given(st.lists(TEXTS, max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_every_paragraph_of_both_versions_is_unchanged_or_in_a_change(
    texts: list[str], chance: object
) -> None:
    before = [record(text) for text in texts]
    after = list(before)
    chance.shuffle(after)  # type: ignore[attr-defined]
    after = [replace(r, content=r.content + "!") if i % 3 == 0 else r for i, r in enumerate(after)]
    after = [*after[1:], record("new")]
    compared = compare(before, after)
    sides = [(change.before, change.after) for change in compared.changes]
    assert compared.unchanged + sum(old is not None for old, _ in sides) == len(before)
    assert compared.unchanged + sum(new is not None for _, new in sides) == len(after)


def test_a_paragraph_that_only_moved_is_told_as_moved() -> None:
    one, two, three = record("one"), record("two"), record("three")
    compared = compare([one, two, three], [two, three, one])
    assert [change.kind for change in compared.changes] == ["moved"]
    assert compared.unchanged == 2
