"""Measures what rewriting the last turn of a conversation gains for the search, with the embedded model.

    python -m benchmarks.rewriting FOLDER [--rewrites FILE …] [--vectors FILE] [--data-dir DIR]

FOLDER holds `corpus.jsonl`, `queries.jsonl` (with `history`) and `qrels.tsv`, such as MTRAG-UN. Each question
is searched as typed, as the rules carry over what it leaves out, with the question before it always in front,
and, where FILE (`{question, rewrite}` lines, recorded from people or a model) holds the same question, as
rewritten there; for these questions all ways are told apart. Target: the rules lose nothing at recall@5 of
questions with a history, and gain at least 0.02. Prints JSON; exits with 1 where the target is missed.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.own_database import own_database
from benchmarks.vector_cache import CachingGateway, VectorCache

from refdesk import migrations
from refdesk.chat.stages.carrying import carried, leans
from refdesk.chat.stages.splitting import split_by_rules
from refdesk.evaluation import JudgedQuery, load_retrieval_set
from refdesk.evaluation.metrics import recall
from refdesk.evaluation.temporary_base import TemporaryBase, temporary_base
from refdesk.kit.database import Database
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings
from refdesk.retrieval import Retriever, SearchRequest

LEAST_GAIN = 0.02
DEPTH = 5

type Way = Callable[[str, Sequence[str]], str]

WAYS: Mapping[str, Way] = {
    "typed": lambda question, _: question,
    "rules": carried,
    "question_before_always": lambda question, earlier: " ".join([*earlier[-1:], question]),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--rewrites", nargs="*", default=[], type=Path, help="recorded rewrites, JSON lines")
    parser.add_argument("--database-url", help="its role may create databases; empty: embedded")
    parser.add_argument("--vectors", type=Path, help="SQLite file that keeps vectors between runs")
    parser.add_argument("--data-dir", type=Path, help="where the converted model is kept; empty: temporary")
    given = parser.parse_args()
    with own_database(given.database_url, given.data_dir) as (settings, own):
        report = asyncio.run(measure(settings, own, given))
    print(json.dumps(report, indent=2))
    if not all(report["passed"].values()):
        sys.exit(1)


async def measure(settings: Settings, url: str, given: argparse.Namespace) -> dict[str, Any]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=4, application_name="refdesk-bench")
    gateway = CachingGateway(settings, database, load_cipher(settings))
    gateway.cache = VectorCache(given.vectors) if given.vectors else None
    retriever = Retriever(database, gateway, settings)
    judged = load_retrieval_set(*(given.folder / f for f in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")))
    earlier = _earlier(given.folder / "queries.jsonl")
    recorded = _recorded(given.rewrites)
    try:
        async with temporary_base(database, gateway, settings, judged.passages) as base:
            scores: dict[str, dict[str, float]] = {}
            for name, way in WAYS.items():
                scores[name] = {
                    query.id: await _recall(retriever, base, query, way(query.text, earlier[query.id]))
                    for query in judged.queries
                }
            known = [query for query in judged.queries if _key(query.text) in recorded]
            scores["recorded"] = {
                query.id: await _recall(retriever, base, query, recorded[_key(query.text)]) for query in known
            }
    finally:
        await gateway.close()
        await database.close()
    later = [query.id for query in judged.queries if earlier[query.id]]
    leaning = [query.id for query in judged.queries if earlier[query.id] and leans(query.text)]
    report = {
        "questions": len(judged.queries),
        "with_history": len(later),
        "leaning": len(leaning),
        "split_by_rules": sum(len(split_by_rules(query.text)) > 1 for query in judged.queries),
        f"recall@{DEPTH}_with_history": {name: _mean(scores[name], later) for name in WAYS},
        f"recall@{DEPTH}_leaning": {name: _mean(scores[name], leaning) for name in WAYS},
        f"recall@{DEPTH}_all": {name: _mean(scores[name], scores[name]) for name in WAYS},
        f"recall@{DEPTH}_where_recorded": {
            "questions": len(known),
            **{name: _mean(scores[name], [query.id for query in known]) for name in scores},
        },
    }
    gain = _mean(scores["rules"], later) - _mean(scores["typed"], later)
    return report | {"passed": {"rules_gain": gain >= LEAST_GAIN}}


async def _recall(retriever: Retriever, base: TemporaryBase, query: JudgedQuery, text: str) -> float:
    request = SearchRequest(
        text[:4_000], [base.knowledge_base_id], top_n=DEPTH, similarity=0.0, apply_gate=False
    )
    hits = (await retriever.search(base.scope, request)).hits
    return recall([base.passages[hit.paragraph_id] for hit in hits], query.relevance, DEPTH)


def _earlier(queries: Path) -> dict[str, list[str]]:
    """What the person said before each question, by its id."""
    with queries.open(encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return {
        line["id"]: [turn["text"].strip() for turn in line.get("history") or () if turn["role"] == "user"]
        for line in read
    }


def _recorded(files: Sequence[Path]) -> dict[str, str]:
    rewrites: dict[str, str] = {}
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                known = json.loads(line)
                rewrites.setdefault(_key(known["question"]), known["rewrite"])
    return rewrites


def _key(question: str) -> str:
    return " ".join(question.split()).casefold()


def _mean(scores: Mapping[str, float], ids: Any) -> float:
    values = [scores[one] for one in ids if one in scores]
    return round(float(np.mean(values)), 4) if values else 0.0


if __name__ == "__main__":
    main()
