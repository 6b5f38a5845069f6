"""An evaluation measures the ordinary search and leaves nothing behind."""

from typing import Any, cast
from uuid import UUID

import pytest
from sqlalchemy import text

from refdesk.accounts import Scope
from refdesk.evaluation import JudgedQuery, Passage, RetrievalSet, evaluate_retrieval
from refdesk.gateway import Gateway
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.testing.embedder import HashingEmbedder

TABLES = ("workspaces", "models", "knowledge_bases", "documents", "paragraphs", "indexes", "index_entries")


class HashingGateway:
    """A gateway whose only model is a hashing embedder, of so many dimensions that no two words of these
    tests meet in one: equal scores would be in any order."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def default_model(self, scope: Scope, kind: str, purpose: str | None = None) -> UUID:
        async with self._database.transaction() as session:
            query = text("SELECT id FROM models WHERE workspace_id = :id AND kind = :kind")
            found = await session.execute(query, {"id": scope.workspace_id, "kind": kind})
            return found.scalar_one()

    async def embedder(self, scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
        return HashingEmbedder(model_id, 512)


async def counts(database: Database) -> list[int]:
    async with database.transaction() as session:
        return [(await session.execute(text(f"SELECT count(*) FROM {t}"))).scalar_one() for t in TABLES]


def judged(passages: int) -> RetrievalSet:
    """Passages of topics and their parts: of texts equally far apart no graph finds the nearest."""

    def told(i: int) -> str:
        return f"topic{i // 20} part{i // 5} subject{i}"

    return RetrievalSet(
        tuple(Passage(f"d{i}", "", f"passage about {told(i)} and code-{i}") for i in range(passages)),
        tuple(JudgedQuery(f"q{i}", f"what of {told(i)}", {f"d{i}": 1.0}) for i in range(0, passages, 20)),
    )


@pytest.mark.parametrize("exact_scan_limit", [10_000, 100])
async def test_every_passage_is_searched_and_nothing_is_left(
    database: Database, exact_scan_limit: int
) -> None:
    before = await counts(database)
    results = await evaluate_retrieval(
        database,
        cast(Gateway, cast(Any, HashingGateway(database))),
        Settings(exact_scan_limit=exact_scan_limit),
        judged(200),
        ("embedding", "keywords", "blend"),
    )
    assert await counts(database) == before
    for result in results:
        assert result.entries == 200
        assert result.ndcg_at_10 == 1.0
        assert set(result.summary()) == {
            "ndcg@10",
            "hit@5",
            "recall@100",
            "mrr@10",
            "latency_ms",
            "entries",
            "index_seconds",
        }


async def test_nothing_is_left_when_it_fails(database: Database) -> None:
    class Failing(HashingGateway):
        async def embedder(self, scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
            embedder = await super().embedder(scope, model_id)
            embedder.fail_with = ConnectionError("no model")
            return embedder

    before = await counts(database)
    with pytest.raises(ConnectionError):
        await evaluate_retrieval(
            database, cast(Gateway, cast(Any, Failing(database))), Settings(), judged(40), ("blend",)
        )
    assert await counts(database) == before
