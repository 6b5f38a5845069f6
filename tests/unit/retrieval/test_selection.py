"""What is returned of ranked hits: gate, drop, diversity, newness."""

from dataclasses import replace
from datetime import date
from uuid import uuid4

import pytest

from refdesk.retrieval import Hit, SearchRequest
from refdesk.retrieval.selection import choose, date_of, diverse, newer_first, overlap


def hit(
    score: float, similarity: float | None = None, *, terms: set[int] | None = None, dated: date | None = None
) -> Hit:
    return Hit(
        paragraph_id=uuid4(),
        document_id=uuid4(),
        knowledge_base_id=uuid4(),
        document_name="a",
        title="",
        title_chain=(),
        content="",
        page=None,
        boxes=[],
        score=score,
        similarity=score if similarity is None else similarity,
        dense=None,
        lexical=None,
        piece=(0, 0),
        dated=dated,
        terms=frozenset(terms or ()),
    )


REQUEST = SearchRequest("q", [uuid4()], top_n=2)


def test_what_is_left_out_has_its_reason() -> None:
    hits = [hit(0.9, 0.8), hit(0.8, 0.7), hit(0.7, 0.6), hit(0.6, 0.2)]
    chosen = choose(hits, REQUEST)
    assert chosen.hits == hits[:2]
    assert chosen.dropped == [(hits[2], "beyond_top_n"), (hits[3], "below_threshold")]
    assert chosen.found


def test_without_the_gate_nothing_is_dropped_but_found_says_what_it_says() -> None:
    hits = [hit(0.9, 0.2), hit(0.8, 0.1)]
    chosen = choose(hits, replace(REQUEST, apply_gate=False))
    assert chosen.hits == hits
    assert not chosen.found


def test_a_hit_the_drop_below_the_best_or_more_is_left_out() -> None:
    hits = [hit(0.9, 0.75), hit(0.8, 0.625), hit(0.7, 0.5)]
    chosen = choose(hits, replace(REQUEST, top_n=5, drop=0.25))
    assert chosen.hits == hits[:2]
    assert chosen.dropped == [(hits[2], "far_below_best")]


def test_the_drop_counts_from_the_most_similar_wherever_it_stands() -> None:
    hits = [hit(0.9, 0.5), hit(0.8, 0.75)]
    assert choose(hits, replace(REQUEST, drop=0.2)).hits == hits[1:]


def test_no_hits_are_not_found() -> None:
    assert not choose([], replace(REQUEST, similarity=0.0)).found


def test_diversity_takes_another_text_before_a_repetition() -> None:
    first = hit(0.9, terms={1, 2, 3, 4})
    repeated = hit(0.88, terms={1, 2, 3, 4})
    other = hit(0.8, terms={5, 6, 7})
    assert choose([first, repeated, other], REQUEST).hits == [first, repeated]
    chosen = choose([first, repeated, other], replace(REQUEST, diversity=0.3))
    assert chosen.hits == [first, other]
    assert chosen.dropped == [(repeated, "repeats_another")]


def test_diversity_keeps_all_hits_and_the_best_first() -> None:
    hits = [hit(1 - i / 10, terms={i, i + 1}) for i in range(6)]
    ordered = diverse(hits, 0.5, 4)
    assert ordered[0] == hits[0]
    assert sorted(map(id, ordered)) == sorted(map(id, hits))


def test_newness_moves_a_newer_document_up_by_its_weight() -> None:
    old, new = hit(0.9, dated=date(2019, 1, 1)), hit(0.8, dated=date(2024, 1, 1))
    assert newer_first([old, new], 0.0) == [old, new]
    assert [h.dated for h in newer_first([old, new], 0.2)] == [new.dated, old.dated]
    assert [h.dated for h in newer_first([old, new], 0.05)] == [old.dated, new.dated]


def test_one_very_old_document_does_not_make_the_others_equally_new() -> None:
    days = [date(1900, 1, 1), date(2023, 1, 1), date(2024, 1, 1)]
    scores = {h.dated: h.score for h in newer_first([hit(0.5, dated=day) for day in days], 0.4)}
    assert scores[days[2]] - scores[days[1]] == pytest.approx(scores[days[1]] - scores[days[0]])


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("2024-03-05", date(2024, 3, 5)),
        ("2024-03-05T10:00:00Z", date(2024, 3, 5)),
        ("2024/3/5", date(2024, 3, 5)),
        ("2024-03", date(2024, 3, 1)),
        ("2024", date(2024, 1, 1)),
        ("2024-13-01", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_dates_of_metadata(said: str | None, day: date | None) -> None:
    assert date_of(said) == day


def test_overlap_is_the_share_of_common_terms() -> None:
    assert overlap(hit(1, terms={1, 2, 3}), hit(1, terms={2, 3, 4})) == 0.5
    assert overlap(hit(1), hit(1)) == 0.0
