"""A workspace with a model and the controls of a process, for tests of limits, queues, usage and caches."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import update

from refdesk.accounts import Role, Scope
from refdesk.accounts.tables import Workspace
from refdesk.gateway.limits.tables import ModelLimit
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.tables import Model
from refdesk.gateway.usage.tables import ModelPrice
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id


@dataclass
class Called:
    """What controls see of a model."""

    id: UUID
    concurrency: int | None
    updated_at: datetime


@dataclass(frozen=True)
class Governed:
    """What calls are made in the name of, and of."""

    database: Database
    scope: Scope
    model: Called

    @property
    def purpose(self) -> Purpose:
        return Purpose("answer", application_id=UUID(int=7), run_id=UUID(int=8), request_id="r-1")

    def by(self, user: int) -> Scope:
        return replace(self.scope, user_id=UUID(int=user))

    async def limit(self, amount: float, **more: Any) -> UUID:
        values: dict[str, Any] = {
            "name": "Interns",
            "measure": "requests",
            "window_kind": "seconds",
            "window_s": 3600,
            "per": [],
        }
        made = ModelLimit(
            id=new_id(), workspace_id=self.scope.workspace_id, amount=Decimal(str(amount)), **(values | more)
        )
        async with self.database.transaction() as session:
            session.add(made)
        return made.id

    async def price(self, input_price: str, output_price: str, currency: str = "USD", **more: Any) -> None:
        async with self.database.transaction() as session:
            session.add(
                ModelPrice(
                    workspace_id=self.scope.workspace_id,
                    model_id=self.model.id,
                    valid_from=more.pop("valid_from", datetime(2020, 1, 1, tzinfo=UTC).date()),
                    currency=currency,
                    input_per_million=Decimal(input_price),
                    output_per_million=Decimal(output_price),
                    **more,
                )
            )

    async def set_concurrency(self, number: int | None) -> None:
        self.model.concurrency = number
        async with self.database.transaction() as session:
            await session.execute(update(Model).where(Model.id == self.model.id).values(concurrency=number))

    async def values(self, statement: Any) -> list[Any]:
        async with self.database.transaction() as session:
            return list((await session.execute(statement)).all())


async def governed(database: Database, *, concurrency: int | None = None) -> Governed:
    """A new workspace, so that tests of one module do not meet."""
    workspace = Workspace(id=new_id(), name="Governed")
    model = Model(
        id=new_id(),
        workspace_id=workspace.id,
        kind="LLM",
        provider="openai-compatible",
        name="Scripted",
        model_name="scripted",
        base_url="http://127.0.0.1:9/v1",
        parameters={},
        concurrency=concurrency,
    )
    async with database.transaction() as session:
        session.add(workspace)
        await session.flush()
        session.add(model)
    called = Called(model.id, concurrency, model.updated_at)
    return Governed(database, Scope(workspace.id, None, Role.OWNER, "session"), called)


async def eventually(check: Callable[[], Awaitable[bool]], within_s: float = 10.0) -> None:
    """Wait until something that is done in the background shows."""
    async with asyncio.timeout(within_s):
        while not await check():  # noqa: ASYNC110 — it shows in the database only
            await asyncio.sleep(0.01)
