"""What calls cost, by the price that is valid on the day."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.gateway.usage.tables import ModelPrice, UsageSettings
from refdesk.kit.clock import now

MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Money:
    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Price:
    """Per million tokens, per unit, per call. Without a price of their own cached tokens cost as others."""

    valid_from: date
    currency: str
    input: Decimal
    cached: Decimal | None
    output: Decimal
    per_unit: Decimal
    per_call: Decimal

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int, units: Decimal) -> Money:
        cached = min(cached_tokens, input_tokens)
        tokens = (
            (input_tokens - cached) * self.input
            + cached * (self.input if self.cached is None else self.cached)
            + output_tokens * self.output
        )
        return Money(tokens / MILLION + units * self.per_unit + self.per_call, self.currency)


@dataclass(frozen=True, slots=True)
class PriceBook:
    """The prices of all models, oldest first, and the time zones in which workspaces' days begin."""

    prices: Mapping[UUID, Sequence[Price]]
    zones: Mapping[UUID, ZoneInfo]

    def cost(
        self,
        workspace_id: UUID,
        model_id: UUID,
        input_tokens: int,
        output_tokens: int,
        cached_tokens: int = 0,
        units: Decimal = Decimal(0),
        at: datetime | None = None,
    ) -> Money | None:
        """None where the model has no price on that day."""
        prices = self.prices.get(model_id)
        if not prices:
            return None
        day = (at or now()).astimezone(self.zones.get(workspace_id, UTC)).date()
        place = bisect_right(prices, day, key=lambda price: price.valid_from)
        if place == 0:
            return None
        return prices[place - 1].cost(input_tokens, output_tokens, cached_tokens, units)


async def load_prices(session: AsyncSession) -> PriceBook:
    """All prices of all workspaces."""
    prices: dict[UUID, list[Price]] = {}
    for row in await session.scalars(select(ModelPrice).order_by(ModelPrice.model_id, ModelPrice.valid_from)):
        price = Price(
            row.valid_from,
            row.currency,
            row.input_per_million,
            row.cached_per_million,
            row.output_per_million,
            row.per_unit,
            row.per_call,
        )
        prices.setdefault(row.model_id, []).append(price)
    zones = {
        row.workspace_id: ZoneInfo(row.time_zone) for row in await session.scalars(select(UsageSettings))
    }
    return PriceBook(prices, zones)
