"""Measures against worked examples, and the reading of test sets."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.evaluation import (
    ModeResult,
    Ranking,
    TestSetEmpty,
    TestSetUnreadable,
    hit,
    load_retrieval_set,
    ndcg,
    percentile,
    recall,
    reciprocal_rank,
    write_run,
)


def test_ndcg_of_a_worked_example() -> None:
    # Linear gains 3, 2 at ranks 1 and 3; the ideal has 3, 2, 1.
    relevance = {"a": 3.0, "b": 2.0, "c": 1.0}
    gained = 3 / math.log2(2) + 2 / math.log2(4)
    ideal = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert ndcg(["a", "x", "b"], relevance) == pytest.approx(gained / ideal)
    assert ndcg(["x"] * 10 + ["a"], relevance) == 0


def test_other_measures_of_worked_examples() -> None:
    relevance = {"a": 1.0, "b": 1.0}
    assert recall(["x", "a"], relevance) == 0.5
    assert hit(["x", "y", "z", "v", "a"], relevance) == 1
    assert hit(["x", "y", "z", "v", "w", "a"], relevance) == 0
    assert reciprocal_rank(["x", "a", "b"], relevance) == 0.5
    assert reciprocal_rank(["x"] * 10 + ["a"], relevance) == 0
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.95) == 4.0
    assert percentile([], 0.5) == 0.0


@given(
    st.permutations([f"d{i}" for i in range(8)]),
    st.sets(st.sampled_from([f"d{i}" for i in range(8)]), min_size=1),
)
def test_measures_lie_within_zero_and_one_and_the_ideal_order_has_one(
    order: list[str], relevant: set[str]
) -> None:
    relevance = dict.fromkeys(relevant, 1.0)
    best = sorted(order, key=lambda key: key not in relevant)
    for measure in (ndcg, recall, hit, reciprocal_rank):
        assert 0 <= measure(order, relevance) <= measure(best, relevance) <= 1
    assert ndcg(best, relevance) == pytest.approx(1)


def write(folder: Path, qrels: str) -> tuple[Path, Path, Path]:
    (folder / "c.jsonl").write_text(
        '{"id": "d1", "title": "T", "text": "one"}\n{"id": "d2", "text": "two"}\n\n', encoding="utf-8"
    )
    (folder / "q.jsonl").write_text(
        "".join(f'{{"id": "q{i}", "text": "query {i}"}}\n' for i in range(4)), encoding="utf-8"
    )
    (folder / "r.tsv").write_text(qrels, encoding="utf-8")
    return folder / "c.jsonl", folder / "q.jsonl", folder / "r.tsv"


def test_queries_without_a_relevant_passage_are_left_out(tmp_path: Path) -> None:
    files = write(tmp_path, "query-id\tcorpus-id\tscore\nq0\td1\t2\nq1\td2\t0\nq2\td9\t1\nq3\td2\t1\n")
    judged = load_retrieval_set(*files)
    assert [passage.title for passage in judged.passages] == ["T", ""]
    assert {query.id: query.relevance for query in judged.queries} == {"q0": {"d1": 2.0}, "q3": {"d2": 1.0}}
    assert [query.id for query in load_retrieval_set(*files, sample=1).queries] == ["q0"]


def test_bad_test_sets_are_refused_by_name(tmp_path: Path) -> None:
    corpus, queries, qrels = write(tmp_path, "q0\td9\t1\n")
    with pytest.raises(TestSetEmpty):
        load_retrieval_set(corpus, queries, qrels)
    qrels.write_text("q0\td1\tmany\n", encoding="utf-8")
    with pytest.raises(TestSetUnreadable):
        load_retrieval_set(corpus, queries, qrels)
    with pytest.raises(TestSetUnreadable):
        load_retrieval_set(tmp_path / "missing", queries, qrels)
    corpus.write_text("not json\n", encoding="utf-8")
    with pytest.raises(TestSetUnreadable):
        load_retrieval_set(corpus, queries, qrels)
    corpus.write_text('["a list"]\n', encoding="utf-8")
    with pytest.raises(TestSetUnreadable):
        load_retrieval_set(corpus, queries, qrels)


def test_a_run_file_keeps_the_order_of_equal_scores(tmp_path: Path) -> None:
    ranking = Ranking("q1", (("b", 0.5), ("a", 0.5), ("c", 0.5), ("d", 0.1)))
    result = ModeResult("blend", 0, 0, 0, 0, (1.0,), (1.0,), 4, 1.0, (ranking,))
    path = write_run(result, tmp_path / "sub" / "run")
    assert path.name == "run.blend"
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line[2] for line in lines] == ["b", "a", "c", "d"]
    assert [line[3] for line in lines] == ["1", "2", "3", "4"]
    scores = [float(line[4]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4
