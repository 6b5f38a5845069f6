"""All SQL of intents. That the application is the caller's to see, the one who asks has checked."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.chat.intents.errors import IntentNotFound
from refdesk.chat.intents.tables import ExampleVector, IntentNode, IntentTreeVersion


class IntentRepository:
    """The intents of one application of the scope's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope, application_id: UUID) -> None:
        self._session = session
        self._scope = scope
        self.application_id = application_id

    @property
    def _mine(self) -> ColumnElement[bool]:
        return and_(
            IntentNode.workspace_id == self._scope.workspace_id,
            IntentNode.application_id == self.application_id,
        )

    async def all(self) -> Sequence[IntentNode]:
        """The nodes that are not deleted, parents and children in their order."""
        rows = await self._session.scalars(
            select(IntentNode)
            .where(self._mine, IntentNode.deleted_at.is_(None))
            .order_by(IntentNode.position, IntentNode.created_at, IntentNode.id)
        )
        return rows.all()

    async def get(self, intent_id: UUID) -> IntentNode:
        found = await self._session.scalar(
            select(IntentNode).where(self._mine, IntentNode.id == intent_id, IntentNode.deleted_at.is_(None))
        )
        if found is None:
            raise IntentNotFound
        return found

    async def deleted(self, intent_id: UUID) -> Sequence[IntentNode]:
        """What was deleted together with this node. Raises `IntentNotFound` if it was not."""
        moment = await self._session.scalar(
            select(IntentNode.deleted_at).where(self._mine, IntentNode.id == intent_id)
        )
        if moment is None:
            raise IntentNotFound
        rows = await self._session.scalars(
            select(IntentNode).where(self._mine, IntentNode.deleted_at == moment)
        )
        return rows.all()

    async def add(self, *nodes: IntentNode) -> None:
        for node in nodes:
            node.workspace_id = self._scope.workspace_id
            node.application_id = self.application_id
        self._session.add_all(nodes)
        await self._session.flush()

    async def remove(self, ids: Sequence[UUID], moment: datetime) -> None:
        await self._session.execute(
            update(IntentNode).where(self._mine, IntentNode.id.in_(ids)).values(deleted_at=moment)
        )

    async def forget_deleted(self, before: datetime) -> None:
        """Delete for good what was deleted long ago."""
        await self._session.execute(delete(IntentNode).where(self._mine, IntentNode.deleted_at < before))

    async def version(self) -> int:
        found = await self._session.scalar(
            select(IntentTreeVersion.version).where(
                IntentTreeVersion.workspace_id == self._scope.workspace_id,
                IntentTreeVersion.application_id == self.application_id,
            )
        )
        return found or 0

    async def changed(self) -> int:
        """Count one more change. Locks the tree until the transaction ends, so changes come one by one."""
        statement = insert(IntentTreeVersion).values(
            application_id=self.application_id, workspace_id=self._scope.workspace_id, version=1
        )
        version = await self._session.scalar(
            statement.on_conflict_do_update(
                index_elements=[IntentTreeVersion.application_id],
                set_={"version": IntentTreeVersion.version + 1},
            ).returning(IntentTreeVersion.version)
        )
        return version or 0

    async def exists(self) -> bool:
        found = await self._session.scalar(
            select(func.count()).select_from(IntentNode).where(self._mine, IntentNode.deleted_at.is_(None))
        )
        return bool(found)

    async def vectors(self, model_id: UUID, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors that are kept, by digest."""
        rows = await self._session.execute(
            select(ExampleVector.digest, ExampleVector.vector).where(
                ExampleVector.workspace_id == self._scope.workspace_id,
                ExampleVector.application_id == self.application_id,
                ExampleVector.model_id == model_id,
                ExampleVector.digest.in_(digests),
            )
        )
        return dict(row.tuple() for row in rows)

    async def keep_vectors(self, model_id: UUID, vectors: Mapping[bytes, bytes]) -> None:
        if not vectors:
            return
        rows = [
            {
                "application_id": self.application_id,
                "model_id": model_id,
                "digest": digest,
                "workspace_id": self._scope.workspace_id,
                "vector": vector,
            }
            for digest, vector in vectors.items()
        ]
        await self._session.execute(insert(ExampleVector).on_conflict_do_nothing(), rows)

    async def forget_vectors(self, model_id: UUID, but: Sequence[bytes]) -> None:
        """Drop the vectors of examples that are gone."""
        await self._session.execute(
            delete(ExampleVector).where(
                ExampleVector.workspace_id == self._scope.workspace_id,
                ExampleVector.application_id == self.application_id,
                ExampleVector.model_id == model_id,
                ExampleVector.digest.not_in(but),
            )
        )
