"""Measuring retrieval on a judged test set, through the code that answers ordinary searches."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refdesk.evaluation import metrics
from refdesk.evaluation.temporary_base import TemporaryBase, temporary_base
from refdesk.evaluation.test_sets import RetrievalSet
from refdesk.gateway import Gateway
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.retrieval import Retriever, SearchRequest

DEPTH = 100


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search found for one query: passage ids, best first, with their scores."""

    query_id: str
    passages: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class ModeResult:
    """One mode on one set: means over the queries, and every ranking. Latencies include the embedding."""

    mode: str
    ndcg_at_10: float
    hit_at_5: float
    recall_at_100: float
    mrr_at_10: float
    latencies_ms: tuple[float, ...]
    search_latencies_ms: tuple[float, ...]
    entries: int
    index_seconds: float
    rankings: tuple[Ranking, ...]

    def summary(self) -> dict[str, Any]:
        """The figures, as `refdesk eval retrieval --json` prints them."""
        return {
            "ndcg@10": round(self.ndcg_at_10, 4),
            "hit@5": round(self.hit_at_5, 4),
            "recall@100": round(self.recall_at_100, 4),
            "mrr@10": round(self.mrr_at_10, 4),
            "latency_ms": {
                "p50": round(metrics.percentile(self.latencies_ms, 0.50), 2),
                "p95": round(metrics.percentile(self.latencies_ms, 0.95), 2),
            },
            "entries": self.entries,
            "index_seconds": round(self.index_seconds, 2),
        }


async def evaluate_retrieval(
    database: Database,
    gateway: Gateway,
    settings: Settings,
    judged: RetrievalSet,
    modes: Sequence[str],
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> list[ModeResult]:
    """Index the set's corpus into a temporary base and run its queries in each mode.

    The gate is off: a ranking is measured, not whether its first is good enough.
    """
    started = time.perf_counter()
    progress(f"indexing {len(judged.passages)} passages")
    async with temporary_base(database, gateway, settings, judged.passages) as base:
        index_seconds = time.perf_counter() - started
        retriever = Retriever(database, gateway, settings)
        results: list[ModeResult] = []
        for mode in modes:
            progress(f"{mode}: {len(judged.queries)} queries")
            results.append(await _run(retriever, base, judged, mode, index_seconds))
    return results


async def _run(
    retriever: Retriever, base: TemporaryBase, judged: RetrievalSet, mode: str, index_seconds: float
) -> ModeResult:
    rankings: list[Ranking] = []
    latencies: list[float] = []
    without_embedding: list[float] = []
    for query in judged.queries:
        request = SearchRequest(
            query.text, [base.knowledge_base_id], mode=mode, top_n=DEPTH, similarity=0.0, apply_gate=False
        )
        before = time.perf_counter()
        result = await retriever.search(base.scope, request)
        latencies.append((time.perf_counter() - before) * 1000)
        without_embedding.append(latencies[-1] - result.timings_ms.get("embed", 0.0))
        found = tuple((base.passages[hit.paragraph_id], hit.score) for hit in result.hits)
        rankings.append(Ranking(query.id, found))
    ids = [[passage for passage, _ in ranking.passages] for ranking in rankings]
    pairs = list(zip(ids, (query.relevance for query in judged.queries), strict=True))

    def mean(measure: Callable[[Sequence[str], dict[str, float]], float]) -> float:
        return sum(measure(ranking, relevance) for ranking, relevance in pairs) / len(pairs)

    return ModeResult(
        mode=mode,
        ndcg_at_10=mean(metrics.ndcg),
        hit_at_5=mean(metrics.hit),
        recall_at_100=mean(metrics.recall),
        mrr_at_10=mean(metrics.reciprocal_rank),
        latencies_ms=tuple(latencies),
        search_latencies_ms=tuple(without_embedding),
        entries=base.entries,
        index_seconds=index_seconds,
        rankings=tuple(rankings),
    )


def write_run(result: ModeResult, prefix: Path) -> Path:
    """Write the rankings as a TREC run file `PREFIX.MODE` and return its path.

    trec_eval orders by score and breaks ties by id, so equal scores are set apart in the order of the ranks.
    """
    path = prefix.with_name(f"{prefix.name}.{result.mode}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for ranking in result.rankings:
            last = float("inf")
            for rank, (passage, score) in enumerate(ranking.passages, 1):
                last = min(score, last - 1e-7)
                file.write(f"{ranking.query_id} Q0 {passage} {rank} {last:.7f} refdesk-{result.mode}\n")
    return path
