"""How well questions are told apart by examples alone, beside plain nearest neighbour.

    python benchmarks/intents.py FOLDER [--models DIR] [--cache DIR] [--json]

FOLDER holds `*.jsonl` with `{"text", "intent", "split"}` a line, `oos` being out of scope. A set with a part
`dev` or `test` is fitted to `train` and measured on that; one without is measured by holding out a third of
each intent, three times. The example tree of `examples/intents` is measured on its own paraphrases. Vectors
are kept in the cache, so that a second run takes seconds.

Columns: accuracy of the best intent (`first`); with what is turned away counted as wrong (`accepted`); share
of out-of-scope questions turned away (`oos`); seconds to fit, milliseconds to score a question.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from refdesk.chat.intents.background import BACKGROUND
from refdesk.chat.intents.classifier import THRESHOLD, ExampleClassifier
from refdesk.gateway.embedded import EmbeddedEmbedder

OUT = "oos"
THIRDS = 3
EXAMPLES = Path(__file__).parents[1] / "examples" / "intents"


@dataclass(frozen=True)
class Part:
    """What is fitted to, and what is asked; `out` are the questions out of scope."""

    texts: list[str]
    intents: list[str]
    asked: list[str]
    wanted: list[str]
    out: list[str]


@dataclass(frozen=True)
class Figures:
    set: str
    intents: int
    examples: int
    asked: int
    neighbour: float
    first: float
    accepted: float
    oos: float | None
    fit_s: float
    question_ms: float


class Vectors:
    """Vectors of texts as questions, kept in a file."""

    def __init__(self, models: Path, cache: Path) -> None:
        self._embedder = EmbeddedEmbedder(models)
        self._file = cache / "intent-vectors.npz"
        self._known: dict[str, np.ndarray[Any, Any]] = {}
        if self._file.exists():
            stored = np.load(self._file)
            self._known = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))

    def of(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            made = self._embedder.embed_queries(missing)
            self._known |= dict(zip(missing, made, strict=True))
            np.savez(self._file, texts=list(self._known), vectors=np.stack(list(self._known.values())))
        if not texts:
            return np.empty((0, self._embedder.dimensions), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])


def parts_of(rows: Sequence[dict[str, str]]) -> Iterator[Part]:
    """The parts to measure: one, or three where the set has only examples."""
    train = [row for row in rows if row["split"] == "train" and row["intent"] != OUT]
    rest = [row for row in rows if row["split"] != "train"]
    if rest:
        inside = [row for row in rest if row["intent"] != OUT]
        out = [row["text"] for row in rest if row["intent"] == OUT]
        yield _part(train, inside, out)
        return
    random = np.random.default_rng(0)
    order = random.permutation(len(train))
    place: dict[str, int] = {}
    thirds = np.zeros(len(train), dtype=int)
    for index in order:
        intent = train[index]["intent"]
        thirds[index] = place.setdefault(intent, 0) % THIRDS
        place[intent] += 1
    for third in range(THIRDS):
        held = [row for row, at in zip(train, thirds, strict=True) if at == third]
        yield _part([row for row, at in zip(train, thirds, strict=True) if at != third], held, [])


def _part(train: list[dict[str, str]], asked: list[dict[str, str]], out: list[str]) -> Part:
    return Part(
        [row["text"] for row in train],
        [row["intent"] for row in train],
        [row["text"] for row in asked],
        [row["intent"] for row in asked],
        out,
    )


def example_part(name: str) -> Part:
    """The example tree, asked its paraphrases."""
    tree = yaml.safe_load((EXAMPLES / name).read_text())
    texts: list[str] = []
    intents: list[str] = []

    def walk(nodes: list[dict[str, Any]]) -> None:
        for node in nodes:
            if node.get("children"):
                walk(node["children"])
                continue
            described = f"{node['name']}: {node['description']}" if node.get("description") else node["name"]
            texts.extend([*node["examples"], described])
            intents.extend([node["code"]] * (len(node["examples"]) + 1))

    walk(tree["intents"])
    asked = [json.loads(line) for line in (EXAMPLES / "paraphrases.jsonl").read_text().splitlines()]
    inside = [one for one in asked if one["code"] is not None]
    out = [one["text"] for one in asked if one["code"] is None]
    return Part(texts, intents, [one["text"] for one in inside], [one["code"] for one in inside], out)


def measured(name: str, part: Part, vectors: Vectors) -> Figures:
    names = sorted(set(part.intents))
    labels = np.array([names.index(intent) for intent in part.intents])
    wanted = np.array([names.index(intent) for intent in part.wanted])
    examples, asked = vectors.of(part.texts), vectors.of(part.asked)
    outside, out = vectors.of(BACKGROUND), vectors.of(part.out)
    started = time.perf_counter()
    classifier = ExampleClassifier(examples, part.texts, labels, outside, BACKGROUND)
    fit_s = time.perf_counter() - started
    started = time.perf_counter()
    scores = classifier.scores(asked, part.asked)
    question_ms = (time.perf_counter() - started) / len(part.asked) * 1000
    right = scores.argmax(axis=1) == wanted
    best = scores.max(axis=1)
    turned_away = classifier.scores(out, part.out).max(axis=1) < THRESHOLD if part.out else None
    neighbour = labels[(asked @ examples.T).argmax(axis=1)] == wanted
    return Figures(
        set=name,
        intents=len(names),
        examples=len(part.texts),
        asked=len(part.asked),
        neighbour=round(float(neighbour.mean()), 4),
        first=round(float(right.mean()), 4),
        accepted=round(float((right & (best >= THRESHOLD)).mean()), 4),
        oos=round(float(turned_away.mean()), 4) if turned_away is not None else None,
        fit_s=round(fit_s, 2),
        question_ms=round(question_ms, 2),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=Path, default=Path.home() / ".refdesk" / "models")
    parser.add_argument("--cache", type=Path, default=Path("/tmp"))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    vectors = Vectors(given.models, given.cache)
    figures: list[Figures] = []
    for file in sorted(given.folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        figures += [measured(file.stem, part, vectors) for part in parts_of(rows)]
    figures += [measured(name, example_part(name), vectors) for name in ("shop.zh.yaml", "shop.en.yaml")]
    if given.json:
        print(json.dumps([asdict(one) for one in figures], indent=2))
        return
    columns = list(asdict(figures[0]))
    print(" ".join(f"{column:>13}" for column in columns))
    for one in figures:
        print(" ".join(f"{value!s:>13}" for value in asdict(one).values()))


if __name__ == "__main__":
    main()
