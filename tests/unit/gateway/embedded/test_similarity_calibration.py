"""The scale on which similarity is compared."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.gateway.calibration import Calibration, balance_point, default_pairs, duplicate_pairs, fit
from refdesk.gateway.embedded import CALIBRATION, EmbeddedEmbedder

SCORES = st.floats(-1.0, 1.0, allow_nan=False)


def samples(positive: float, negative: float, spread: float) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    return random.normal(positive, spread, 300), random.normal(negative, spread, 300)


@pytest.mark.parametrize(
    ("positive", "negative", "spread"), [(0.9, 0.83, 0.03), (0.65, 0.4, 0.08), (0.3, -0.1, 0.1)]
)
def test_balance_point_is_mapped_to_the_threshold_on_any_scale(
    positive: float, negative: float, spread: float
) -> None:
    good, bad = samples(positive, negative, spread)
    calibration = fit(good, bad)
    threshold, accuracy = balance_point(good, bad)
    assert calibration.calibrate(threshold) == pytest.approx(0.45, abs=1e-3)
    assert calibration.calibrate(positive) > 0.45 > calibration.calibrate(negative)
    assert 0.8 < accuracy <= 1.0


@given(SCORES, SCORES)
def test_order_is_kept(a: float, b: float) -> None:
    low, high = CALIBRATION.calibrate(sorted((a, b)))
    assert 0.0 <= low <= high <= 1.0


@given(st.floats(0.0, 1.0))
def test_inverse_leads_back(similarity: float) -> None:
    assert CALIBRATION.calibrate(CALIBRATION.invert(similarity)) == pytest.approx(similarity, abs=2e-3)


@given(
    st.lists(SCORES, min_size=10, max_size=40),
    st.lists(SCORES, min_size=10, max_size=40),
)
def test_fit_gives_a_valid_map_or_refuses(positive: list[float], negative: list[float]) -> None:
    try:
        calibration = fit(np.array(positive), np.array(negative))
    except ValueError:
        return
    assert Calibration.from_json(calibration.to_json()) == calibration
    values = calibration.calibrate(np.linspace(-1, 1, 50))
    assert all(a <= b for a, b in pairwise(values))


def test_scores_that_tell_nothing_apart_are_refused() -> None:
    same = np.full(50, 0.8)
    with pytest.raises(ValueError, match="same scores"):
        fit(same, same)
    good, bad = samples(0.4, 0.7, 0.1)
    with pytest.raises(ValueError, match="same scores"):
        fit(good, bad)


@pytest.mark.parametrize("bad", [[0.5] * 3, [0.5] * 20 + [float("nan")], []])
def test_too_few_or_broken_scores_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="ten finite"):
        fit(np.array(bad), np.linspace(0, 0.4, 30))


def test_stored_form_is_plain_json() -> None:
    stored = json.loads(json.dumps(CALIBRATION.to_json()))
    assert stored["kind"] == "piecewise"
    assert Calibration.from_json(stored) == CALIBRATION


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"kind": "spline", "knots": [[0, 0], [1, 1]]},
        {"kind": "piecewise"},
        {"kind": "piecewise", "knots": [[0, 0]]},
        {"kind": "piecewise", "knots": [[0, 0.5], [1, 0.2]]},
        {"kind": "piecewise", "knots": [[0, 0], [0, 1]]},
        {"kind": "piecewise", "knots": [[0, 0], [1, 1.5]]},
        {"kind": "piecewise", "knots": [[0, 0], [1, None]]},
    ],
)
def test_malformed_stored_form_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        Calibration.from_json(stored)


def test_built_in_pairs_are_many_bilingual_and_of_both_kinds() -> None:
    pairs = default_pairs()
    chinese = [question for question, _, _ in pairs if any("一" <= char <= "鿿" for char in question)]
    assert len(pairs) >= 120
    assert 0.3 < len(chinese) / len(pairs) < 0.7
    assert len(set(pairs)) == len(pairs)
    assert sum(label for _, _, label in pairs) >= 120
    assert len(duplicate_pairs()) >= 40


def test_shipped_calibration_is_the_one_the_pairs_give(embedder: EmbeddedEmbedder) -> None:
    pairs, doubles = default_pairs(), duplicate_pairs()
    answers = np.array([label for _, _, label in pairs])
    cosines = cosine(embedder, [(question, passage) for question, passage, _ in pairs])
    fitted = fit(cosines[answers], cosines[~answers], duplicate=cosine(embedder, doubles))
    # Rounding of the 8-bit matrices differs a little between processors.
    np.testing.assert_allclose(fitted.knots, CALIBRATION.knots, atol=0.004)


def test_same_sentence_is_a_near_duplicate_and_another_subject_is_not_found(
    embedder: EmbeddedEmbedder,
) -> None:
    doubles = duplicate_pairs()
    same = CALIBRATION.calibrate(cosine(embedder, [(first, first) for first, _ in doubles]))
    others = [*doubles[5:], *doubles[:5]]
    other = CALIBRATION.calibrate(
        cosine(embedder, [(first, second) for (first, _), (_, second) in zip(doubles, others, strict=True)])
    )
    assert np.median(same) > 0.9
    assert np.quantile(other, 0.95) < 0.45


def cosine(embedder: EmbeddedEmbedder, pairs: list[tuple[str, str]]) -> np.ndarray:
    questions = list(dict.fromkeys(question for question, _ in pairs))
    passages = list(dict.fromkeys(passage for _, passage in pairs))
    similar = embedder.embed_queries(questions) @ embedder.embed_passages(passages).T
    return np.array([similar[questions.index(a), passages.index(b)] for a, b in pairs])
