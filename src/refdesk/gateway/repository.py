"""All SQL of the gateway."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.errors import UnknownModel
from refdesk.gateway.routing.tables import FallbackPolicy
from refdesk.gateway.tables import Model


class ModelRepository:
    """The models of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def get(self, model_id: UUID) -> Model:
        """The model; raises `UnknownModel` for one that is not in the workspace."""
        statement = select(Model).where(Model.id == model_id, Model.workspace_id == self._scope.workspace_id)
        model = (await self._session.execute(statement)).scalar_one_or_none()
        if model is None:
            raise UnknownModel(model_id=str(model_id))
        return model

    async def all(self, kind: str | None = None) -> Sequence[Model]:
        """The models, defaults first, then by name."""
        statement = select(Model).where(Model.workspace_id == self._scope.workspace_id)
        if kind is not None:
            statement = statement.where(Model.kind == kind)
        statement = statement.order_by(Model.kind.desc(), Model.is_default.desc(), Model.name)
        return (await self._session.execute(statement)).scalars().all()

    async def default(self, kind: str) -> Model | None:
        """The default model of a kind."""
        statement = select(Model).where(
            Model.workspace_id == self._scope.workspace_id, Model.kind == kind, Model.is_default
        )
        return (await self._session.execute(statement)).scalars().first()

    async def has_policy(self, policy_id: UUID) -> bool:
        """Whether a fallback policy is the workspace's."""
        statement = select(FallbackPolicy.id).where(
            FallbackPolicy.id == policy_id, FallbackPolicy.workspace_id == self._scope.workspace_id
        )
        return (await self._session.execute(statement)).first() is not None

    async def policies_to(self, model: Model) -> list[str]:
        """The names of the fallback policies that switch to a model."""
        statement = select(FallbackPolicy.policy_id).where(
            FallbackPolicy.workspace_id == self._scope.workspace_id,
            FallbackPolicy.rules.contains([{"target_model_id": str(model.id)}]),
        )
        return list((await self._session.scalars(statement.order_by(FallbackPolicy.policy_id))).all())

    async def clear_default(self, kind: str) -> None:
        await self._session.execute(
            update(Model)
            .where(Model.workspace_id == self._scope.workspace_id, Model.kind == kind)
            .values(is_default=False)
        )

    async def add(self, model: Model) -> None:
        model.workspace_id = self._scope.workspace_id
        self._session.add(model)
        await self._session.flush()

    async def delete(self, model: Model) -> None:
        await self._session.delete(model)
        await self._session.flush()
