"""Measures retrieval with all judged sets in one large base, beside the ways others put two legs together.

    python -m benchmarks.pooled_retrieval FOLDER [FOLDER …] [--noise CORPUS.jsonl …] [--sample N]

FOLDER holds `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`; `--noise` adds passages that nobody asks for.
The searches run through the ordinary code; the rivals order the very same candidates:

- `rrf`: reciprocal ranks of both legs, k = 60;
- `cosine+ts_rank`: `1 − cosine distance + ts_rank_cd(…, 32)` over the candidates by meaning (PostgreSQL's own
  ranking over the same tokens);
- `bm25s`: that library over the same tokens; one of the packages for developing, the product never needs it.

Targets, on the mean over the sets: blend at least 0.02 nDCG@10 above the better leg, and not below any rival.
Prints JSON; exits with 1 where a target is missed.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from benchmarks.own_database import own_database
from benchmarks.vector_cache import CachingGateway, VectorCache
from numpy.typing import NDArray
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk import migrations
from refdesk.evaluation import (
    JudgedQuery,
    Passage,
    RetrievalSet,
    hit,
    load_retrieval_set,
    ndcg,
    recall,
)
from refdesk.evaluation.temporary_base import TemporaryBase, temporary_base
from refdesk.kit.database import Database
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings
from refdesk.knowledge.indexing import tokenize
from refdesk.retrieval import Hit, Retriever, SearchRequest

DEPTH = 100
RRF_K = 60
ABOVE_LEGS = 0.02
LEGS = ("embedding", "keywords", "blend")

type Order = list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--noise", nargs="*", type=Path, default=[], metavar="CORPUS")
    parser.add_argument("--vectors", type=Path, help="SQLite file that keeps vectors between runs")
    parser.add_argument("--data-dir", type=Path, help="where the converted model is kept; empty: temporary")
    parser.add_argument("--sample", type=int, default=200, help="queries a set")
    parser.add_argument("--database-url", help="its role may create databases; empty: embedded")
    given = parser.parse_args()
    with own_database(given.database_url, given.data_dir) as (settings, own):
        sets = {path.name: _load(path, given.sample) for path in given.folders}
        noise = [passage for path in given.noise for passage in _noise(path)]
        report = asyncio.run(measure(settings, own, sets, noise, given.vectors))
    print(json.dumps(report, indent=2))
    sys.exit(0 if all(report["passed"].values()) else 1)


def _load(folder: Path, sample: int) -> RetrievalSet:
    return load_retrieval_set(
        folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv", sample=sample
    )


def _noise(path: Path) -> list[Passage]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Passage(str(line["id"]), str(line.get("title") or ""), str(line["text"])) for line in lines]


async def measure(
    settings: Settings,
    url: str,
    sets: dict[str, RetrievalSet],
    noise: Sequence[Passage],
    vectors: Path | None,
) -> dict[str, Any]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=4, application_name="refdesk-bench")
    gateway = CachingGateway(settings, database, load_cipher(settings))
    gateway.cache = VectorCache(vectors) if vectors else None
    passages = [passage for judged in sets.values() for passage in judged.passages] + list(noise)
    figures: dict[str, dict[str, Any]] = {}
    try:
        async with temporary_base(database, gateway, settings, passages) as base:
            retriever = Retriever(database, gateway, settings)
            async with database.transaction() as session:
                await _store_tokens(session, passages)
            library = _LexicalLibrary(passages)
            for name, judged in sets.items():
                orders: list[dict[str, Order]] = []
                for query in judged.queries:
                    found = {leg: await _search(retriever, base, query.text, leg) for leg in LEGS}
                    async with database.transaction() as session:
                        orders.append(await _orders(session, base, query.text, found, library))
                figures[name] = _figures(judged.queries, orders)
    finally:
        await gateway.close()
        await database.close()
    means = {
        way: round(float(np.mean([entry[way]["ndcg@10"] for entry in figures.values()])), 4)
        for way in next(iter(figures.values()))
    }
    rivals = [way for way in means if way not in LEGS]
    return {
        "passages": len(passages),
        "sets": figures,
        "mean_ndcg@10": means,
        "passed": {
            "above_the_better_leg": means["blend"] >= max(means["embedding"], means["keywords"]) + ABOVE_LEGS,
            **{f"not_below_{way}": means["blend"] >= means[way] for way in rivals},
        },
    }


async def _search(retriever: Retriever, base: TemporaryBase, query: str, mode: str) -> list[Hit]:
    request = SearchRequest(
        query, [base.knowledge_base_id], mode=mode, top_n=DEPTH, similarity=0.0, apply_gate=False
    )
    return (await retriever.search(base.scope, request)).hits


async def _orders(
    session: AsyncSession,
    base: TemporaryBase,
    query: str,
    found: dict[str, list[Hit]],
    library: "_LexicalLibrary",
) -> dict[str, Order]:
    ids = {leg: [base.passages[hit.paragraph_id] for hit in hits] for leg, hits in found.items()}
    orders = dict(ids)
    ranks: dict[str, float] = {}
    for leg in ("embedding", "keywords"):
        for rank, passage in enumerate(ids[leg], 1):
            ranks[passage] = ranks.get(passage, 0.0) + 1 / (RRF_K + rank)
    orders["rrf"] = sorted(ranks, key=lambda passage: -ranks[passage])
    cosines = {
        base.passages[hit.paragraph_id]: hit.dense.raw for hit in found["embedding"] if hit.dense is not None
    }
    words = await _ts_ranks(session, query, list(cosines))
    together = {passage: cosine + words.get(passage, 0.0) for passage, cosine in cosines.items()}
    orders["cosine+ts_rank"] = sorted(together, key=lambda passage: -together[passage])
    orders["bm25s"] = library.search(query)
    return orders


async def _store_tokens(session: AsyncSession, passages: Sequence[Passage]) -> None:
    await session.execute(text("CREATE TABLE bench_tokens (id text PRIMARY KEY, words tsvector)"))
    rows = [
        {"id": passage.id, "words": " ".join(tokenize(f"{passage.title} {passage.text}"))}
        for passage in passages
    ]
    statement = (
        "INSERT INTO bench_tokens VALUES (:id, array_to_tsvector('{}') || to_tsvector('simple', :words))"
    )
    await session.execute(text(statement), rows)


async def _ts_ranks(session: AsyncSession, query: str, passages: list[str]) -> dict[str, float]:
    """`ts_rank_cd(…, 32)` of the passages for any of the query's words."""
    tokens = [token.replace("'", "''").replace("\\", "\\\\") for token in dict.fromkeys(tokenize(query))]
    if not tokens:
        return {}
    statement = text(
        "SELECT id, ts_rank_cd(words, CAST(:query AS tsquery), 32) FROM bench_tokens WHERE id = ANY(:ids)"
    )
    wanted = " | ".join(f"'{token}'" for token in tokens)
    rows = await session.execute(statement, {"query": wanted, "ids": passages})
    return {str(row[0]): float(row[1]) for row in rows}


class _LexicalLibrary:
    """`bm25s` over the same tokens."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._ids = [passage.id for passage in passages]
        self._index: Any = bm25s.BM25(k1=1.2, b=0.75)
        self._index.index(
            [tokenize(f"{passage.title} {passage.text}") for passage in passages], show_progress=False
        )

    def search(self, query: str) -> Order:
        scores: NDArray[np.float32] = self._index.get_scores(tokenize(query))
        return [self._ids[i] for i in np.argsort(-scores, kind="stable")[:DEPTH] if scores[i] > 0]


def _figures(queries: Sequence[JudgedQuery], orders: list[dict[str, Order]]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for way in orders[0]:
        pairs = [(order[way], query.relevance) for order, query in zip(orders, queries, strict=True)]
        figures[way] = {
            name: round(float(np.mean([measure(found, relevance) for found, relevance in pairs])), 4)
            for name, measure in (("ndcg@10", ndcg), ("hit@5", hit), ("recall@100", recall))
        }
    return figures


if __name__ == "__main__":
    main()
