"""Limits in memory, and which of them apply to a call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.gateway.limits.tables import ModelLimit
from refdesk.gateway.usage import UsageSettings

type Measure = Literal["requests", "tokens", "money"]
type WindowKind = Literal["seconds", "day", "month"]
type Dimension = Literal["user", "api_key", "application", "path", "model"]
type Caller = Mapping[str, str | None]

DIMENSIONS: tuple[Dimension, ...] = ("user", "api_key", "application", "path", "model")


@dataclass(frozen=True, slots=True)
class Rule:
    """An active limit. `only` is what a call must have, `per` what is counted apart."""

    id: UUID
    name: str
    measure: Measure
    amount: Decimal
    currency: str | None
    is_hard: bool
    window_kind: WindowKind
    window_s: int | None
    time_zone: str
    only: tuple[tuple[str, str], ...]
    per: tuple[str, ...]

    def subject_of(self, caller: Caller) -> str | None:
        """Under which name the call is counted; None where the limit does not apply to it.

        What a limit is counted by must be known of the call: background work has no user, so a limit for
        each user does not touch it.
        """
        for dimension, wanted in self.only:
            if caller[dimension] != wanted:
                return None
        if not self.per:
            return ""
        values = [caller[dimension] for dimension in self.per]
        if None in values:
            return None
        return " ".join(value or "" for value in values)


type Rules = Mapping[UUID, Sequence[Rule]]


async def load_rules(session: AsyncSession) -> Rules:
    """All active limits by workspace."""
    rows = await session.execute(
        select(ModelLimit, UsageSettings.time_zone)
        .outerjoin(UsageSettings, UsageSettings.workspace_id == ModelLimit.workspace_id)
        .where(ModelLimit.is_active)
        .order_by(ModelLimit.id)
    )
    found: dict[UUID, list[Rule]] = {}
    for limit, time_zone in rows:
        found.setdefault(limit.workspace_id, []).append(rule_of(limit, time_zone or "UTC"))
    return found


def rule_of(limit: ModelLimit, time_zone: str) -> Rule:
    """A row as a rule."""
    narrowed = (
        ("user", limit.user_id),
        ("api_key", limit.api_key_id),
        ("application", limit.application_id),
        ("path", limit.path),
        ("model", limit.model_id),
    )
    return Rule(
        id=limit.id,
        name=limit.name,
        measure=limit.measure,  # pyright: ignore[reportArgumentType] — checked when it is saved
        amount=limit.amount,
        currency=limit.currency,
        is_hard=limit.is_hard,
        window_kind=limit.window_kind,  # pyright: ignore[reportArgumentType]
        window_s=limit.window_s,
        time_zone=time_zone,
        only=tuple((name, str(value)) for name, value in narrowed if value is not None),
        per=tuple(name for name in DIMENSIONS if name in limit.per),
    )
