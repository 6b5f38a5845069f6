"""Measures the strategies that promise something, with the embedded model.

    python -m benchmarks.strategies FOLDER [FOLDER …] [--named FOLDER-NAME] [--vectors FILE] [--sample N]

FOLDER holds `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`. Of each set, the questions that name an entity
are searched by `hybrid-search` and by `entity-focused`; fifty rules in two versions each by `time-aware`.
Targets: on the named set entity-focused is at least 0.02 nDCG@10 above hybrid, and time-aware puts the newest
version first in at least 95 % of the pairs. Prints JSON; exits with 1 where a target is missed.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.own_database import own_database
from benchmarks.vector_cache import CachingGateway, VectorCache
from sqlalchemy import text

from refdesk import migrations
from refdesk.evaluation import Passage, load_retrieval_set
from refdesk.evaluation.metrics import ndcg
from refdesk.evaluation.temporary_base import TemporaryBase, temporary_base
from refdesk.kit.database import Database
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings
from refdesk.retrieval import Retriever, SearchRequest
from refdesk.retrieval.strategies import entities_in
from refdesk.testing.rule_versions import rule_versions

ABOVE_HYBRID, NEWEST_FIRST = 0.02, 0.95


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--named", default="tatqa_finance_tables", help="the set that the target is about")
    parser.add_argument("--database-url", help="its role may create databases; empty: embedded")
    parser.add_argument("--vectors", type=Path, help="SQLite file that keeps vectors between runs")
    parser.add_argument("--data-dir", type=Path, help="where the converted model is kept; empty: temporary")
    parser.add_argument("--sample", type=int, help="queries a set; all by default")
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
    sets: dict[str, dict[str, Any]] = {}
    try:
        for folder in given.folders:
            judged = load_retrieval_set(
                folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv", sample=given.sample
            )
            asked = [query for query in judged.queries if entities_in(query.text)]
            async with temporary_base(database, gateway, settings, judged.passages) as base:
                figures: dict[str, float] = {}
                for strategy in ("hybrid-search", "entity-focused"):
                    scores = [
                        ndcg(await _found(retriever, base, query.text, strategy), query.relevance)
                        for query in asked
                    ]
                    figures[strategy] = float(np.mean(scores))
            sets[folder.name] = {
                "queries": len(judged.queries),
                "naming_an_entity": len(asked),
                "ndcg@10": {strategy: round(value, 4) for strategy, value in figures.items()},
                "gain": round(figures["entity-focused"] - figures["hybrid-search"], 4),
            }
        newest = await _newest_first(database, gateway, settings, retriever)
    finally:
        await gateway.close()
        await database.close()
    passed = {"newest_first": newest["time-aware"] >= NEWEST_FIRST}
    if given.named in sets:
        passed["entity_focused_above_hybrid"] = sets[given.named]["gain"] >= ABOVE_HYBRID
    return {"sets": sets, "newest_version_first": newest, "passed": passed}


async def _found(retriever: Retriever, base: TemporaryBase, query: str, strategy: str) -> list[str]:
    request = SearchRequest(
        query, [base.knowledge_base_id], top_n=10, similarity=0.0, apply_gate=False, strategy=strategy
    )
    return [base.passages[hit.paragraph_id] for hit in (await retriever.search(base.scope, request)).hits]


async def _newest_first(
    database: Database, gateway: CachingGateway, settings: Settings, retriever: Retriever
) -> dict[str, float]:
    """By strategy, the share of the pairs of which the new version comes before the old one."""
    pairs = list(rule_versions())
    passages = [Passage(f"old-{n}", "", pair.old) for n, pair in enumerate(pairs)]
    passages += [Passage(f"new-{n}", "", pair.new) for n, pair in enumerate(pairs)]
    right: dict[str, float] = {}
    async with temporary_base(database, gateway, settings, passages) as base:
        await _date(database, base, {f"old-{n}": pair.old_date for n, pair in enumerate(pairs)})
        await _date(database, base, {f"new-{n}": pair.new_date for n, pair in enumerate(pairs)})
        for strategy in ("hybrid-search", "time-aware", "auto"):
            first = 0
            for number, pair in enumerate(pairs):
                found = await _found(retriever, base, pair.question, strategy)
                versions = [one for one in found if one in (f"old-{number}", f"new-{number}")]
                first += versions[:1] == [f"new-{number}"]
            right[strategy] = round(first / len(pairs), 4)
    return right


async def _date(database: Database, base: TemporaryBase, dates: dict[str, str]) -> None:
    statement = text(
        "UPDATE documents d SET meta = jsonb_build_object('effective_date', CAST(:day AS text))"
        " FROM paragraphs p WHERE p.document_id = d.id AND p.id = :id AND d.workspace_id = :workspace_id"
    )
    rows = [
        {"id": paragraph, "day": dates[passage], "workspace_id": base.scope.workspace_id}
        for paragraph, passage in base.passages.items()
        if passage in dates
    ]
    async with database.transaction() as session:
        await session.execute(statement, rows)


if __name__ == "__main__":
    main()
