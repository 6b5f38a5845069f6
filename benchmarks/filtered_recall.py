"""Measures searches by callers who may see 1 %, 10 % and 50 % of one base, against the exact order of that.

    python -m benchmarks.filtered_recall [--database-url URL] [--entries N] [--dimensions D] [--queries N]
        [--exact-scan-limit N] [--kinds by_topic,random]

Documents of ten paragraphs lie under a hundred access lists: once at random, once by topic, where what a
caller may see lies in other places than most questions. Recall@10 of each leg, and p50/p95 of a blend search
without the query's embedding; `all` is a caller from whom nothing is hidden. With a lower
`--exact-scan-limit` smaller bases go the ways of large ones. Every query is asked once before it is timed.
Prints JSON with the load of the machine; needs no model.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import psycopg
from benchmarks.search_latency import TOPICS, WORDS, TopicEmbedder, _parameter, terms_index
from numpy.typing import NDArray
from sqlalchemy import make_url, text

from refdesk import migrations
from refdesk.accounts import Role, Scope
from refdesk.accounts.tables import User
from refdesk.evaluation import percentile
from refdesk.kit.database import Database, libpq_url
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.access.tables import AccessList, AccessListMember
from refdesk.knowledge.indexing import settle, table_of
from refdesk.retrieval import SearchRequest
from refdesk.testing.library import Library, ShelvedBase

LISTS = 100
SHARES = (1, 10, 50)
PARAGRAPHS = 10
AT_ONCE = 100
"""Documents that are written in one transaction."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--database-url", help="a server whose role may create databases; empty: embedded")
    arguments.add_argument("--entries", type=int, default=100_000)
    arguments.add_argument("--dimensions", type=int, default=384)
    arguments.add_argument("--queries", type=int, default=50)
    arguments.add_argument("--exact-scan-limit", type=int, default=10_000)
    arguments.add_argument("--kinds", default="by_topic,random", help="one or both, each a base of its own")
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
            report = asyncio.run(measure(own, given))
        finally:
            with psycopg.connect(libpq_url(url), autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
    print(json.dumps(report, indent=2), flush=True)


async def measure(url: str, given: argparse.Namespace) -> dict[str, object]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=4, application_name="refdesk-bench")
    library = await Library(database, Settings(exact_scan_limit=given.exact_scan_limit)).open()
    report: dict[str, object] = {"entries": given.entries, "exact_scan_limit": given.exact_scan_limit}
    try:
        for kind in given.kinds.split(","):
            topics = TopicEmbedder(given.dimensions, seed=11)
            report[kind] = await case(
                library, topics, given.entries, given.queries, by_topic=kind == "by_topic"
            )
            print(kind, json.dumps(report[kind]), file=sys.stderr, flush=True)
    finally:
        await database.close()
    return report | {"load": os.getloadavg()}


async def case(
    library: Library, topics: TopicEmbedder, entries: int, queries: int, *, by_topic: bool
) -> dict[str, object]:
    vectors: dict[str, NDArray[np.float32]] = {}
    embedder = await library.embedder(topics.centres.shape[1])
    embedder._embed = lambda texts: np.stack([vectors[one] for one in texts])  # pyright: ignore
    base = await library.base(embedder)
    lists = await make_lists(library, base)
    started = time.perf_counter()
    await terms_index(library.database, present=False)
    for start in range(0, entries // PARAGRAPHS, AT_ONCE):
        documents: list[tuple[list[str], int]] = []
        for _ in range(min(AT_ONCE, entries // PARAGRAPHS - start)):
            topic = int(topics.rng.integers(TOPICS))
            texts = [" ".join(topics.words(topic, WORDS)) for _ in range(PARAGRAPHS)]
            vectors |= {one: topics.vector(topic, 0.9) for one in texts}
            documents.append((texts, lists[topic % LISTS if by_topic else int(topics.rng.integers(LISTS))]))
        await library.add_many(base, documents)
        vectors.clear()
    await terms_index(library.database, present=True)
    loaded = time.perf_counter()
    await settle(library.database, library.scope, base.index.id, library.settings.exact_scan_limit)
    settled = time.perf_counter()
    async with library.database.engine.connect() as connection:
        autocommit = await connection.execution_options(isolation_level="AUTOCOMMIT")
        await autocommit.execute(text("VACUUM ANALYZE"))
    questions: list[str] = []
    for _ in range(queries):
        topic = int(topics.rng.integers(TOPICS))
        questions.append(" ".join(topics.words(topic, 9)))
        vectors[questions[-1]] = topics.vector(topic, 0.9)
    report: dict[str, object] = {
        "load_s": round(loaded - started, 1),
        "settle_s": round(settled - loaded, 1),
    }
    for share in SHARES:
        mine = lists[: LISTS * share // 100]
        scope = await caller(library, mine)
        report[f"{share} %"] = await asked(library, base, scope, mine, questions, vectors)
    report["all"] = await asked(library, base, library.scope, lists, questions, vectors)
    return report


async def make_lists(library: Library, base: ShelvedBase) -> list[int]:
    async with library.database.transaction() as session:
        made = [
            AccessList(workspace_id=library.workspace_id, knowledge_base_id=base.id) for _ in range(LISTS)
        ]
        session.add_all(made)
        await session.flush()
        return [one.id for one in made]


async def caller(library: Library, lists: Sequence[int]) -> Scope:
    """A viewer on these lists."""
    user_id = new_id()
    async with library.database.transaction() as session:
        session.add(
            User(
                id=user_id,
                email=f"{user_id}@example.org",
                name="V",
                is_administrator=False,
                is_active=True,
            )
        )
        await session.flush()
        session.add_all(
            AccessListMember(workspace_id=library.workspace_id, access_list_id=one, user_id=user_id)
            for one in lists
        )
    return Scope(library.workspace_id, user_id, Role.VIEWER, "session")


async def asked(
    library: Library,
    base: ShelvedBase,
    scope: Scope,
    lists: Sequence[int],
    questions: Sequence[str],
    vectors: dict[str, NDArray[np.float32]],
) -> dict[str, float]:
    retriever = library.retriever
    found: dict[str, list[float]] = {"embedding": [], "keywords": []}
    latencies: list[float] = []
    async with library.database.transaction() as session:
        sql = text("SELECT home FROM indexes WHERE id = :id")
        home = (await session.execute(sql, {"id": base.index.id})).scalar_one()
    for question in questions:
        for mode in found:
            request = SearchRequest(question, [base.id], mode=mode, top_n=10, similarity=0, apply_gate=False)
            hits = {hit.paragraph_id for hit in (await retriever.search(scope, request)).hits}
            exact = await nearest(library, base, home, lists, question, mode, vectors)
            if exact:
                found[mode].append(len(hits & exact) / len(exact))
        before = time.perf_counter()
        result = await retriever.search(scope, SearchRequest(question, [base.id]))
        latencies.append((time.perf_counter() - before) * 1000 - result.timings_ms.get("embed", 0.0))
    recalls = {
        f"recall@10 {mode}": round(statistics.mean(values or [1.0]), 4) for mode, values in found.items()
    }
    return recalls | {
        "blend p50_ms": round(percentile(latencies, 0.5), 1),
        "blend p95_ms": round(percentile(latencies, 0.95), 1),
    }


async def nearest(
    library: Library,
    base: ShelvedBase,
    home: int,
    lists: Sequence[int],
    question: str,
    mode: str,
    vectors: dict[str, NDArray[np.float32]],
) -> set[UUID]:
    """The exact ten of what lies under the lists; by words only those that hold one.

    How rare a word is is counted over what lies under them, as the search counts it.
    """
    value = await _parameter(library, [base], question, mode, vectors, lists=lists)
    # Without the cast to the index's dimensions no index fits: every row is compared.
    distance = (
        "embedding <#> CAST(:v AS halfvec)" if mode == "embedding" else "bm25 <#> CAST(:v AS sparsevec)"
    )
    async with library.database.transaction() as session:
        rows = await session.execute(
            text(
                f"SELECT paragraph_id FROM {table_of(home)} WHERE index_id = :id"
                " AND acl_id = ANY(CAST(:lists AS bigint[]))"
                f" AND (:dense OR {distance} < 0) ORDER BY {distance} LIMIT 10"
            ),
            {"v": value, "id": base.index.id, "lists": list(lists), "dense": mode == "embedding"},
        )
        return set(rows.scalars())


if __name__ == "__main__":
    main()
