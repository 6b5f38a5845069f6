"""Setting prices, and how a workspace counts."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.usage.csv_files import read_prices, write_prices
from refdesk.gateway.usage.errors import PriceTaken, TimeZoneUnknown
from refdesk.gateway.usage.repository import PriceRepository, UsageSettingsRepository
from refdesk.gateway.usage.schemas import PriceImportResult, PriceParts, PriceView, UsageSettingsView
from refdesk.gateway.usage.tables import ModelPrice
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id


@dataclass(frozen=True, slots=True)
class PriceService:
    """What owners do to prices. Calls that were made keep the cost they were recorded with."""

    session: AsyncSession
    scope: Scope

    @property
    def _prices(self) -> PriceRepository:
        return PriceRepository(self.session, self.scope)

    async def create(self, parts: PriceParts) -> ModelPrice:
        await ModelRepository(self.session, self.scope).get(parts.model_id)
        price = ModelPrice(id=new_id(), **parts.model_dump())
        await self._store(self._prices.add(price))
        audit(self.session, self.scope, "price.create", ("model", price.model_id), after=_told(price))
        return price

    async def change(self, price_id: UUID, parts: PriceParts) -> ModelPrice:
        price = await self._prices.get(price_id)
        await ModelRepository(self.session, self.scope).get(parts.model_id)
        before = _told(price)
        for name, value in parts.model_dump().items():
            setattr(price, name, value)
        price.updated_at = now()
        await self._store(self.session.flush())
        details = {"before": before, "after": _told(price)}
        audit(self.session, self.scope, "price.change", ("model", price.model_id), **details)
        return price

    async def delete(self, price_id: UUID) -> None:
        price = await self._prices.get(price_id)
        before = _told(price)
        await self._prices.delete(price)
        audit(self.session, self.scope, "price.delete", ("model", price.model_id), before=before)

    async def export(self) -> bytes:
        """All prices as CSV."""
        models = {model.id: model.name for model in await ModelRepository(self.session, self.scope).all()}
        return write_prices(await self._prices.all(), models)

    async def take(self, text: str) -> PriceImportResult:
        """Add and change prices as a CSV file says, all or none; prices it does not name stay."""
        models = await ModelRepository(self.session, self.scope).all()
        wanted = read_prices(text, {model.name: [model.id] for model in models})
        known = {(price.model_id, price.valid_from): price for price in await self._prices.all()}
        added = changed = 0
        for parts in wanted:
            price = known.get((parts.model_id, parts.valid_from))
            if price is None:
                await self.create(parts)
                added += 1
            elif any(getattr(price, name) != value for name, value in parts.model_dump().items()):
                await self.change(price.id, parts)
                changed += 1
        return PriceImportResult(added=added, changed=changed, unchanged=len(wanted) - added - changed)

    async def _store(self, work: Awaitable[None]) -> None:
        try:
            await work
        except IntegrityError as error:
            raise PriceTaken from error


async def set_usage_settings(session: AsyncSession, scope: Scope, wanted: UsageSettingsView) -> None:
    """Raises `TimeZoneUnknown`."""
    try:
        ZoneInfo(wanted.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise TimeZoneUnknown(time_zone=wanted.time_zone) from error
    settings = UsageSettingsRepository(session, scope)
    before = UsageSettingsView.model_validate(await settings.get())
    await settings.put(wanted.time_zone, wanted.keep_days)
    details = {"before": before.model_dump(), "after": wanted.model_dump()}
    audit(session, scope, "usage-settings.change", ("workspace", scope.workspace_id), **details)


def _told(price: ModelPrice) -> dict[str, Any]:
    """The price as the audit record shows it."""
    return PriceView.model_validate(price).model_dump(mode="json", exclude={"id", "model_id", "updated_at"})
