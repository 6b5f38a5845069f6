"""Fitting gates on one half of the questions and judging them on the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refdesk.evaluation.gates import Look, Seen, fit_embedder, fit_reranker
from refdesk.evaluation.gates.splitting import auroc, balanced_accuracy, interval, split
from refdesk.gateway import DEFAULT_GATES, Gates, Scale

DICE = np.random.default_rng(7)


def looks(
    found: float, missing: float, *, count: int = 400, spread: float = 0.05, named: bool = False
) -> list[Look]:
    """Questions whose answer is about `found` similar, and whose best other passage about `missing`."""
    made: list[Look] = []
    for number in range(count):
        answer, other = DICE.normal(found, spread), DICE.normal(missing, spread)
        hits = [Seen(True, answer, answer / 2, answer * 10), Seen(False, other, other / 2, other * 10)]
        made.append(Look(f"q{number}", True, tuple(hits)))
        if named:
            made.append(Look(f"n{number}", False, (Seen(False, other, other / 2, other * 10),)))
    return made


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(("found", "missing"), [(0.4, 0.2), (0.8, 0.6)])
def test_a_known_threshold_is_recovered_on_either_scale(found: float, missing: float, named: bool) -> None:
    fitted = fit_embedder(looks(found, missing, named=named), "named" if named else "left-out", DEFAULT_GATES)
    middle = (found + missing) / 2
    assert fitted.gates.both.balance == pytest.approx(middle, abs=0.03)
    assert fitted.gates.meaning.balance == pytest.approx(middle / 2, abs=0.02)
    by_name = {fit.gate: fit for fit in fitted.fits}
    both = by_name["both"]
    assert both.before == 0.45
    assert both.low <= both.after <= both.high
    assert both.auroc > 0.98
    assert both.balanced_after > 0.95 > both.balanced_before
    assert both.is_better
    assert sum(both.fitted) + sum(both.judged) == 800


def test_the_halves_are_the_same_in_every_run() -> None:
    one = [look.judges for look in looks(0.6, 0.4)]
    assert one == [look.judges for look in looks(0.9, 0.1)]
    assert 150 < sum(one) < 250


def test_a_fit_that_is_worse_where_it_is_judged_is_not_taken() -> None:
    """The half that judges parts at 0.45, the other at 0.75: the threshold stays as it was."""
    mixed = [
        Look(look.key, True, (Seen(True, 0.5, 0.5), Seen(False, 0.4, 0.4)))
        if look.judges
        else Look(look.key, True, (Seen(True, 0.8, 0.8), Seen(False, 0.7, 0.7)))
        for look in looks(0.6, 0.4)
    ]
    fitted = fit_embedder(mixed, "left-out", DEFAULT_GATES)
    assert not any(fit.is_better for fit in fitted.fits if fit.gate in ("both", "meaning"))
    assert fitted.gates.both.balance == 0.45


def test_the_drop_parts_what_answers_from_what_stands_beside_it() -> None:
    """Other answers stand 0–0.1 below the best, what does not answer 0.3 below."""
    made = [Look(f"n{number}", False, (Seen(False, 0.2, 0.2),)) for number in range(200)]
    made += [
        Look(
            f"q{number}",
            True,
            (
                Seen(True, 0.95, 0.95),
                Seen(True, 0.95 - 0.1 * DICE.random(), 0.9),
                *(Seen(False, 0.65 + 0.02 * DICE.random(), 0.6) for _ in range(3)),
            ),
        )
        for number in range(200)
    ]
    fitted = fit_embedder(made, "named", Gates(both=Scale(0.45, 0.05), meaning=Scale()))
    drop = next(fit for fit in fitted.fits if fit.gate == "drop_both")
    assert 0.1 < drop.after < 0.6
    assert drop.balanced_after == pytest.approx(1.0, abs=0.02)
    assert drop.before == 0.05
    assert fitted.gates.both.drop == drop.after
    assert drop.low <= drop.after <= drop.high


def test_the_least_score_of_a_reranker_is_on_its_own_scale() -> None:
    fit = fit_reranker(looks(0.8, 0.2), "left-out", None)
    assert fit.before is None
    assert fit.balanced_before == 0.5
    assert fit.after == pytest.approx(5.0, abs=1.0)
    assert fit.is_better


def test_one_kind_alone_or_too_few_are_refused() -> None:
    with pytest.raises(ValueError):
        fit_embedder(looks(0.6, 0.4), "named", DEFAULT_GATES)
    with pytest.raises(ValueError):
        fit_embedder(looks(0.6, 0.4, count=12), "left-out", DEFAULT_GATES)
    with pytest.raises(ValueError):
        split([0.5] * 9, [0.4] * 20)
    with pytest.raises(ValueError):
        split([float("nan")] * 20, [0.4] * 20)


scores = st.lists(st.floats(min_value=0, max_value=1), min_size=10, max_size=40)


@settings(deadline=None, max_examples=40)
@given(scores, scores)
def test_the_figures_keep_to_their_meaning(upper: list[float], lower: list[float]) -> None:
    assert auroc(upper, lower) == pytest.approx(1 - auroc(lower, upper))
    by_pairs = np.mean([[(u > w) + (u == w) / 2 for w in lower] for u in upper])
    assert auroc(upper, lower) == pytest.approx(float(by_pairs))
    threshold = split(upper, lower)
    assert min(upper + lower) <= threshold <= max(upper + lower)
    assert 0 <= balanced_accuracy(upper, lower, threshold) <= 1


def test_the_interval_narrows_with_more_questions() -> None:
    few = interval(DICE.normal(0.6, 0.1, 20), DICE.normal(0.3, 0.1, 20))
    many = interval(DICE.normal(0.6, 0.1, 2000), DICE.normal(0.3, 0.1, 2000))
    assert many[1] - many[0] < few[1] - few[0]
