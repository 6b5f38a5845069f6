"""Knowledge graphs: reading 10,000 paragraphs by rules, and paths in a graph of 100,000 relations.

    python benchmarks/graph.py [--paragraphs 10000] [--relations 100000] [--queries 200]

Runs against a database of its own in an embedded PostgreSQL, or on the server of `REFDESK_BENCHMARK_URL`. The
graph has hubs as real ones have: the target of a relation is drawn by a power law.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
from sqlalchemy import insert, make_url, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk import migrations
from refdesk.accounts import Role, Scope
from refdesk.kit.database import Database, libpq_url
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.ids import new_id
from refdesk.knowledge.graph import find_paths
from refdesk.knowledge.graph.exploring import Explorer
from refdesk.knowledge.graph.extraction.facts import Passage
from refdesk.knowledge.graph.extraction.rules import RECIPE, read_by_rules
from refdesk.knowledge.graph.keys import entity_id, entity_key
from refdesk.knowledge.graph.tables import GraphMention, GraphReading, GraphRelation, KnowledgeGraph
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.testing.desk import make_desk

LABELLED = Path(__file__).parents[1] / "tests/unit/knowledge/graph/labelled_relations.json"
DOCUMENT_PARAGRAPHS = 100
AT_ONCE = 5_000


def passages(count: int, rng: random.Random) -> list[Passage]:
    """Paragraphs like the labelled ones, with names of their own, two of them together with filling text."""
    cases = json.loads(LABELLED.read_text("utf-8"))
    filling = "请在开始之前阅读本章。Read this chapter before you begin. 如有疑问请联系管理员。" * 3
    made: list[Passage] = []
    for n in range(count):
        first, second = rng.choice(cases), rng.choice(cases)
        content = f"{first['text']}\n\n{filling}\n\n{second['text']}".replace("网关", f"网关{n % 997}")
        made.append(Passage(uuid4(), uuid4(), "a.md", first["titles"], content, 1))
    return made


def time_rules(count: int) -> None:
    made = passages(count, random.Random(7))
    started, worked = time.perf_counter(), time.process_time()
    facts = sum(len(read_by_rules(passage)) for passage in made)
    took, worked = time.perf_counter() - started, time.process_time() - worked
    characters = sum(len(passage.content) for passage in made)
    print(
        f"rules: {count} paragraphs, {characters / count:.0f} characters each, {facts} relations:"
        f" {took:.1f} s, {worked:.1f} s of processor ({worked / count * 1e3:.2f} ms each)"
    )


async def make_graph(session: AsyncSession, scope: Scope, base_id: UUID, relations: int) -> list[str]:
    """A graph of so many relations, ten a paragraph. Returns the names of its entities."""
    rng = random.Random(11)
    names = [f"部件{n}号" for n in range(relations // 4)]
    ids = [entity_id(entity_key(name)) for name in names]
    graph = KnowledgeGraph(
        id=new_id(), workspace_id=scope.workspace_id, knowledge_base_id=base_id, method="rules", recipe=RECIPE
    )
    graph.state = "ready"
    session.add(graph)
    await session.flush()
    fixed = {"workspace_id": scope.workspace_id}
    rows: dict[type, list[dict[str, object]]] = {
        table: [] for table in (Document, Paragraph, GraphReading, GraphMention, GraphRelation)
    }
    document_id = new_id()
    for number in range(relations // 10):
        if number % DOCUMENT_PARAGRAPHS == 0:
            document_id = new_id()
            rows[Document].append(
                {
                    **fixed,
                    "id": document_id,
                    "knowledge_base_id": base_id,
                    "name": f"{number}.md",
                    "state": "ready",
                    "acl_id": 0,
                }
            )
        paragraph_id = new_id()
        rows[Paragraph].append(
            {
                **fixed,
                "id": paragraph_id,
                "knowledge_base_id": base_id,
                "document_id": document_id,
                "position": number,
                "content": "部件依赖部件。" * 20,
                "title": "",
                "title_chain": [],
            }
        )
        of_graph = {**fixed, "graph_id": graph.id, "paragraph_id": paragraph_id, "revision": 1}
        rows[GraphReading].append({**of_graph, "recipe": RECIPE})
        of_graph["document_id"] = document_id
        mentioned: set[int] = set()
        for _ in range(10):
            source = rng.randrange(len(names))
            target = min(int(rng.paretovariate(0.6)) - 1, len(names) - 1)
            if target == source:
                continue
            mentioned |= {source, target}
            rows[GraphRelation].append(
                {
                    **of_graph,
                    "source_id": ids[source],
                    "target_id": ids[target],
                    "kind": "depends_on",
                    "label": "依赖",
                    "start": 0,
                    "end": 7,
                    "ends": False,
                }
            )
        rows[GraphMention] += [
            {
                **of_graph,
                "entity_id": ids[one],
                "name": names[one],
                "key": entity_key(names[one]),
                "kind": "thing",
            }
            for one in mentioned
        ]
    for table, made in rows.items():
        for start in range(0, len(made), AT_ONCE):
            await session.execute(insert(table), made[start : start + AT_ONCE])
    return names


def told(name: str, times: list[float]) -> None:
    times.sort()
    p95 = times[int(len(times) * 0.95) - 1]
    print(f"{name}: p50 {statistics.median(times):.1f} ms, p95 {p95:.1f} ms, most {times[-1]:.1f} ms")


async def time_graph(url: str, relations: int, queries: int) -> None:
    await migrations.upgrade(url)
    database = Database(url, pool_size=2, application_name="refdesk-benchmark")
    desk = await make_desk(database)
    base = await desk.base()
    async with database.transaction() as session:
        started = time.perf_counter()
        names = await make_graph(session, desk.scope, base.id, relations)
        print(f"graph: {relations} relations written in {time.perf_counter() - started:.0f} s")
    async with database.engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        for table in ("documents", "paragraphs", "graph_relations", "graph_mentions"):
            await connection.execute(text(f"ANALYZE {table}"))
    viewer = Scope(desk.workspace_id, new_id(), Role.VIEWER, "session")
    rng = random.Random(3)
    hubs = names[:5]
    kinds = {
        "two entities": lambda: [rng.choice(names), rng.choice(names)],
        "a hub and an entity": lambda: [rng.choice(hubs), rng.choice(names)],
        "one hub": lambda: [rng.choice(hubs)],
    }
    for scope, who in ((desk.scope, "owner"), (viewer, "viewer")):
        for kind, choose in kinds.items():
            times, found = [], 0
            for _ in range(queries):
                started = time.perf_counter()
                async with database.transaction() as session:
                    result = await find_paths(session, scope, [base.id], entities=choose(), max_hops=3)
                times.append((time.perf_counter() - started) * 1e3)
                found += bool(result.paths)
            told(f"find_paths, {kind}, {who} ({found} of {queries} joined)", times)
        if who == "owner":
            await restrict(database, desk.scope, base.id)
    question = "请问部件1号和部件77号之间有什么关系，它们的上游分别是哪个部件？"
    times = []
    for _ in range(queries):
        started = time.perf_counter()
        async with database.transaction() as session:
            await find_paths(session, viewer, [base.id], question=question)
        times.append((time.perf_counter() - started) * 1e3)
    told("find_paths, a question of 33 characters, viewer", times)
    for name in ("counts", "overview"):
        times = []
        for _ in range(5):
            started = time.perf_counter()
            async with database.transaction() as session:
                explorer = Explorer(session, viewer, base.id)
                await (explorer.counts() if name == "counts" else explorer.overview(limit=80))
            times.append((time.perf_counter() - started) * 1e3)
        told(name, times)
    await database.close()


async def restrict(database: Database, scope: Scope, base_id: UUID) -> None:
    """Hide a tenth of the documents from everybody but owners."""
    async with database.transaction() as session:
        await session.execute(
            text(
                "WITH made AS (INSERT INTO access_lists (workspace_id, knowledge_base_id)"
                " VALUES (:workspace, :base) RETURNING id)"
                " UPDATE documents SET acl_id = (SELECT id FROM made)"
                " WHERE knowledge_base_id = :base AND id IN (SELECT id FROM documents"
                " WHERE knowledge_base_id = :base ORDER BY id LIMIT (SELECT count(*) / 10 FROM documents))"
            ),
            {"workspace": scope.workspace_id, "base": base_id},
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paragraphs", type=int, default=10_000)
    parser.add_argument("--relations", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    given = parser.parse_args()
    time_rules(given.paragraphs)
    server = os.environ.get("REFDESK_BENCHMARK_URL")
    folder = Path(tempfile.mkdtemp(prefix="refdesk-graph-"))
    embedded = None if server else EmbeddedPostgres(folder, durable=False)
    url = libpq_url(server) if server else embedded.start() if embedded else ""
    name = f"refdesk_graph_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'".encode())
    try:
        asyncio.run(time_graph(with_database(url, name), given.relations, given.queries))
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
        if embedded is not None:
            embedded.stop()
        shutil.rmtree(folder, ignore_errors=True)


def with_database(url: str, name: str) -> str:
    return libpq_url(make_url(url).set(database=name).render_as_string(hide_password=False))


if __name__ == "__main__":
    main()
