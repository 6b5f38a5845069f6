"""Fusion, the gate, the query's rarities and the modes: no database."""

from uuid import uuid4

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from refdesk.knowledge.indexing import Statistics, salt_of, term_of
from refdesk.retrieval import Mode, UnknownMode, get_mode, mode_names, register
from refdesk.retrieval.candidates import Candidates, Row
from refdesk.retrieval.function_words import BACKGROUND_ENTRIES, background_frequency
from refdesk.retrieval.fusion import blend, exact_first, min_max, words_weight
from refdesk.retrieval.gate import calibrate_words
from refdesk.retrieval.modes import _modes  # pyright: ignore[reportPrivateUsage]
from refdesk.retrieval.query import CANDIDATE_LIMIT, TermedQuery, WeightedQuery, unsalted
from refdesk.retrieval.statements import Filters, Target, candidates_statement

cosines = st.floats(-1, 1)
words = st.floats(0, 60)
rows = st.lists(st.tuples(cosines, words, st.booleans()), min_size=1, max_size=40)


def fused(data: list[tuple[float, float, bool]]) -> np.ndarray:
    dense, lexical, comparable = (np.array(column) for column in zip(*data, strict=True))
    return blend(dense.astype(float), lexical.astype(float), comparable.astype(bool))


@given(rows)
def test_fused_scores_lie_within_zero_and_one(data: list[tuple[float, float, bool]]) -> None:
    scores = fused(data)
    assert scores.shape == (len(data),)
    assert ((scores >= 0) & (scores <= 1)).all()


@given(rows, st.integers(0, 39), st.integers(0, 39))
def test_better_in_both_legs_is_never_worse_fused(
    data: list[tuple[float, float, bool]], i: int, j: int
) -> None:
    assume(i < len(data) and j < len(data))
    a, b = data[i], data[j]
    assume(a[2] == b[2] and a[0] >= b[0] and a[1] >= b[1])
    scores = fused(data)
    assert scores[i] >= scores[j] - 1e-12


@given(rows)
def test_scaling_the_words_changes_nothing(data: list[tuple[float, float, bool]]) -> None:
    assume(max(row[1] for row in data) > 1e-6)
    scaled = [(cosine, word * 3.0, comparable) for cosine, word, comparable in data]
    assert fused(scaled) == pytest.approx(fused(data), abs=1e-9)


@given(
    st.lists(
        st.tuples(st.integers(0, 10_000).map(lambda n: n / 10_000), st.booleans()), min_size=1, max_size=40
    )
)
def test_what_holds_the_code_comes_before_all_else_and_nothing_else_changes(
    data: list[tuple[float, bool]],
) -> None:
    before, exact = (np.array(column) for column in zip(*data, strict=True))
    scores = exact_first(before.astype(float), exact)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert not exact.any() or exact.all() or scores[exact].min() >= scores[~exact].max()
    for which in (exact, ~exact):
        assert (np.argsort(before[which], kind="stable") == np.argsort(scores[which], kind="stable")).all()


def test_one_candidate_and_equal_scores_count_as_one() -> None:
    assert min_max(np.array([0.3])).tolist() == [1.0]
    assert min_max(np.array([0.3, 0.3])).tolist() == [1.0, 1.0]
    assert min_max(np.array([])).tolist() == []


@given(st.integers(0, 2**32 - 1))
def test_a_score_does_not_depend_on_how_many_are_asked_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dense, lexical = rng.random(1000), np.where(rng.random(1000) < 0.4, rng.random(1000) * 20, 0.0)

    def scores(asked: int) -> dict[int, float]:
        proposed = np.union1d(np.argsort(-dense)[:asked], np.argsort(-lexical)[:asked])
        fused = blend(dense[proposed], lexical[proposed], np.ones(len(proposed), dtype=np.bool_))
        return dict(zip(proposed.tolist(), fused.tolist(), strict=True))

    few, many = scores(50), scores(500)
    assert {i: many[i] for i in few} == few


def test_words_count_more_the_more_their_best_match_stands_out() -> None:
    found = np.array([30.0, 12.0, 9.0, 8.0, 6.0, 1.0])
    alike = np.array([30.0, 29.5, 29.0, 28.0, 27.0, 1.0])
    near = np.array([0.9, 0.8, 0.7, 0.2, 0.1, 0.0])
    assert words_weight(near, found) == pytest.approx(0.7)
    assert words_weight(near, alike) == pytest.approx(0.3 + 2 * 0.1 * 0.8)
    none = np.array([])
    assert words_weight(near, np.zeros(6)) == words_weight(none, none) == 0.3


def test_words_count_little_where_they_lead_to_what_means_something_else() -> None:
    lexical = np.array([30.0, 12.0, 9.0, 8.0, 6.0, 1.0])
    assert words_weight(np.array([0.1, 0.0, 0.2, 1.0, 0.9, 0.8]), lexical) == pytest.approx(
        0.3 + 2 * 0.8 * 0.1
    )


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 30)), min_size=2, max_size=40))
def test_an_entry_better_in_both_legs_is_never_behind(pairs: list[tuple[float, float]]) -> None:
    dense, lexical = (np.array(column) for column in zip(*pairs, strict=True))
    fused = blend(dense, lexical, np.ones(len(pairs), dtype=np.bool_))
    better = (dense[:, None] >= dense[None]) & (lexical[:, None] >= lexical[None])
    assert (fused[:, None] >= fused[None] - 1e-9)[better].all()


def test_an_entry_in_another_script_is_judged_by_meaning_alone() -> None:
    dense = np.array([0.90, 0.80, 0.70, 0.60])
    lexical = np.array([0.0, 8.0, 4.0, 0.0])
    other_script = blend(dense, lexical, np.array([False, True, True, True]))
    same_script = blend(dense, lexical, np.array([True, True, True, True]))
    assert other_script[0] == 1.0
    near = np.clip((dense - np.quantile(dense, 0.02)) / (0.9 - np.quantile(dense, 0.02)), 0, 1)
    assert same_script[0] == pytest.approx(1 - words_weight(near, lexical))


def test_a_code_that_matches_in_another_script_still_helps() -> None:
    dense, lexical = np.array([0.9, 0.7, 0.6]), np.array([0.0, 9.0, 0.0])
    scores = blend(dense, lexical, np.array([True, False, True]))
    assert scores[1] > scores[0]


@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_the_words_calibration_rises(one: float, other: float, holds: bool) -> None:
    low, high = sorted((one, other))
    low_value = calibrate_words(low, holds_identifier=holds)
    assert 0 <= low_value <= calibrate_words(high, holds_identifier=holds) <= 1


def weigh(query: str, entries: int, frequency: dict[str, int]) -> WeightedQuery:
    frequencies = {term_of(token): n for token, n in frequency.items()}
    return WeightedQuery.weigh(TermedQuery.read(query), Statistics(entries, {uuid4(): frequencies}))


def test_rare_terms_stay_within_the_budget_and_one_is_always_taken() -> None:
    carried = weigh("alpha beta gamma", 100_000, {"alpha": 900, "beta": 900, "gamma": 300})
    assert carried.reached == 1200
    assert len(carried.rare_terms) == 2
    # The rarest alone carries too little of the query to be all that is looked up.
    poor = weigh(
        "alpha beta gamma delta", 100_000, {"alpha": 2500, "beta": 2500, "gamma": 1400, "delta": 3000}
    )
    assert poor.reached == 3900
    frequent = weigh("alpha beta", 100_000, {"alpha": 50_000, "beta": 60_000})
    assert frequent.rare_terms == (term_of("alpha"),)
    assert frequent.reached > CANDIDATE_LIMIT
    assert weigh("alpha", 10, {}).rare_terms == ()


def test_the_share_tells_a_match_from_politeness() -> None:
    query = weigh("请问合同怎么续签", 3, {"合同": 1, "续签": 1, "请问": 1, "怎么": 2})
    content = {term_of("合同"), term_of("续签")}
    polite = {term_of("请问"), term_of("怎么")}
    assert query.share(content) > 0.8
    assert query.share(polite) < 0.2
    only_polite = weigh("请问怎么办", 3, {"请问": 1, "怎么办": 1, "怎么": 1})
    assert only_polite.share({term_of(token) for token in ("请问", "怎么办", "怎么")}) < 0.6


def test_a_rare_code_is_an_identifier_and_a_subject_is_not() -> None:
    held = {term_of("err-1042"), term_of("covid-19")}
    assert weigh("ERR-1042 是什么", 1000, {"err-1042": 2}).holds_identifier(held)
    assert not weigh("COVID-19 疫苗", 1000, {"covid-19": 400}).holds_identifier(held)
    assert not weigh("ERR-1042", 1000, {}).holds_identifier(held)


def test_salted_terms_are_read_back() -> None:
    index_id = uuid4()
    assert unsalted(index_id, [5 ^ salt_of(index_id)]) == {5}


def test_function_words_are_frequent_in_the_imagined_corpus() -> None:
    for token in ("请问", "怎么办", "的", "what", "the", "how"):
        assert background_frequency(token) == BACKGROUND_ENTRIES / 2
    for token in ("年假", "err-1042", "upload"):
        assert background_frequency(token) == 0


def test_a_paragraph_counts_by_its_best_entry_and_equal_ones_keep_an_order() -> None:
    paragraph, other = uuid4(), uuid4()
    index_id = uuid4()
    made = [
        Row(0, uuid4(), index_id, paragraph, 0, 1, 0, 9, 0.5, 1.0),
        Row(0, uuid4(), index_id, paragraph, 0, 1, 9, 18, 0.9, 1.0),
        Row(0, uuid4(), index_id, other, 0, 1, 0, 9, 0.7, 1.0),
    ]
    scores = np.array([0.5, 0.9, 0.7])
    candidates = Candidates(made, scores, scores, scores, np.array([True] * 3), np.array([False] * 3))
    assert candidates.best_of_paragraphs(scores) == [1, 2]


def test_a_new_mode_is_one_new_class() -> None:
    class Nearest(Mode):
        name = "nearest-for-a-test"
        uses_dense = True
        uses_lexical = False

        def order(self, candidates: Candidates) -> np.ndarray:
            return candidates.dense

    try:
        register(Nearest)
        assert isinstance(get_mode("nearest-for-a-test"), Nearest)
        with pytest.raises(ValueError, match="nearest-for-a-test"):
            register(Nearest)
    finally:
        _modes.pop("nearest-for-a-test", None)
    with pytest.raises(UnknownMode):
        get_mode("nearest-for-a-test")
    assert mode_names() == ("embedding", "keywords", "blend")


def test_all_bases_of_an_embedder_are_one_statement_over_their_homes_only() -> None:
    query = weigh("alpha", 10, {"alpha": 2})
    index_id = next(iter(query.statistics.frequencies))
    targets = [Target(index_id, 0, 8), Target(uuid4(), 0, 8), Target(uuid4(), 5, 8)]
    made = candidates_statement(targets, Filters(), 50, vector=np.ones(8, dtype=np.float32), words=query)
    assert made is not None
    statement, parameters = made
    # Both legs in the shared home; in the other no entry holds the term.
    assert statement.count("SELECT 0 AS home") == 2
    assert statement.count("SELECT 5 AS home") == 1
    assert "embedding::halfvec(8)" in statement
    assert parameters["shared"] == [targets[0].index_id, targets[1].index_id]
    assert candidates_statement([], Filters(), 50, vector=None, words=query) is None
