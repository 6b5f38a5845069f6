"""How fast the dashboard's figures come from a record of 1,000,000 calls.

    python -m benchmarks.usage_figures [--calls 1000000] --database-url postgresql://…

Fills the workspace it makes with calls of 30 days, 10 models, 200 people and 5 applications, then times each
grouping three times, for 30 days and for one. The database must be migrated; the workspace is removed again.
"""

import argparse
import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import get_args

from sqlalchemy import text

from refdesk.accounts import Role, Scope
from refdesk.accounts.tables import Workspace
from refdesk.gateway.usage.figures import figures
from refdesk.gateway.usage.schemas import By, Filters
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id

FILL = """
WITH m AS (SELECT gen_random_uuid() id, n FROM generate_series(0, 9) n),
     u AS (SELECT gen_random_uuid() id, n FROM generate_series(0, 199) n),
     a AS (SELECT gen_random_uuid() id, n FROM generate_series(0, 4) n)
INSERT INTO model_calls (id, workspace_id, at, model_id, kind, path, user_id, application_id, is_attempt,
    is_cached, input_tokens, output_tokens, cached_tokens, units, first_token_ms, latency_ms, attempts, code,
    fault, cost, currency)
SELECT gen_random_uuid(), :workspace, now() - interval '30 days' * (1 - i::float / :calls), m.id, 'LLM',
    (ARRAY['answer', 'rewrite', 'search'])[1 + i % 3], u.id, a.id, false, false, (random() * 4000)::int,
    (random() * 500)::int, 0, 0, (exp(random() * 3) * 50)::int, (exp(random() * 4) * 100)::int, 1,
    CASE WHEN i % 50 = 0 THEN 'model-timeout' ELSE 'ok' END,
    CASE WHEN i % 50 = 0 THEN 'model' ELSE 'none' END,
    round((random() * 0.01)::numeric, 6), 'USD'
FROM generate_series(1, :calls) i
JOIN m ON m.n = i * 7 % 10 JOIN u ON u.n = i * 13 % 200 JOIN a ON a.n = i * 3 % 5
"""


async def run(database_url: str, calls: int) -> None:
    database = Database(database_url)
    workspace = Workspace(id=new_id(), name="Benchmark")
    scope = Scope(workspace.id, None, Role.OWNER, "operator")
    async with database.transaction() as session:
        session.add(workspace)
        await session.flush()
        await session.execute(text(FILL), {"workspace": workspace.id, "calls": calls})
    try:
        async with database.engine.connect() as connection:
            connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(text("VACUUM ANALYZE model_calls"))
        until = datetime.now(UTC) + timedelta(minutes=1)
        for days in (30, 1):
            filters = Filters(since=until - timedelta(days=days), until=until)
            groupings: tuple[By, ...] = get_args(By.__value__)
            for by in groupings:
                if by == "hour" and days > 1:
                    continue
                took: list[float] = []
                counted = 0
                for _ in range(3):
                    async with database.transaction() as session:
                        began = time.perf_counter()
                        found = await figures(session, scope, filters, by)
                        counted = found.total.calls
                        took.append(time.perf_counter() - began)
                times = " ".join(f"{seconds * 1000:6.0f}" for seconds in took)
                print(f"{days:2} days by {by:12} {counted:9,} calls  {times} ms")
    finally:
        async with database.transaction() as session:
            await session.delete(await session.get_one(Workspace, workspace.id))
        await database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database-url", required=True)
    parser.add_argument("--calls", type=int, default=1_000_000)
    given = parser.parse_args()
    asyncio.run(run(given.database_url, given.calls))


if __name__ == "__main__":
    main()
