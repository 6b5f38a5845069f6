"""Setting limits. What is set is told to all processes by the database itself."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit, key_names, key_resources, people_and_groups
from refdesk.gateway.limits.errors import LimitInvalid
from refdesk.gateway.limits.repository import LimitRepository
from refdesk.gateway.limits.rules import rule_of
from refdesk.gateway.limits.schemas import (
    LimitChange,
    LimitDraft,
    LimitParts,
    LimitStanding,
    LimitStandingView,
    LimitView,
)
from refdesk.gateway.limits.store import CounterStore, Standing
from refdesk.gateway.limits.tables import ModelLimit
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.usage.repository import UsageSettingsRepository
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id

# With another of these, what was counted before means nothing.
_COUNTED = ("measure", "currency", "window_kind", "window_s", "per")


@dataclass(frozen=True, slots=True)
class LimitService:
    """What owners do to limits."""

    session: AsyncSession
    scope: Scope

    @property
    def _limits(self) -> LimitRepository:
        return LimitRepository(self.session, self.scope)

    async def create(self, draft: LimitDraft) -> ModelLimit:
        limit = ModelLimit(id=new_id(), **await self._checked(draft))
        await self._store(self._limits.add(limit))
        audit(self.session, self.scope, "limit.create", ("limit", limit.id), after=_told(limit))
        return limit

    async def change(self, limit_id: UUID, change: LimitChange) -> ModelLimit:
        limit = await self._limits.get(limit_id)
        before = _told(limit)
        counted = [getattr(limit, name) for name in _COUNTED]
        for name, value in (await self._checked(change)).items():
            setattr(limit, name, value)
        limit.updated_at = now()
        await self._store(self.session.flush())
        if [getattr(limit, name) for name in _COUNTED] != counted:
            await self._limits.forget_counts(limit)
        details = {"before": before, "after": _told(limit)}
        audit(self.session, self.scope, "limit.change", ("limit", limit.id), **details)
        return limit

    async def delete(self, limit_id: UUID) -> None:
        limit = await self._limits.get(limit_id)
        before = _told(limit)
        await self._limits.delete(limit)
        audit(self.session, self.scope, "limit.delete", ("limit", limit_id), before=before)

    async def standing(self, limit_id: UUID, counters: CounterStore) -> LimitStanding:
        """How much of it is used now."""
        limit = await self._limits.get(limit_id)
        settings = await UsageSettingsRepository(self.session, self.scope).get()
        rule = rule_of(limit, settings.time_zone)
        found = await counters.standing(rule)
        return LimitStanding(
            limit=LimitView.model_validate(limit), standings=[_standing(rule.per, one) for one in found]
        )

    async def _checked(self, parts: LimitParts) -> dict[str, Any]:
        """The columns' values. Raises where an id is not of this workspace, before the database does."""
        if parts.model_id is not None:
            await ModelRepository(self.session, self.scope).get(parts.model_id)
        if parts.user_id is not None:
            people, _ = await people_and_groups(self.session, self.scope, [parts.user_id], [])
            if not people:
                raise LimitInvalid("The user of the limit is no member of this workspace.")
        if parts.api_key_id is not None and not await key_names(self.session, self.scope, [parts.api_key_id]):
            raise LimitInvalid("The API key of the limit is not of this workspace.")
        if parts.application_id is not None:
            await key_resources["application"](self.session, self.scope, parts.application_id)
        return parts.model_dump() | {"per": list(dict.fromkeys(parts.per))}

    async def _store(self, work: Awaitable[None]) -> None:
        try:
            await work
        except IntegrityError as error:
            raise LimitInvalid("Something the limit names was deleted meanwhile.") from error


def _told(limit: ModelLimit) -> dict[str, Any]:
    """The limit as the audit record shows it."""
    return LimitView.model_validate(limit).model_dump(mode="json", exclude={"id", "created_at", "updated_at"})


def _standing(per: Sequence[str], standing: Standing) -> LimitStandingView:
    values = dict(zip(per, standing.subject.split(" "), strict=False)) if per else {}
    ids = {name if name == "path" else f"{name}_id": value for name, value in values.items()}
    view = {"used": standing.used, "window_start": standing.window_start} | ids
    return LimitStandingView.model_validate(view)
