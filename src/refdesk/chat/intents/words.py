"""How alike two short texts are by their letters: TF-IDF over words, pairs of words and runs of characters.

Beside the embedding's view this catches names, codes and odd words that a small model does not know. Chinese
needs no segmenter here: runs of one to three characters do as well for sentences of a line.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

type Floats = npt.NDArray[np.floating[Any]]

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:['-][^\W_\u3400-\u9fff]+)*")
# A text's words beyond this say no more about what it asks.
MOST_CHARS = 400


def grams(text: str) -> list[str]:
    """The features of a text, with repeats."""
    folded = unicodedata.normalize("NFKC", text[:MOST_CHARS]).casefold()
    found: list[str] = []
    for run in _HAN.findall(folded):
        found += [run[at : at + n] for n in (1, 2, 3) for at in range(len(run) - n + 1)]
    words = _WORD.findall(folded)
    found += [f"w:{word}" for word in words]
    found += [f"b:{a} {b}" for a, b in pairwise(words)]
    spaced = f" {' '.join(words)} " if words else ""
    found += [spaced[at : at + n] for n in (3, 4) for at in range(len(spaced) - n + 1)]
    return found


class ExampleWords:
    """The examples by their features. `likeness` is a cosine, 0–1."""

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(grams(text)) for text in texts]
        frequency = Counter(gram for counts in counted for gram in counts)
        self._count = len(texts)
        self._idf = {gram: float(np.log((1 + len(texts)) / (1 + df)) + 1) for gram, df in frequency.items()}
        self._unknown = float(np.log(1 + len(texts)) + 1)
        places: dict[str, list[int]] = {}
        weights: dict[str, list[float]] = {}
        for place, counts in enumerate(counted):
            weighed = self._weighed(counts)
            for gram, weight in weighed.items():
                places.setdefault(gram, []).append(place)
                weights.setdefault(gram, []).append(weight)
        self._postings = {
            gram: (np.array(at, dtype=np.int32), np.array(weights[gram], dtype=np.float32))
            for gram, at in places.items()
        }

    def likeness(self, texts: Sequence[str]) -> Floats:
        """[texts, examples]."""
        scores = np.zeros((len(texts), self._count), dtype=np.float32)
        for row, text in zip(scores, texts, strict=True):
            for gram, weight in self._weighed(Counter(grams(text))).items():
                if (posting := self._postings.get(gram)) is not None:
                    row[posting[0]] += weight * posting[1]
        return scores

    def _weighed(self, counts: Counter[str]) -> dict[str, float]:
        weights = {
            gram: (1 + float(np.log(count))) * self._idf.get(gram, self._unknown)
            for gram, count in counts.items()
        }
        length = float(np.sqrt(sum(weight * weight for weight in weights.values()))) or 1.0
        return {gram: weight / length for gram, weight in weights.items()}
