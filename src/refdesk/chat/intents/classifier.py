"""Intents by their examples alone: no model but the one that embeds.

An intent's closeness to a question is the sum of four views of the examples: the mean of the three most
similar ones, the centroid, a linear discriminant (which directions tell these intents apart), and the
likeness of words. Whether the closest is close enough is learned from the examples themselves: each is
scored by a classifier that has not seen it, and questions about anything else by all. Figures:
`docs/quality.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from refdesk.chat.intents.words import ExampleWords, Floats

type Labels = npt.NDArray[np.int64]

# Weights of the views, chosen by cross-validation on the training parts of banking77 and clinc150.
NEIGHBOURS: Final = 2
CENTROID, NEIGHBOUR, WORDS, DISCRIMINANT = 0.5, 1.0, 0.5, 0.2
SHRINKAGE: Final = 0.4
FOLDS: Final = 5
# Share of the examples that may be turned away, at most where strangers come as close, and the share of
# strangers that may be let in.
LOST, MOST_LOST, LET_IN = 0.04, 0.06, 0.1
MOST_HELD_OUT: Final = 750
MOST_MARGIN: Final = 2.0
LEAST_SPREAD: Final = 0.1
THRESHOLD: Final = 0.35
_TYPICAL: Final = 0.85
# Share of questions that keep a second intent beside their best.
_SECOND: Final = 0.15
_SEED: Final = 20_231


@dataclass(frozen=True, slots=True)
class Scale:
    """From closeness to a score of 0–1: `least` is where the threshold lies, `typical` a usual example.
    `spread` is how far behind the best another intent's score falls to a third."""

    least: float
    typical: float
    spread: float
    deviation: float


class ExampleClassifier:
    """Fitted once to a tree's examples; scores questions in well under a millisecond each."""

    def __init__(
        self,
        vectors: Floats,
        texts: Sequence[str],
        labels: Labels,
        outside: Floats,
        outside_texts: Sequence[str],
    ) -> None:
        """`vectors` are unit vectors [n, d] of `texts`, `labels` their intents, from 0 without gaps;
        `outside` and `outside_texts` are questions about anything else."""
        self._words = ExampleWords(texts)
        self._view = _View(vectors, labels)
        self.scale = self._calibrated(vectors, texts, labels, outside, outside_texts)

    def scores(self, vectors: Floats, texts: Sequence[str]) -> Floats:
        """[questions, intents], 0–1; from 0.35 on it counts."""
        closeness = self._view.closeness(vectors, self._words.likeness(texts), self.scale.deviation)
        return _scored(closeness, self.scale)

    def _calibrated(
        self,
        vectors: Floats,
        texts: Sequence[str],
        labels: Labels,
        outside: Floats,
        outside_texts: Sequence[str],
    ) -> Scale:
        folds = _folds(labels)
        random = np.random.default_rng(_SEED)
        views = [_View(vectors[folds != fold], labels[folds != fold]) for fold in range(FOLDS)]
        deviation = float(np.mean([view.deviation(vectors[folds == n]) for n, view in enumerate(views)]))
        best: list[Floats] = []
        margins: list[Floats] = []
        for fold, view in enumerate(views):
            held = np.flatnonzero(folds == fold)
            if len(held) > MOST_HELD_OUT // FOLDS:
                held = random.choice(held, MOST_HELD_OUT // FOLDS, replace=False)
            if not len(held):
                continue
            alike = self._words.likeness([texts[place] for place in held.tolist()])[:, folds != fold]
            closeness = np.sort(view.closeness(vectors[held], alike, deviation), axis=1)
            best.append(closeness[:, -1])
            if closeness.shape[1] > 1:
                margins.append(np.minimum(closeness[:, -1] - closeness[:, -2], MOST_MARGIN))
        if (
            not best
        ):  # of every intent there is one text: no example of another's view, so its own counts half
            seen = np.sort(self._view.closeness(vectors, self._words.likeness(texts), deviation), axis=1)
            best.append(0.5 * np.abs(seen[:, -1]))
        inside = np.concatenate(best)
        least, typical = float(np.quantile(inside, LOST)), float(np.median(inside))
        if len(outside):
            alike = self._words.likeness(outside_texts)
            strangers = self._view.closeness(outside, alike, deviation).max(axis=1)
            let_in = float(np.quantile(strangers, 1 - LET_IN))
            if let_in < least:  # room between them: leave half of it to questions put in other words
                least = 0.5 * least + 0.5 * let_in
            else:  # they overlap, as those of a few examples do; at worst half of the strangers come in
                least = min(let_in, float(np.quantile(inside, MOST_LOST)))
                least = max(least, float(np.median(strangers)))
        spread = float(np.quantile(np.concatenate(margins), _SECOND)) if margins else 1.0
        typical = max(typical, least + 0.05)
        # Margins of a few examples tell little: a second intent gets some room in any case.
        room = min(LEAST_SPREAD, 0.25 * (typical - least))
        return Scale(least, typical, max(spread, room), deviation)


class _View:
    """The examples as vectors see them. Intents without an example here are infinitely far."""

    def __init__(self, vectors: Floats, labels: Labels) -> None:
        self.labels = labels
        self.count = int(labels.max()) + 1 if len(labels) else 0
        self.middle = vectors.mean(axis=0)
        self.examples = _unit(vectors - self.middle)
        sizes = np.bincount(labels, minlength=self.count)
        sums = np.zeros((self.count, vectors.shape[1]), dtype=np.float32)
        np.add.at(sums, labels, vectors - self.middle)
        self.known = sizes > 0
        means = sums / np.maximum(sizes, 1)[:, None]
        self.centroids = _unit(means)
        self._of = [np.flatnonzero(labels == label) for label in range(self.count)]
        self._discriminant, self._offset = _discriminant(vectors - self.middle, labels, means)

    def deviation(self, vectors: Floats) -> float:
        """How widely the discriminant's scores spread."""
        if not len(vectors):
            return 1.0
        return float(self._discriminated(vectors)[:, self.known].std()) or 1.0

    def closeness(self, vectors: Floats, alike: Floats, deviation: float) -> Floats:
        """[questions, intents]; `alike` is the likeness of words to each example."""
        centred = _unit(vectors - self.middle)
        near = centred @ self.examples.T
        total = CENTROID * centred @ self.centroids.T
        total += DISCRIMINANT * self._discriminated(vectors) / deviation
        for label, places in enumerate(self._of):
            if len(places):
                total[:, label] += NEIGHBOUR * _best(near[:, places]) + WORDS * _best(alike[:, places])
        total[:, ~self.known] = -np.inf
        return total

    def _discriminated(self, vectors: Floats) -> Floats:
        return (vectors - self.middle) @ self._discriminant + self._offset


def _discriminant(centred: Floats, labels: Labels, means: Floats) -> tuple[Floats, Floats]:
    """Linear discriminant analysis with a shrunken covariance within the intents: [d, intents], [intents]."""
    size, dimensions = centred.shape
    rest = centred - means[labels]
    within = rest.T @ rest / max(1, size - len(means))
    level = float(np.trace(within)) / dimensions or 1e-4
    within = (1 - SHRINKAGE) * within + SHRINKAGE * level * np.eye(dimensions, dtype=np.float32)
    weights = np.linalg.solve(within, means.T).astype(np.float32)
    return weights, (-0.5 * np.einsum("cd,dc->c", means, weights)).astype(np.float32)


def _scored(closeness: Floats, scale: Scale) -> Floats:
    best = closeness.max(axis=1, keepdims=True)
    low, high = _logit(THRESHOLD), _logit(_TYPICAL)
    steep = (high - low) / (scale.typical - scale.least)
    confidence = 1 / (1 + np.exp(-(low + steep * (best - scale.least))))
    # A question at the `spread` keeps its second intent just above the threshold, where the best is typical.
    behind = np.exp(-(best - closeness) / scale.spread * np.log(_TYPICAL / THRESHOLD))
    return (confidence * behind).astype(np.float32)


def _logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


def _best(scores: Floats) -> Floats:
    """The mean of the best few of each row."""
    most = min(NEIGHBOURS, scores.shape[1])
    return np.partition(scores, -most, axis=1)[:, -most:].mean(axis=1)


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-9)


def _folds(labels: Labels) -> Labels:
    """A fold for each example, the examples of an intent spread over all. Of an only example none is held
    out: its intent would be unknown."""
    random = np.random.default_rng(_SEED)
    folds = np.full(len(labels), -1, dtype=np.int64)
    for label in range(int(labels.max()) + 1):
        places = np.flatnonzero(labels == label)
        if len(places) > 1:
            folds[random.permutation(places)] = (np.arange(len(places)) + label) % FOLDS
    return folds
