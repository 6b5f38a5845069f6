"""Measures searches of 100,000 entries in one base and spread over 20, without the query's embedding.

    python -m benchmarks.search_latency [--database-url URL] [--entries N] [--dimensions D]

Texts are synthetic: words by Zipf's law, a topic a paragraph; vectors lie around the topics' centres. The one
base gets a home of its own (HNSW), the twenty stay in the shared home (exact scan). Recall@10 compares the
dense leg with the exact order, and the lexical leg with BM25 over every entry, computed here from the stored
weights. Prints JSON; needs no model. The database is created and dropped.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np
import psycopg
from numpy.typing import NDArray
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk import migrations
from refdesk.evaluation import percentile
from refdesk.kit.database import Database, libpq_url
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.settings import Settings
from refdesk.knowledge.indexing import settle
from refdesk.retrieval import SearchRequest
from refdesk.testing.library import Library, ShelvedBase

VOCABULARY = 60_000
TOPICS = 400
WORDS = 60
MODES = ("embedding", "keywords", "blend")


def _word(number: int) -> str:
    """Letters alone: what holds a digit is taken for a code, which is found before all else."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:05d}")


class TopicEmbedder:
    """Vectors that were made beforehand, found by the text's first word (its number)."""

    def __init__(self, dimensions: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        centres = self.rng.standard_normal((TOPICS, dimensions)).astype(np.float32)
        self.centres = centres / np.linalg.norm(centres, axis=1, keepdims=True)
        ranks = np.arange(1, VOCABULARY + 1)
        self.zipf = np.cumsum(1 / ranks**1.05) / np.sum(1 / ranks**1.05)

    def words(self, topic: int, count: int) -> list[str]:
        common = np.searchsorted(self.zipf, self.rng.random(count * 2 // 3))
        own = (topic * 151 + self.rng.integers(0, 300, count - len(common))) % VOCABULARY
        return [_word(int(number)) for number in (*common, *own)]

    def vector(self, topic: int, spread: float) -> NDArray[np.float32]:
        noise = self.rng.standard_normal(self.centres.shape[1]).astype(np.float32)
        near = self.centres[topic] + spread * noise / np.float32(np.sqrt(noise.size))
        return near / np.linalg.norm(near)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--database-url", help="a server whose role may create databases; empty: embedded")
    arguments.add_argument("--entries", type=int, default=100_000)
    arguments.add_argument("--dimensions", type=int, default=384)
    arguments.add_argument("--queries", type=int, default=100)
    given = arguments.parse_args()
    with ExitStack() as stack:
        url = given.database_url
        if url is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="refdesk-bench-")))
            server = EmbeddedPostgres(folder, durable=False)
            url = server.start()
            stack.callback(server.stop)
        name = f"refdesk_bench_{uuid4().hex[:8]}"
        with psycopg.connect(libpq_url(url), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        own = libpq_url(make_url(url).set(database=name).render_as_string(hide_password=False))
        try:
            report = asyncio.run(measure(own, given.entries, given.dimensions, given.queries))
        finally:
            with psycopg.connect(libpq_url(url), autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
    print(json.dumps(report, indent=2), flush=True)


async def measure(url: str, entries: int, dimensions: int, queries: int) -> dict[str, object]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=4, application_name="refdesk-bench")
    library = await Library(database, Settings(exact_scan_limit=10_000)).open()
    topics = TopicEmbedder(dimensions, seed=7)
    try:
        await terms_index(database, present=False)
        one = await load(library, topics, 1, entries)
        twenty = await load(library, topics, 20, entries // 20)
        await terms_index(database, present=True)
        async with database.engine.connect() as connection:
            # VACUUM runs outside a transaction; it is what autovacuum does soon after a large load.
            autocommit = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await autocommit.execute(text("VACUUM ANALYZE"))
        return {
            "entries": entries,
            "dimensions": dimensions,
            "one_base": await case(library, topics, one, queries),
            "twenty_bases": await case(library, topics, twenty, queries),
        }
    finally:
        await database.close()


async def terms_index(database: Database, *, present: bool) -> None:
    """A load of this size is many times faster when the shared home's GIN index is built afterwards."""
    statement = (
        "CREATE INDEX ix_index_entries_0_terms ON index_entries_0 USING gin (terms) WITH (fastupdate = off)"
        if present
        else "DROP INDEX ix_index_entries_0_terms"
    )
    async with database.transaction() as session:
        await session.execute(text("SET LOCAL maintenance_work_mem = '256MB'"))
        await session.execute(text(statement))


@dataclass(frozen=True)
class Loaded:
    """Filled bases, how long that took, and the vectors of texts to come."""

    bases: list[ShelvedBase]
    vectors: dict[str, NDArray[np.float32]]
    write_s: float
    settle_s: float


async def load(library: Library, topics: TopicEmbedder, bases: int, entries_each: int) -> Loaded:
    embedder = await library.embedder(topics.centres.shape[1])
    vectors: dict[str, NDArray[np.float32]] = {}

    def lookup(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([vectors[text_] for text_ in texts])

    embedder._embed = lookup  # pyright: ignore  # the plumbing is real, the vectors are ours
    shelved = [await library.base(embedder) for _ in range(bases)]
    started = time.perf_counter()
    for base in shelved:
        for start in range(0, entries_each, 1000):
            texts: list[str] = []
            for _ in range(min(1000, entries_each - start)):
                topic = int(topics.rng.integers(TOPICS))
                texts.append(" ".join(topics.words(topic, WORDS)))
                vectors[texts[-1]] = topics.vector(topic, 0.9)
            await library.add(base, texts)
            vectors.clear()
    written = time.perf_counter()
    for base in shelved:
        await settle(library.database, library.scope, base.index.id, library.settings.exact_scan_limit)
    return Loaded(shelved, vectors, written - started, time.perf_counter() - written)


async def case(library: Library, topics: TopicEmbedder, loaded: Loaded, queries: int) -> dict[str, object]:
    questions: list[str] = []
    for _ in range(queries):
        topic = int(topics.rng.integers(TOPICS))
        questions.append(" ".join(topics.words(topic, 9)))
        loaded.vectors[questions[-1]] = topics.vector(topic, 0.9)
    report: dict[str, object] = {
        "load_s": round(loaded.write_s, 1),
        "settle_s": round(loaded.settle_s, 1),
    }
    for mode in MODES:
        report[mode] = await timed(library, loaded.bases, questions, mode)
    report["recall@10"] = await recall(library, loaded.bases, questions[:40], loaded.vectors)
    report["locks"] = await locks(library, loaded.bases, questions[0])
    return report


async def timed(
    library: Library, bases: Sequence[ShelvedBase], questions: Sequence[str], mode: str
) -> dict[str, float]:
    retriever = library.retriever
    ids = [base.id for base in bases]
    latencies: list[float] = []
    laps: dict[str, list[float]] = {}
    for question in [*questions[:10], *questions]:
        before = time.perf_counter()
        result = await retriever.search(library.scope, SearchRequest(question, ids, mode=mode))
        embed = result.timings_ms.get("embed", 0.0)
        latencies.append((time.perf_counter() - before) * 1000 - embed)
        for name, lap in result.timings_ms.items():
            laps.setdefault(name, []).append(lap)
    latencies = latencies[10:]
    return {
        "p50_ms": round(percentile(latencies, 0.5), 2),
        "p95_ms": round(percentile(latencies, 0.95), 2),
        **{f"{name}_ms": round(statistics.median(values), 2) for name, values in laps.items()},
    }


async def recall(
    library: Library,
    bases: Sequence[ShelvedBase],
    questions: Sequence[str],
    vectors: dict[str, NDArray[np.float32]],
) -> dict[str, float]:
    """Share of the exact ten nearest that a search brings, per leg."""
    found: dict[str, list[float]] = {"embedding": [], "keywords": []}
    retriever = library.retriever
    ids = [base.id for base in bases]
    for question in questions:
        for mode, expression in (
            ("embedding", "embedding <#> CAST(:v AS halfvec)"),
            ("keywords", "bm25 <#> CAST(:v AS sparsevec)"),
        ):
            request = SearchRequest(question, ids, mode=mode, top_n=10, similarity=0, apply_gate=False)
            hits = {hit.paragraph_id for hit in (await retriever.search(library.scope, request)).hits}
            async with library.database.transaction() as session:
                value = await _parameter(library, bases, question, mode, vectors)
                # Without the cast to the index's dimensions no index fits: every row is compared.
                rows = await session.execute(
                    text(
                        "SELECT paragraph_id FROM index_entries WHERE index_id = ANY(CAST(:ids AS uuid[]))"
                        f" ORDER BY {expression} LIMIT 10"
                    ),
                    {"v": value, "ids": [base.index.id for base in bases]},
                )
                exact = set(rows.scalars())
            found[mode].append(len(hits & exact) / len(exact))
    return {mode: round(statistics.mean(values), 4) for mode, values in found.items()}


async def _parameter(
    library: Library,
    bases: Sequence[ShelvedBase],
    question: str,
    mode: str,
    vectors: dict[str, NDArray[np.float32]],
    *,
    lists: Sequence[int] | None = None,
) -> str:
    """The question as a leg asks it; `lists`: of somebody who may see what is under these alone."""
    from refdesk.knowledge.indexing import StatisticsRepository, halfvec_text
    from refdesk.retrieval.query import TermedQuery, WeightedQuery

    if mode == "embedding":
        return halfvec_text(vectors[question])
    query = TermedQuery.read(question)
    async with library.database.transaction() as session:
        read = await StatisticsRepository(session, library.scope).read(
            [base.index.id for base in bases],
            list(query.tokens),
            lists=lists,
            share=await _share(session, bases, lists) if lists is not None else 1.0,
        )
    return WeightedQuery.weigh(query, read).score("bm25")[1]["words"]


async def _share(session: AsyncSession, bases: Sequence[ShelvedBase], lists: Sequence[int]) -> float:
    rows = await session.execute(
        text(
            "SELECT avg((acl_id = ANY(CAST(:lists AS bigint[])))::int) FROM documents"
            " WHERE knowledge_base_id = ANY(CAST(:ids AS uuid[]))"
        ),
        {"lists": list(lists), "ids": [base.id for base in bases]},
    )
    return float(rows.scalar_one())


async def locks(library: Library, bases: Sequence[ShelvedBase], question: str) -> int:
    """Locks a blend search holds at its end, seen from its own transaction."""
    from refdesk.retrieval.repository import SearchRepository

    held: list[int] = []
    original = SearchRepository.paragraphs

    async def counted(self: SearchRepository, rows: object) -> object:
        found = await original(self, rows)  # type: ignore[arg-type]
        query = text("SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()")
        held.append((await self._session.execute(query)).scalar_one())  # pyright: ignore
        return found

    SearchRepository.paragraphs = counted  # type: ignore[method-assign]
    try:
        await library.search(question, *bases)
    finally:
        SearchRepository.paragraphs = original  # type: ignore[method-assign]
    return held[0]


if __name__ == "__main__":
    main()
