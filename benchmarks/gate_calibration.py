"""Measures found and not found on judged test sets, with the default gates and with fitted ones.

    python -m benchmarks.gate_calibration FOLDER [FOLDER …] [--vectors FILE] [--sample N]

FOLDER holds `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`. Each set is a base of its own with the embedded
model; questions without an answer are made by leaving out what answers. The gates are fitted on one half of
the questions and judged on the other, by the code of `refdesk eval calibrate`. Where two sets are given or
more, each one's gates are also judged on all questions of the others. `--remove` takes the answering passages
really out of the base, for as many questions as N, and tells how far the best similarity then is from the one
that leaving out gives. Prints JSON.
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.own_database import own_database
from benchmarks.vector_cache import CachingGateway, VectorCache

from refdesk import migrations
from refdesk.evaluation import RetrievalSet, load_retrieval_set
from refdesk.evaluation.cases import Expected
from refdesk.evaluation.gates import Look, Question, fit_embedder, look_up, scores_of
from refdesk.evaluation.gates.splitting import auroc, balanced_accuracy
from refdesk.evaluation.temporary_base import TemporaryBase, temporary_base
from refdesk.gateway import DEFAULT_GATES, Gates
from refdesk.kit.database import Database
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings
from refdesk.retrieval import Retriever


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    arguments.add_argument("--vectors", type=Path, help="SQLite file that keeps vectors between runs")
    arguments.add_argument("--data-dir", type=Path, help="where the converted model is; empty: temporary")
    arguments.add_argument("--sample", type=int, help="queries a set; all by default")
    arguments.add_argument("--remove", type=int, default=0, metavar="N", help="questions of the first set")
    given = arguments.parse_args()
    with own_database(None, given.data_dir) as (settings, own):
        report = asyncio.run(measure(settings, own, given.folders, given.vectors, given.sample, given.remove))
    print(json.dumps(report, indent=2))


async def measure(
    settings: Settings, url: str, folders: list[Path], vectors: Path | None, sample: int | None, remove: int
) -> dict[str, Any]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=4, application_name="refdesk-bench")
    gateway = CachingGateway(settings, database, load_cipher(settings))
    gateway.cache = VectorCache(vectors) if vectors else None
    seen: dict[str, list[Look]] = {}
    removal: dict[str, float] = {}
    try:
        retriever = Retriever(database, gateway, settings)
        for folder in folders:
            judged = load_retrieval_set(
                folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv", sample=sample
            )
            async with temporary_base(database, gateway, settings, judged.passages) as base:
                seen[folder.name] = await _looks(retriever, base, judged)
            if remove and not removal:
                removal = await _removed(
                    database, gateway, settings, retriever, judged, seen[folder.name], remove
                )
    finally:
        await gateway.close()
        await database.close()
    sets: dict[str, Any] = {}
    for name, looks in seen.items():
        fitted = fit_embedder(looks, "left-out", DEFAULT_GATES)
        sets[name] = {
            "questions": len(looks),
            "fits": {fit.gate: fit.model_dump(exclude={"gate"}) for fit in fitted.fits},
            "on_others": {
                other: _judged(theirs, fitted.gates) for other, theirs in seen.items() if other != name
            },
        }
    return {"sets": sets} | ({"really_removed": removal} if removal else {})


async def _looks(retriever: Retriever, base: TemporaryBase, judged: RetrievalSet) -> list[Look]:
    ids = {passage: paragraph for paragraph, passage in base.passages.items()}
    questions = [
        Question(
            query.id,
            query.text,
            Expected(paragraph_ids=frozenset(ids[key] for key in query.relevance if key in ids)),
        )
        for query in judged.queries
    ]
    return [look async for look in look_up(retriever, base.scope, questions, [base.knowledge_base_id])]


def _judged(looks: list[Look], gates: Gates) -> dict[str, float]:
    """Balanced accuracy of words and meaning together on all questions of a set."""
    scores = scores_of(looks, lambda one: one.both, "left-out")
    return {
        "default": round(balanced_accuracy(scores.upper, scores.lower, DEFAULT_GATES.both.balance), 4),
        "fitted_there": round(balanced_accuracy(scores.upper, scores.lower, gates.both.balance), 4),
        "auroc": round(auroc(scores.upper, scores.lower), 4),
    }


async def _removed(
    database: Database,
    gateway: CachingGateway,
    settings: Settings,
    retriever: Retriever,
    judged: RetrievalSet,
    looks: list[Look],
    count: int,
) -> dict[str, float]:
    """The best similarity of questions whose passages are not in the base at all, beside the left-out one."""
    chosen = judged.queries[:: max(len(judged.queries) // count, 1)][:count]
    gone = {passage for query in chosen for passage in query.relevance}
    passages = [passage for passage in judged.passages if passage.id not in gone]
    questions = [Question(query.id, query.text, Expected(nothing=True)) for query in chosen]
    async with temporary_base(database, gateway, settings, passages) as base:
        without = [look async for look in look_up(retriever, base.scope, questions, [base.knowledge_base_id])]
    by_key = {look.key: look for look in looks}
    left_out = scores_of([by_key[look.key] for look in without], lambda one: one.both, "left-out").lower
    removed = scores_of(without, lambda one: one.both, "named").lower
    differences = np.array(removed) - np.array(left_out)
    threshold = DEFAULT_GATES.both.balance
    return {
        "questions": len(without),
        "mean_difference": round(float(differences.mean()), 4),
        "mean_absolute_difference": round(float(np.abs(differences).mean()), 4),
        "refused_removed": round(float(np.mean(np.array(removed) < threshold)), 4),
        "refused_left_out": round(float(np.mean(np.array(left_out) < threshold)), 4),
    }


if __name__ == "__main__":
    main()
