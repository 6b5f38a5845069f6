"""Exactness of limits with several processes on one key, and what an admission costs a call.

    python -m benchmarks.limits --database-url postgresql://… [--redis-url redis://…] [--processes 4]

Each line is one store with so many callers a process, in `--windows` windows of `--seconds`: how many of the
limit were admitted in each window (never more than 100 %), and the latency of an admission (p50, p99) as a
caller sees it. The limit is set to about half of what the callers ask for. The last lines are what a call
costs where nothing is limited, and where its workspace has limits that do not apply to it. The database must
be migrated; the workspace that is made is removed again.
"""

import argparse
import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from refdesk.accounts import Role, Scope
from refdesk.accounts.tables import ApiKey, Workspace
from refdesk.gateway import Purpose
from refdesk.gateway.controls import Controls
from refdesk.gateway.limits.tables import ModelLimit
from refdesk.gateway.tables import Model
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.testing.limit_hammer import Order, hammer_together


@dataclass(frozen=True)
class Unlimited:
    """What controls see of a model."""

    id: UUID
    concurrency: int | None = None


class Bench:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.workspace = Workspace(id=new_id(), name="Benchmark")
        self.model = Model(
            id=new_id(),
            workspace_id=self.workspace.id,
            kind="LLM",
            provider="openai-compatible",
            name="Benchmark",
            model_name="none",
            base_url="http://127.0.0.1:9/v1",
            parameters={},
        )

    async def open(self) -> None:
        async with self.database.transaction() as session:
            session.add(self.workspace)
            await session.flush()
            session.add(self.model)

    async def close(self) -> None:
        async with self.database.transaction() as session:
            await session.delete(await session.get_one(Workspace, self.workspace.id))

    async def limited_key(self, amount: int, window_s: int) -> UUID:
        key = ApiKey(
            id=new_id(),
            workspace_id=self.workspace.id,
            name="Benchmark",
            prefix="rd-x",
            key_hash=new_id().bytes * 2,
            scopes=["ask"],
        )
        async with self.database.transaction() as session:
            session.add(key)
            await session.flush()
            session.add(
                ModelLimit(
                    workspace_id=self.workspace.id,
                    name="Benchmark",
                    measure="requests",
                    amount=Decimal(amount),
                    window_kind="seconds",
                    window_s=window_s,
                    per=["user"] if amount == 0 else ["api_key"],
                    api_key_id=key.id,
                )
            )
        return key.id

    async def hammer(
        self, given: argparse.Namespace, redis_url: str | None, callers: int, limit: int
    ) -> None:
        key = await self.limited_key(limit, given.seconds)
        order = Order(
            database_url=self.database.url,
            redis_url=redis_url,
            workspace_id=str(self.workspace.id),
            model_id=str(self.model.id),
            api_key_id=str(key),
            callers=callers,
            pause_s=given.pause_ms / 1000,
        )
        reports = await hammer_together(
            order, processes=given.processes, window_s=given.seconds, windows=given.windows
        )
        windows: Counter[str] = Counter()
        for report in reports:
            windows.update(report["admitted"])
        latencies = sorted(one for report in reports for one in report["latencies_us"])
        refused = sum(report["refused"] for report in reports)
        shares = " ".join(f"{100 * windows[window] / limit:6.2f} %" for window in sorted(windows))
        store = "Redis" if redis_url else "PostgreSQL"
        asked = sum(windows.values()) + refused
        rate = asked / (given.seconds * given.windows)
        p50, p99 = (latencies[int(len(latencies) * share)] / 1000 for share in (0.5, 0.99))
        print(
            f"{store:10} {given.processes} processes × {callers:3} callers, {rate:6.0f} asked a second,"
            f" limit {limit}: {shares}   p50 {p50:.2f} ms, p99 {p99:.2f} ms"
        )

    async def unlimited(self, times: int = 20_000) -> None:
        """The cost where no limit applies, in this process."""
        scope = Scope(self.workspace.id, None, Role.VIEWER, "session")
        elsewhere = Scope(new_id(), None, Role.VIEWER, "session")
        controls = Controls(Settings(), self.database)
        model = Unlimited(self.model.id)
        for name, who in (("no limits in the workspace", elsewhere), ("limits of other keys", scope)):
            await controls.limits.admit(who, Purpose("answer"), model, 1)
            began = time.perf_counter()
            for _ in range(times):
                admission = await controls.limits.admit(who, Purpose("answer"), model, 1)
                async with controls.permits.permit(who, Purpose("answer"), model):
                    await admission.settle(None)
            print(f"{name}: {(time.perf_counter() - began) / times * 1e6:.1f} µs a call")
        await controls.close()


async def run(given: argparse.Namespace) -> None:
    database = Database(given.database_url)
    bench = Bench(database)
    await bench.open()
    try:
        for redis_url in (None, given.redis_url) if given.redis_url else (None,):
            for callers in given.callers:
                asked = given.processes * callers * given.seconds * 1000 / max(given.pause_ms, 1)
                await bench.hammer(given, redis_url, callers, int(min(asked / 2, given.most)))
        await bench.unlimited()
    finally:
        await bench.close()
        await database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--database-url", required=True)
    parser.add_argument("--redis-url")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--pause-ms", type=int, default=20, help="of a caller between two calls")
    parser.add_argument("--most", type=int, default=1_000, help="highest limit")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
