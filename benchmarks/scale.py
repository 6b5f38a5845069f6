"""Measures large bases on a folder of seeded data, in two steps that can lie hours apart.

    python -m benchmarks.scale load FOLDER --data DATA [--bases 1] [--plain]
    python -m benchmarks.scale measure FOLDER --data DATA [--queries N]

DATA holds `vec.npy` (n x d, unit length), `text.txt` (a line an entry), `qvec.npy`, `qtext.txt`, `qdoc.npy`
(the entry the words of a query are from) and `gold.npy` (the exact ten nearest of each query vector). FOLDER
becomes an embedded PostgreSQL with the entries in one base, or spread evenly over many. Nine of ten documents
lie under an access list, so that somebody who is on none sees every tenth alone; what is found then is judged
by the exact nearest of these. `--plain` adds what people build without us: one table with an HNSW index and a
`tsvector`, fused by rank, and filtered after the graph was searched.

Query vectors and words are independent of each other, so a fair fusion gives a recall@10 near one half and
finds the words' entry nearly always. Prints JSON with the load of the machine; needs no model.
"""

import argparse
import asyncio
import json
import os
import statistics
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from benchmarks.filtered_recall import caller
from benchmarks.search_latency import MODES
from numpy.typing import NDArray
from sqlalchemy import select, text

from refdesk import migrations
from refdesk.accounts import Scope
from refdesk.evaluation import percentile
from refdesk.kit.database import Database
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.settings import Settings
from refdesk.knowledge.access.tables import AccessList
from refdesk.knowledge.indexing import KnowledgeIndex, settle
from refdesk.knowledge.tables import KnowledgeBase
from refdesk.retrieval import Retriever, SearchRequest
from refdesk.testing.embedder import FixedEmbedders, HashingEmbedder
from refdesk.testing.library import Library

PER_DOCUMENT = 1_000
CLIENTS = 8
# Ranking all that holds one of the words takes seconds a question at a million.
PLAIN_LIMIT_MS = 20_000
LOAD_MEMORY = {"maintenance_work_mem": "3GB", "max_wal_size": "8GB", "shared_buffers": "2GB"}


@dataclass(frozen=True)
class Data:
    """The seeded entries and queries."""

    folder: Path

    def vectors(self) -> NDArray[np.float32]:
        return np.load(self.folder / "vec.npy", mmap_mode="r")

    def texts(self) -> list[str]:
        return (self.folder / "text.txt").read_text().splitlines()

    def queries(self) -> tuple[list[str], NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        texts = (self.folder / "qtext.txt").read_text().splitlines()
        arrays = (np.load(self.folder / f"{name}.npy") for name in ("qvec", "qdoc", "gold"))
        vectors, entries, gold = arrays
        return texts, vectors, entries, gold


class StoredVectors(HashingEmbedder):
    """An embedder whose vectors were made beforehand, found by their text."""

    known: dict[str, NDArray[np.float32]]

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.known[one] for one in texts])


async def load(url: str, folder: Path, data: Data, bases: int, *, plain: bool) -> dict[str, object]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=4, application_name="refdesk-bench")
    try:
        return await _load(database, url, folder, data, bases, plain=plain)
    finally:
        await database.close()


async def _load(
    database: Database, url: str, folder: Path, data: Data, bases: int, *, plain: bool
) -> dict[str, object]:
    library = await Library(database, Settings(exact_scan_limit=10_000)).open()
    vectors, texts = data.vectors(), data.texts()
    first = await library.embedder(vectors.shape[1])
    embedder = StoredVectors(first.model_id, vectors.shape[1])
    ids: list[UUID] = []
    started = time.perf_counter()
    shelved = []
    each = len(texts) // bases
    async with database.transaction() as session:
        # A load of this size is many times faster when the shared home's GIN index is built afterwards.
        await session.execute(text("DROP INDEX ix_index_entries_0_terms"))
    for number in range(bases):
        base = await library.base(embedder)
        shelved.append(base)
        async with database.transaction() as session:
            listed = AccessList(workspace_id=library.workspace_id, knowledge_base_id=base.id)
            session.add(listed)
            await session.flush()
            list_id = listed.id
        for start in range(number * each, (number + 1) * each, PER_DOCUMENT):
            stop = min(start + PER_DOCUMENT, (number + 1) * each)
            part = texts[start:stop]
            embedder.known = dict(zip(part, np.asarray(vectors[start:stop]), strict=True))
            document = await library.add(base, part, acl_id=0 if _is_open(start) else list_id)
            ids += [paragraph.id for paragraph in document.paragraphs]
    written = time.perf_counter()
    async with database.transaction() as session:
        await session.execute(text("SET LOCAL maintenance_work_mem = '2GB'"))
        await session.execute(
            text(
                "CREATE INDEX ix_index_entries_0_terms ON index_entries_0 USING gin (terms)"
                " WITH (fastupdate = off)"
            )
        )
    for base in shelved:
        await settle(database, library.scope, base.index.id, library.settings.exact_scan_limit)
    settled = time.perf_counter()
    plain_s = _load_plain(url, texts, vectors) if plain else None
    async with database.engine.connect() as connection:
        autocommit = await connection.execution_options(isolation_level="AUTOCOMMIT")
        await autocommit.execute(text("VACUUM ANALYZE"))
        size = (await connection.execute(text("SELECT pg_database_size(current_database())"))).scalar_one()
    np.save(folder / "ids.npy", np.array([one.bytes for one in ids], dtype="V16"))
    report: dict[str, object] = {
        "entries": len(ids),
        "bases": bases,
        "write_s": round(written - started, 1),
        "settle_s": round(settled - written, 1),
        "plain_s": plain_s,
        "size_mb": round(size / 1e6),
        "workspace_id": str(library.workspace_id),
        "model_id": str(embedder.model_id),
    }
    (folder / "loaded.json").write_text(json.dumps(report))
    return report


def _load_plain(url: str, texts: Sequence[str], vectors: NDArray[np.float32]) -> float:
    """One table, one graph over everything, one `tsvector`."""
    started = time.perf_counter()
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '3GB'")
        cursor.execute(
            b"CREATE TABLE plain (n int PRIMARY KEY, embedding halfvec(%d), words tsvector)"
            % vectors.shape[1]
        )
        with cursor.copy("COPY plain (n, embedding, words) FROM STDIN") as copy:
            for number, one in enumerate(texts):
                placed = " ".join(f"'{word}':{at}" for at, word in enumerate(one.split(), 1))
                copy.write_row((number, str(np.asarray(vectors[number]).tolist()), placed))
        cursor.execute("CREATE INDEX ON plain USING gin (words)")
        cursor.execute("CREATE INDEX ON plain USING hnsw (embedding halfvec_ip_ops)")
    return round(time.perf_counter() - started, 1)


def _is_open(entry: Any) -> Any:
    """Whether everybody may see these entries (a number or an array of them)."""
    return entry // PER_DOCUMENT % 10 == 3


def _nearest_open(data: Data) -> NDArray[np.int64]:
    """The exact ten nearest of each query vector among the entries that everybody may see."""
    vectors, (_, queries, _, _) = data.vectors(), data.queries()
    entries = np.flatnonzero(_is_open(np.arange(len(vectors))))
    likeness = queries @ np.asarray(vectors[entries]).T
    return entries[np.argsort(-likeness, axis=1)[:, :10]]


@dataclass(frozen=True)
class Asking:
    """What is asked of a loaded folder."""

    retriever: Retriever
    scope: Scope
    bases: list[UUID]
    numbers: dict[UUID, int]
    texts: list[str]
    words_of: NDArray[np.int64]
    gold: NDArray[np.int64]

    async def ask(self, number: int, mode: str, scope: Scope | None = None) -> tuple[float, list[int]]:
        """Milliseconds without the query's embedding, and the entries found."""
        request = SearchRequest(
            self.texts[number], self.bases, mode=mode, top_n=10, similarity=0, apply_gate=False
        )
        before = time.perf_counter()
        result = await self.retriever.search(scope or self.scope, request)
        took = (time.perf_counter() - before) * 1000 - result.timings_ms.get("embed", 0.0)
        return took, [self.numbers[hit.paragraph_id] for hit in result.hits]


async def measure(url: str, folder: Path, data: Data, queries: int) -> dict[str, object]:
    loaded = json.loads((folder / "loaded.json").read_text())
    database = Database(url, pool_size=CLIENTS + 2, application_name="refdesk-bench")
    try:
        asking = await _asking(database, folder, data, loaded, queries)
        report: dict[str, object] = {key: loaded[key] for key in ("entries", "bases", "size_mb")}
        for mode in MODES:
            report[mode] = await _timed(asking, lambda number, mode=mode: asking.ask(number, mode))
        somebody = await _stranger_to_lists(database, asking)
        few = replace(asking, gold=_nearest_open(data))
        for mode in MODES:
            report[f"{mode}, tenth visible"] = await _timed(
                few, lambda number, mode=mode: few.ask(number, mode, somebody)
            )
        report[f"blend, {CLIENTS} clients"] = await _together(asking)
        if loaded["plain_s"] is not None:
            report["plain"] = _plain(url, data, asking, few)
        return report | {"load": os.getloadavg()}
    finally:
        await database.close()


async def _asking(
    database: Database, folder: Path, data: Data, loaded: dict[str, Any], queries: int
) -> Asking:
    texts, vectors, words_of, gold = data.queries()
    workspace_id, model_id = UUID(loaded["workspace_id"]), UUID(loaded["model_id"])
    scope = Scope.system(workspace_id)
    async with database.transaction() as session:
        index = (
            await session.execute(select(KnowledgeIndex).where(KnowledgeIndex.workspace_id == workspace_id))
        ).scalars()
        dimensions = next(iter(index)).dimensions
        sql = select(KnowledgeBase.id).where(KnowledgeBase.workspace_id == workspace_id)
        bases = list((await session.execute(sql)).scalars())
    embedder = StoredVectors(model_id, dimensions)
    embedder.known = dict(zip(texts, vectors, strict=True))
    ids = np.load(folder / "ids.npy")
    return Asking(
        Retriever(database, FixedEmbedders(embedder), Settings(exact_scan_limit=10_000)),
        scope,
        bases,
        {UUID(bytes=bytes(one)): number for number, one in enumerate(ids)},
        texts[:queries],
        words_of,
        gold,
    )


async def _stranger_to_lists(database: Database, asking: Asking) -> Scope:
    library = Library(database)
    library.workspace_id, library.scope = asking.scope.workspace_id, asking.scope
    return await caller(library, [])


async def _timed(
    asking: Asking, ask: Callable[[int], Coroutine[Any, Any, tuple[float, list[int]]]]
) -> dict[str, float]:
    for number in range(min(20, len(asking.texts))):
        await ask(number)
    answers = [await ask(number) for number in range(len(asking.texts))]
    took = [one for one, _ in answers]
    report = {"p50_ms": round(percentile(took, 0.5), 2), "p95_ms": round(percentile(took, 0.95), 2)}
    return report | _judged(asking, [found for _, found in answers])


def _judged(asking: Asking, answers: Sequence[Sequence[int]]) -> dict[str, float]:
    recall = statistics.mean(
        len(set(found) & set(asking.gold[number].tolist())) / 10 for number, found in enumerate(answers)
    )
    hits = statistics.mean(int(asking.words_of[number]) in found for number, found in enumerate(answers))
    return {"recall@10": round(recall, 4), "words_hit@10": round(hits, 4)}


async def _together(asking: Asking) -> dict[str, float]:
    """Eight callers at once, each asking a question after the other."""
    waiting = list(range(len(asking.texts)))
    took: list[float] = []

    async def client() -> None:
        while waiting:
            took.append((await asking.ask(waiting.pop(), "blend"))[0])

    before = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    elapsed = time.perf_counter() - before
    return {
        "p50_ms": round(percentile(took, 0.5), 2),
        "p95_ms": round(percentile(took, 0.95), 2),
        "searches_per_s": round(len(took) / elapsed, 1),
    }


def _plain(url: str, data: Data, asking: Asking, few: Asking) -> dict[str, object]:
    """The same questions to the plain table: the graph, the `tsvector`, and both fused by reciprocal rank.

    The last one filters what the graph gave by who may see it.
    """
    _, vectors, _, _ = data.queries()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET hnsw.ef_search = 100")

        def dense(number: int, count: int) -> list[int]:
            value = str(vectors[number].tolist())
            sql = "SELECT n FROM plain ORDER BY embedding <#> %s::halfvec LIMIT %s"
            return [row[0] for row in connection.execute(sql, (value, count))]

        def words(number: int, count: int) -> list[int]:
            value = " | ".join(f"'{word}'" for word in asking.texts[number].split())
            sql = (
                "SELECT n FROM plain, to_tsquery('simple', %s) AS q WHERE words @@ q"
                " ORDER BY ts_rank_cd(words, q, 32) DESC LIMIT %s"
            )
            return [row[0] for row in connection.execute(sql, (value, count))]

        def fused(number: int, count: int) -> list[int]:
            scores: dict[int, float] = {}
            for leg in (dense(number, 50), words(number, 50)):
                for rank, one in enumerate(leg, 1):
                    scores[one] = scores.get(one, 0.0) + 1 / (60 + rank)
            return sorted(scores, key=lambda one: -scores[one])[:count]

        def filtered(number: int, count: int) -> list[int]:
            value = str(vectors[number].tolist())
            sql = "SELECT n FROM plain WHERE n / %s %% 10 = 3 ORDER BY embedding <#> %s::halfvec LIMIT %s"
            return [row[0] for row in connection.execute(sql, (PER_DOCUMENT, value, count))]

        # Nothing but the graph is left to the planner, which would rather sort a filtered table.
        connection.execute("SET enable_seqscan = off")
        connection.execute("SET enable_sort = off")
        report: dict[str, object] = {}
        for name, leg, judge in (
            ("dense", dense, asking),
            ("words", words, asking),
            ("fused", fused, asking),
            ("dense, tenth visible", filtered, few),
        ):
            asked = range(min(len(asking.texts), 100))
            took: list[float] = []
            answers: list[list[int]] = []
            for number in asked:
                before = time.perf_counter()
                answers.append(leg(number, 10))
                took.append((time.perf_counter() - before) * 1000)
                if sum(took) > PLAIN_LIMIT_MS:
                    break
            times = {"p50_ms": round(percentile(took, 0.5), 2), "p95_ms": round(percentile(took, 0.95), 2)}
            report[name] = times | {"queries": len(took)} | _judged(judge, answers)
        return report


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("step", choices=["load", "measure"])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--bases", type=int, default=1)
    arguments.add_argument("--queries", type=int, default=200)
    arguments.add_argument("--plain", action="store_true")
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    server = EmbeddedPostgres(
        given.folder, durable=False, options=LOAD_MEMORY if given.step == "load" else None
    )
    url = server.start()
    try:
        data = Data(given.data)
        if given.step == "load":
            report = asyncio.run(load(url, given.folder, data, given.bases, plain=given.plain))
        else:
            report = asyncio.run(measure(url, given.folder, data, given.queries))
    finally:
        server.stop()
    print(json.dumps(report, indent=2), flush=True)


if __name__ == "__main__":
    main()
