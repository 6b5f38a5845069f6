"""The choice among bases: what is kept, what is never dropped, and its scale."""

from uuid import UUID

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from refdesk.retrieval.routing import RouteSettings
from refdesk.retrieval.routing.choice import Nearness, choose, relative_nearness
from refdesk.retrieval.routing.clustering import MOST_CENTROIDS, centroids_of

IDS = [UUID(int=n + 1) for n in range(40)]
scores = st.floats(0, 1, allow_nan=False)


@given(
    near=st.lists(scores, min_size=0, max_size=30),
    words=st.lists(scores, min_size=30, max_size=30),
    unknown=st.integers(0, 5),
    at_least=st.integers(1, 6),
)
def test_each_base_is_told_once_and_enough_are_searched(
    near: list[float], words: list[float], unknown: int, at_least: int
) -> None:
    known = IDS[: len(near)]
    strangers = IDS[30 : 30 + unknown]
    settings = RouteSettings(at_least=at_least)
    route = choose(
        known,
        strangers,
        dict(zip(known, near, strict=True)),
        dict(zip(known, words, strict=False)),
        settings,
    )
    assert sorted(base.knowledge_base_id for base in route.bases) == sorted([*known, *strangers])
    assert set(strangers) <= set(route.searched)
    of_known = [base for base in route.bases if base.knowledge_base_id in known]
    assert sum(base.is_searched for base in of_known) >= min(at_least, len(known))
    if len(known) + unknown > settings.few and known:
        assert of_known[0].is_searched
        rated = [base.score or 0.0 for base in of_known]
        assert rated == sorted(rated, reverse=True)


def test_few_bases_are_all_searched() -> None:
    route = choose(IDS[:5], [], {IDS[0]: 1.0}, {}, RouteSettings(few=5))
    assert route.searched == tuple(IDS[:5])
    assert {base.reason for base in route.bases} == {"few-bases"}


def test_one_base_that_stands_out_is_searched_with_the_least_number_only() -> None:
    near = dict.fromkeys(IDS[:20], 0.1) | {IDS[7]: 1.0}
    route = choose(IDS[:20], [], near, {IDS[7]: 1.0}, RouteSettings(at_least=2))
    assert route.searched[0] == IDS[7]
    assert len(route.searched) == 2
    assert [base.reason for base in route.bases[:3]] == ["near", "at-least", "too-far"]


def test_bases_that_are_alike_are_searched_up_to_the_share() -> None:
    near = dict.fromkeys(IDS[:20], 0.99)
    route = choose(IDS[:20], [], near, None, RouteSettings(most_share=0.5))
    assert len(route.searched) == 10


def test_words_alone_have_a_smaller_margin() -> None:
    words = {IDS[0]: 1.0} | dict.fromkeys(IDS[1:4], 0.8) | dict.fromkeys(IDS[4:20], 0.5)
    route = choose(IDS[:20], [], None, words, RouteSettings(margin=0.8, at_least=1))
    assert set(route.searched) == set(IDS[:4])
    assert route.bases[0].nearness is None


def test_nearness_does_not_depend_on_the_embedders_scale() -> None:
    wide = {IDS[0]: Nearness(0.9, 0.1, 10), IDS[1]: Nearness(0.5, 0.1, 10)}
    narrow = {base: Nearness(0.8 + n.best / 100, 0.8 + n.mean / 100, n.entries) for base, n in wide.items()}
    one, other = relative_nearness(wide), relative_nearness(narrow)
    assert one[IDS[0]] == 1.0
    assert all(abs(one[base] - other[base]) < 1e-6 for base in wide)


@given(count=st.integers(0, 300), seed=st.integers(0, 5))
def test_centroids_are_few_of_unit_length_and_stand_for_all(count: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    centroids, sizes = centroids_of(vectors)
    assert sizes.sum() == count
    assert len(centroids) == len(sizes) <= MOST_CENTROIDS
    assert np.allclose(np.linalg.norm(centroids, axis=1), 1.0, atol=1e-4)
    again, _ = centroids_of(vectors)
    assert np.array_equal(centroids, again)
