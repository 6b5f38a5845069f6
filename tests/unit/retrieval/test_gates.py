"""Fitted gates: the scale they make, and which of them found nothing."""

from dataclasses import replace
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.gateway import DEFAULT_GATES, Gates, Scale
from refdesk.retrieval import GateDecision, Hit, RerankChoice, SearchRequest
from refdesk.retrieval.selection import choose

REQUEST = SearchRequest("q", [uuid4()], top_n=5)
similarities = st.floats(min_value=0, max_value=1, allow_nan=False)
balances = st.floats(min_value=0.05, max_value=0.85, allow_nan=False)


def hit(similarity: float, *, rerank: float | None = None, step: float = 0.15) -> Hit:
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
        score=similarity,
        similarity=similarity,
        dense=None,
        lexical=None,
        piece=(0, 0),
        rerank_score=rerank,
        step=step,
    )


@given(balances, similarities, similarities)
def test_a_scale_rises_and_keeps_its_ends(balance: float, one: float, other: float) -> None:
    scale = Scale(balance)
    assert scale.show(0.0) == 0.0
    assert scale.show(1.0) == 1.0
    assert scale.show(balance) == pytest.approx(0.45)
    assert scale.show(0.9) == pytest.approx(0.9)
    if one < other:
        assert scale.show(one) <= scale.show(other)
        if other - one > 1e-6:
            assert scale.show(one) < scale.show(other)
    assert scale.undo(scale.show(one)) == pytest.approx(one, abs=1e-9)


@given(similarities)
def test_where_nothing_was_fitted_nothing_changes(similarity: float) -> None:
    assert DEFAULT_GATES.both.show(similarity) == similarity
    assert DEFAULT_GATES.meaning.show(similarity) == similarity
    assert Gates.from_json(None) == DEFAULT_GATES


def test_gates_are_read_as_they_were_stored_and_bad_ones_are_refused() -> None:
    gates = Gates(meaning=Scale(0.5, 0.1), both=Scale(0.61, 0.2))
    assert Gates.from_json(gates.to_json()) == gates
    assert gates.scale(with_words=True).balance == 0.61
    assert gates.scale(with_words=False).balance == 0.5
    for bad in ({}, {"meaning": {}, "both": {}}, {"meaning": {"balance": 0.99, "drop": 0.1}, "both": {}}):
        with pytest.raises(ValueError):
            Gates.from_json(bad)
    assert Scale.within(2.0, 0.0) == Scale(0.85, 0.03)


def test_what_is_all_below_the_threshold_is_decided_by_the_absolute_gate() -> None:
    chosen = choose([hit(0.4), hit(0.2)], REQUEST, candidates=37)
    assert chosen.decision == GateDecision("absolute", 0.4, 0.45, 37)
    assert choose([hit(0.5)], REQUEST).decision is None
    assert choose([], REQUEST).decision == GateDecision("absolute", 0.0, 0.45, 0)


def test_what_the_reranker_turns_down_is_decided_by_its_gate() -> None:
    request = replace(REQUEST, rerank=RerankChoice(uuid4(), min_score=0.5))
    hits = [hit(0.8, rerank=0.3), hit(0.7, rerank=0.1), hit(0.2, rerank=0.9)]
    assert choose(hits, request).decision == GateDecision("rerank", 0.3, 0.5, 2)
    assert choose([*hits, hit(0.6, rerank=0.5)], request).decision is None


def test_what_stands_too_far_below_the_best_is_decided_by_the_relative_gate() -> None:
    """The best itself is turned down by the reranker, and what that lets through is far from it."""
    request = replace(REQUEST, drop=0.25, rerank=RerankChoice(uuid4(), min_score=0.5))
    chosen = choose([hit(0.875, rerank=0.1), hit(0.5, rerank=0.9)], request)
    assert chosen.decision == GateDecision("relative", 0.5, 0.625, 1)
    assert chosen.hits == []
    assert not chosen.found


def test_the_drop_is_as_wide_as_each_hits_own_embedder_makes_it() -> None:
    """One request, two embedders: 0.15 is 0.15 for one and 0.3 for the other."""
    hits = [hit(0.8), hit(0.6), hit(0.6, step=0.3), hit(0.49, step=0.3)]
    chosen = choose(hits, replace(REQUEST, drop=0.15))
    assert chosen.hits == [hits[0], hits[2]]
