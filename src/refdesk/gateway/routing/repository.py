"""All SQL of policies, purposes and the health board."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.routing.errors import PolicyNotFound, RouteNotFound
from refdesk.gateway.routing.tables import FallbackPolicy, ModelHealth, ModelOutcomes, PurposeRoute
from refdesk.gateway.tables import Model


class PolicyRepository:
    """The fallback policies of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> Sequence[FallbackPolicy]:
        """By policy_id."""
        query = select(FallbackPolicy).where(FallbackPolicy.workspace_id == self._scope.workspace_id)
        return (await self._session.scalars(query.order_by(FallbackPolicy.policy_id))).all()

    async def get(self, policy_id: UUID) -> FallbackPolicy:
        """Raises `PolicyNotFound`."""
        query = select(FallbackPolicy).where(
            FallbackPolicy.id == policy_id, FallbackPolicy.workspace_id == self._scope.workspace_id
        )
        found = (await self._session.scalars(query)).one_or_none()
        if found is None:
            raise PolicyNotFound(policy=str(policy_id))
        return found

    async def add(self, policy: FallbackPolicy) -> None:
        policy.workspace_id = self._scope.workspace_id
        self._session.add(policy)
        await self._session.flush()

    async def delete(self, policy: FallbackPolicy) -> None:
        await self._session.delete(policy)
        await self._session.flush()

    async def models(self) -> Sequence[Model]:
        """All models of the workspace, for names and for who uses what."""
        query = select(Model).where(Model.workspace_id == self._scope.workspace_id)
        return (await self._session.scalars(query.order_by(Model.name))).all()

    async def lock(self) -> None:
        """Let one change at a time look for circles in the workspace."""
        await self._session.execute(
            select(
                func.pg_advisory_xact_lock(func.hashtextextended(f"policies {self._scope.workspace_id}", 0))
            )
        )


class RouteRepository:
    """The purposes of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> Sequence[tuple[PurposeRoute, Model]]:
        """By purpose, with the model of each."""
        query = (
            select(PurposeRoute, Model)
            .join(Model, Model.id == PurposeRoute.model_id)
            .where(PurposeRoute.workspace_id == self._scope.workspace_id)
            .order_by(PurposeRoute.purpose, PurposeRoute.kind)
        )
        return [(route, model) for route, model in await self._session.execute(query)]

    async def find(self, purpose: str, kind: str) -> PurposeRoute | None:
        query = select(PurposeRoute).where(
            PurposeRoute.workspace_id == self._scope.workspace_id,
            PurposeRoute.purpose == purpose,
            PurposeRoute.kind == kind,
        )
        return (await self._session.scalars(query)).one_or_none()

    async def add(self, route: PurposeRoute) -> None:
        route.workspace_id = self._scope.workspace_id
        self._session.add(route)
        await self._session.flush()

    async def delete(self, purpose: str, kind: str) -> None:
        """Raises `RouteNotFound`."""
        found = await self.find(purpose, kind)
        if found is None:
            raise RouteNotFound(purpose=purpose, kind=kind)
        await self._session.delete(found)
        await self._session.flush()


class HealthRepository:
    """What is stored of the health of one workspace's models."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def board(self) -> Sequence[tuple[Model, ModelHealth | None]]:
        """Every model with its health, by kind and name."""
        query = (
            select(Model, ModelHealth)
            .outerjoin(ModelHealth, ModelHealth.model_id == Model.id)
            .where(Model.workspace_id == self._scope.workspace_id)
            .order_by(Model.kind.desc(), Model.name)
        )
        return [(model, health) for model, health in await self._session.execute(query)]

    async def outcomes(self, since: datetime) -> dict[UUID, tuple[int, int]]:
        """Attempts and failures of each model from an hour on."""
        query = (
            select(ModelOutcomes.model_id, func.sum(ModelOutcomes.calls), func.sum(ModelOutcomes.failures))
            .join(Model, Model.id == ModelOutcomes.model_id)
            .where(Model.workspace_id == self._scope.workspace_id, ModelOutcomes.hour >= since)
            .group_by(ModelOutcomes.model_id)
        )
        return {row[0]: (int(row[1]), int(row[2])) for row in await self._session.execute(query)}


async def forget_outcomes(session: AsyncSession, before: datetime) -> None:
    """Drop the figures of hours long ago."""
    await session.execute(delete(ModelOutcomes).where(ModelOutcomes.hour < before))
