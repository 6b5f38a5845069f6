"""All SQL of comparisons and their answers. Bound to the scope's workspace."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.evaluation.comparing.tables import Comparison, ComparisonAnswer

UNDER_WAY = ("queued", "running")


class ComparisonRepository:
    """Comparisons of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def find(self, comparison_id: UUID, *, lock: bool = False) -> Comparison | None:
        query = select(Comparison).where(
            Comparison.workspace_id == self._scope.workspace_id, Comparison.id == comparison_id
        )
        if lock:
            query = query.with_for_update().execution_options(populate_existing=True)
        return await self._session.scalar(query)

    async def of_set(self, set_id: UUID) -> list[Comparison]:
        """Those of a test set, the newest first (ids are in order of time)."""
        rows = await self._session.scalars(
            select(Comparison)
            .where(Comparison.workspace_id == self._scope.workspace_id, Comparison.test_set_id == set_id)
            .order_by(Comparison.id.desc())
        )
        return list(rows)

    async def is_under_way(self, set_id: UUID) -> bool:
        found = await self._session.scalar(
            select(Comparison.id)
            .where(
                Comparison.workspace_id == self._scope.workspace_id,
                Comparison.test_set_id == set_id,
                Comparison.state.in_(UNDER_WAY),
            )
            .limit(1)
        )
        return found is not None

    async def answers(
        self, comparison_ids: Sequence[UUID], *, places: Sequence[int] | None = None
    ) -> list[ComparisonAnswer]:
        """The answers of comparisons, or those at some places, question by question."""
        query = select(ComparisonAnswer).where(
            ComparisonAnswer.workspace_id == self._scope.workspace_id,
            ComparisonAnswer.comparison_id.in_(comparison_ids),
        )
        if places is not None:
            query = query.where(ComparisonAnswer.place.in_(places))
        order = (ComparisonAnswer.comparison_id, ComparisonAnswer.place, ComparisonAnswer.variant)
        return list(await self._session.scalars(query.order_by(*order)))

    async def places(
        self, comparison_id: UUID, *, limit: int, after: int, differing: bool
    ) -> tuple[list[int], int]:
        """Places of questions behind `after`, and how many there are in all. `differing`: only those that
        came out differently."""
        query = (
            select(ComparisonAnswer.place)
            .where(
                ComparisonAnswer.workspace_id == self._scope.workspace_id,
                ComparisonAnswer.comparison_id == comparison_id,
            )
            .group_by(ComparisonAnswer.place)
        )
        if differing:
            query = query.having(func.count(ComparisonAnswer.outcome.distinct()) > 1)
        total = await self._session.scalar(select(func.count()).select_from(query.subquery()))
        found = query.having(ComparisonAnswer.place > after).order_by(ComparisonAnswer.place).limit(limit)
        return list(await self._session.scalars(found)), total or 0

    async def answer(self, comparison_id: UUID, place: int, variant: int) -> ComparisonAnswer | None:
        return await self._session.scalar(
            select(ComparisonAnswer)
            .where(
                ComparisonAnswer.workspace_id == self._scope.workspace_id,
                ComparisonAnswer.comparison_id == comparison_id,
                ComparisonAnswer.place == place,
                ComparisonAnswer.variant == variant,
            )
            .execution_options(populate_existing=True)
        )
