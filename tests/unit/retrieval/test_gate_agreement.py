from hypothesis import given
from hypothesis import strategies as st

from refdesk.retrieval.gate import combine

scores = st.floats(0, 1)


@given(scores, scores)
def test_both_legs_together_are_never_below_the_greater_nor_above_one(dense: float, lexical: float):
    assert max(dense, lexical) <= combine(dense, lexical) <= 1
    assert combine(dense, lexical) == combine(lexical, dense)


@given(scores, scores, scores)
def test_more_evidence_never_lowers_similarity(dense: float, lexical: float, more: float):
    assert combine(max(dense, more), lexical) >= combine(dense, lexical) - 1e-12


def test_one_leg_alone_keeps_its_score():
    assert combine(0.6, 0.0) == 0.6
    assert combine(0.0, 0.95) == 0.95
