"""Measures routing: what is lost when only the chosen of many bases are searched, and how many those are.

    python -m benchmarks.routing FOLDER [FOLDER …] [--vectors FILE] [--per-base N] [--split documents|topics]

FOLDER holds `corpus.jsonl` and, for judged sets, `queries.jsonl` and `qrels.tsv`. Each set is split into
several bases, by runs of documents in their order or by topic (k-means over the vectors); all of them lie in
one workspace and are asked together, once all of them and once routed. Target: of what searching all finds,
at most 1 % is lost, in every set, with at most 30 % of the bases searched on average. Prints JSON.
"""

import argparse
import asyncio
import json
import os
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from benchmarks.own_database import own_database
from benchmarks.vector_cache import CachingGateway, VectorCache
from numpy.typing import NDArray
from sqlalchemy import text

from refdesk import migrations
from refdesk.accounts import Scope
from refdesk.evaluation import JudgedQuery, Passage, load_retrieval_set, percentile
from refdesk.evaluation.temporary_base import temporary_bases
from refdesk.gateway import Gateway
from refdesk.kit.database import Database
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings
from refdesk.knowledge.indexing import ParagraphText, prepare_entries
from refdesk.retrieval import Retriever, SearchRequest
from refdesk.retrieval.routing import RouteSettings, refresh_profile
from refdesk.retrieval.routing.clustering import centroids_of

TOP = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--database-url", help="its role may create databases; empty: embedded")
    parser.add_argument("--vectors", type=Path, help="SQLite file that keeps vectors between runs")
    parser.add_argument("--data-dir", type=Path, help="where the converted model is kept; empty: temporary")
    parser.add_argument("--sample", type=int, default=100, help="queries a set")
    parser.add_argument("--per-base", type=int, default=350, help="passages a base")
    parser.add_argument("--split", choices=("documents", "topics"), default="documents")
    parser.add_argument("--margin", type=float, default=RouteSettings().margin)
    parser.add_argument("--most-share", type=float, default=RouteSettings().most_share)
    parser.add_argument("--mode", default="blend", help="embedding, keywords or blend")
    given = parser.parse_args()
    with own_database(given.database_url, given.data_dir) as (settings, own):
        report = asyncio.run(measure(settings, own, given))
    print(json.dumps(report, indent=2))


@dataclass(slots=True)
class Loss:
    """What was found of the judged ones, searching all and routed."""

    queries: int = 0
    hit: list[int] = field(default_factory=lambda: [0, 0])
    relevant: list[int] = field(default_factory=lambda: [0, 0])
    searched: list[float] = field(default_factory=list[float])
    left_out: int = 0

    def add(self, found: Sequence[set[str]], relevant: set[str], searched: float, left_out: set[str]) -> None:
        self.queries += 1
        self.left_out += len(left_out & relevant)
        self.searched.append(searched)
        for which, of_which in enumerate(found):
            self.hit[which] += bool(of_which & relevant)
            self.relevant[which] += len(of_which & relevant)

    def summary(self) -> dict[str, Any]:
        every, routed = (hits / max(self.queries, 1) for hits in self.hit)
        return {
            "queries": self.queries,
            "hit@5": {"all": round(every, 4), "routed": round(routed, 4)},
            # What of it was lost because its base was not searched; the rest is another order of what was.
            "relevant_in_bases_left_out": round(self.left_out / max(self.relevant[0], 1), 4),
            "lost_hits": round(1 - self.hit[1] / max(self.hit[0], 1), 4),
            "lost_relevant": round(1 - self.relevant[1] / max(self.relevant[0], 1), 4),
            "searched": {
                "mean": round(float(np.mean(self.searched)), 4),
                "p95": round(float(np.quantile(self.searched, 0.95)), 4),
            },
        }


async def measure(settings: Settings, url: str, given: argparse.Namespace) -> dict[str, Any]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=4, application_name="refdesk-bench")
    gateway = CachingGateway(settings, database, load_cipher(settings))
    gateway.cache = VectorCache(given.vectors) if given.vectors else None
    try:
        parts: list[list[Passage]] = []
        questions: dict[str, Sequence[JudgedQuery]] = {}
        for folder in given.folders:
            corpus, questions[folder.name] = read(folder, given.sample)
            count = max(1, round(len(corpus) / given.per_base))
            vectors = (
                await passage_vectors(gateway, database, settings, corpus)
                if given.split == "topics"
                else None
            )
            parts += split(corpus, count, vectors)
        async with temporary_bases(database, gateway, settings, parts) as made:
            scope = made.scope
            refresh_ms = await refresh(database, scope)
            retriever = Retriever(database, gateway, settings)
            ids = [base.knowledge_base_id for base in made.bases]
            passages = {
                paragraph: passage for base in made.bases for paragraph, passage in base.passages.items()
            }
            return await ask(retriever, scope, ids, passages, questions, given) | {
                "bases": len(ids),
                "passages": len(passages),
                "split": given.split,
                "profile_ms": refresh_ms,
                "load_average": round(os.getloadavg()[0], 2),
            }
    finally:
        await gateway.close()
        await database.close()


async def passage_vectors(
    gateway: Gateway, database: Database, settings: Settings, corpus: Sequence[Passage]
) -> NDArray[np.float32]:
    """One vector a passage, that of its first piece as an index embeds it."""
    texts = [
        ParagraphText(uuid4(), uuid4(), [p.title] if p.title else [], p.text.replace("\x00", " "), 1)
        for p in corpus
    ]
    first: dict[UUID, str] = {}
    for entry in prepare_entries(texts).entries:
        first.setdefault(entry.paragraph.id, entry.text)
    async with temporary_bases(database, gateway, settings, []) as workspace:
        model = await gateway.default_model(workspace.scope, "EMBEDDING")
        assert model is not None
        embedder = await gateway.embedder(workspace.scope, model)
        return await embedder.embed_passages([first.get(text.id, "passage") for text in texts])


def read(folder: Path, sample: int) -> tuple[Sequence[Passage], Sequence[JudgedQuery]]:
    corpus = folder / "corpus.jsonl"
    if (folder / "queries.jsonl").exists():
        judged = load_retrieval_set(corpus, folder / "queries.jsonl", folder / "qrels.tsv", sample=sample)
        return judged.passages, judged.queries
    lines = (json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines())
    return [Passage(line["id"], line.get("title") or "", line["text"]) for line in lines], ()


def split(corpus: Sequence[Passage], count: int, vectors: NDArray[np.float32] | None) -> list[list[Passage]]:
    """Runs of about equal length, or, with vectors, `count` topics."""
    if vectors is None:
        bounds = [round(i * len(corpus) / count) for i in range(count + 1)]
        return [list(corpus[a:b]) for a, b in pairwise(bounds)]
    # Topics are the nearest of `count` centroids, which are clustered from the small ones.
    topics, _ = centroids_of(vectors)
    chosen = topics[np.linspace(0, len(topics) - 1, min(count, len(topics))).astype(int)]
    of_topic: dict[int, list[Passage]] = defaultdict(list)
    for passage, topic in zip(corpus, np.argmax(vectors @ chosen.T, axis=1).tolist(), strict=True):
        of_topic[topic].append(passage)
    return list(of_topic.values())


async def refresh(database: Database, scope: Scope) -> dict[str, float]:
    async with database.transaction() as session:
        query = text("SELECT id FROM indexes WHERE workspace_id = :id")
        ids = (await session.execute(query, {"id": scope.workspace_id})).scalars().all()
    taken: list[float] = []
    for index_id in ids:
        began = time.perf_counter()
        await refresh_profile(database, scope, index_id)
        taken.append((time.perf_counter() - began) * 1000)
    return {"mean": round(float(np.mean(taken)), 1), "max": round(max(taken), 1)}


async def ask(
    retriever: Retriever,
    scope: Scope,
    bases: Sequence[UUID],
    passages: dict[UUID, str],
    questions: dict[str, Sequence[JudgedQuery]],
    given: argparse.Namespace,
) -> dict[str, Any]:
    settings = RouteSettings(margin=given.margin, most_share=given.most_share)
    of_set: dict[str, Loss] = {}
    total, route_ms, search_ms = Loss(), list[float](), [list[float](), list[float]()]
    for name, asked in questions.items():
        for question in asked:
            request = SearchRequest(question.text, bases, mode=given.mode, top_n=TOP, apply_gate=False)
            found: list[set[str]] = []
            searched, of_all, left_out = 1.0, dict[str, UUID](), set[str]()
            for which, each in enumerate((request, replace(request, route=settings))):
                began = time.perf_counter()
                result = await retriever.search(scope, each)
                search_ms[which].append((time.perf_counter() - began) * 1000)
                found.append({passages[hit.paragraph_id] for hit in result.hits})
                of_all = of_all or {passages[hit.paragraph_id]: hit.knowledge_base_id for hit in result.hits}
                if result.route is not None:
                    searched = len(result.route.searched) / len(bases)
                    asked_bases = set(result.route.searched)
                    left_out = {passage for passage, base in of_all.items() if base not in asked_bases}
            began = time.perf_counter()
            await retriever.route(scope, replace(request, route=settings))
            route_ms.append((time.perf_counter() - began) * 1000)
            for loss in (of_set.setdefault(name, Loss()), total):
                loss.add(found, set(question.relevance), searched, left_out)
    summaries = {name: loss.summary() for name, loss in of_set.items()}
    summary = total.summary()
    return {
        "sets": summaries,
        "together": summary,
        "margin": settings.margin,
        "most_share": settings.most_share,
        "ms_with_cached_vectors": {
            label: {"p50": round(percentile(taken, 0.5), 1), "p95": round(percentile(taken, 0.95), 1)}
            for label, taken in (("route", route_ms), ("all", search_ms[0]), ("routed", search_ms[1]))
        },
        "passed": {
            "lost_at_most_1_percent_together": summary["lost_hits"] <= 0.01
            and summary["lost_relevant"] <= 0.01,
            "lost_at_most_1_percent_in_every_set": all(s["lost_hits"] <= 0.01 for s in summaries.values()),
            "searched_at_most_30_percent": summary["searched"]["mean"] <= 0.3,
        },
    }


if __name__ == "__main__":
    main()
