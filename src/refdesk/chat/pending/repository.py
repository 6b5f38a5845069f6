"""All SQL of waiting steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.chat.pending.tables import PendingStep
from refdesk.kit.clock import now
from refdesk.kit.database import Database

PendingKind = Literal["guidance", "parameters", "approval"]


@dataclass(frozen=True, slots=True)
class Pending:
    """What a conversation waits for. `state` is JSON: `options` or `fields` as the form shows them, and
    whatever else the one who asked needs to go on; no secrets."""

    run_id: UUID
    kind: PendingKind
    question: str
    state: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())

    def to_json(self) -> dict[str, Any]:
        return {
            "run_id": str(self.run_id),
            "kind": self.kind,
            "question": self.question,
            "state": dict(self.state),
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "Pending":
        return cls(UUID(stored["run_id"]), stored["kind"], stored["question"], stored["state"])


class PendingRepository:
    """Waiting steps of the scope's workspace. Whose a conversation is, its own repository tells."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def _of(self, conversation_id: UUID) -> ColumnElement[bool]:
        return and_(
            PendingStep.conversation_id == conversation_id,
            PendingStep.workspace_id == self._scope.workspace_id,
        )

    async def get(self, conversation_id: UUID) -> Pending | None:
        row = await self._session.scalar(select(PendingStep).where(self._of(conversation_id)))
        return _pending(row) if row is not None else None

    async def put(self, conversation_id: UUID, pending: Pending) -> None:
        """Wait for this; what the conversation waited for before is forgotten."""
        values = {
            "workspace_id": self._scope.workspace_id,
            "run_id": pending.run_id,
            "kind": pending.kind,
            "question": pending.question,
            "state": dict(pending.state),
            "created_at": now(),
        }
        statement = insert(PendingStep).values(conversation_id=conversation_id, **values)
        await self._session.execute(
            statement.on_conflict_do_update(index_elements=[PendingStep.conversation_id], set_=values)
        )

    async def take(self, conversation_id: UUID) -> Pending | None:
        """What it waited for, which it waits for no longer. Of two that take at once, one gets it."""
        row = await self._session.scalar(
            delete(PendingStep).where(self._of(conversation_id)).returning(PendingStep)
        )
        return _pending(row) if row is not None else None

    async def clear(self, conversation_id: UUID) -> None:
        await self._session.execute(delete(PendingStep).where(self._of(conversation_id)))


@dataclass(frozen=True, slots=True)
class ConversationPending:
    """Where a run leaves what its conversation waits for, in a transaction of its own."""

    database: Database
    scope: Scope
    conversation_id: UUID

    async def put(self, pending: Pending) -> None:
        async with self.database.transaction() as session:
            await PendingRepository(session, self.scope).put(self.conversation_id, pending)


def _pending(row: PendingStep) -> Pending:
    return Pending(row.run_id, cast("PendingKind", row.kind), row.question, row.state)
