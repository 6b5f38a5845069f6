"""All SQL of conversations and runs as a caller sees them.

A conversation is its owner's alone: other members of the workspace do not see it, administrators neither.
What an API key asked is seen by that key only; what the operator asked on the command line, by the operator.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.chat.errors import ConversationNotFound, RunNotFound
from refdesk.chat.events import RunEvent, encode
from refdesk.chat.tables import Conversation, Run, RunEvents
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.kit.like import containing

TITLE_CHARS = 80


def title_of(question: str) -> str:
    """A title made of the first question."""
    line = " ".join(question.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"


def _owned_by(scope: Scope) -> ColumnElement[bool]:
    user, key = scope.user_id, scope.api_key_id
    return and_(
        Conversation.workspace_id == scope.workspace_id,
        Conversation.user_id == user if user is not None else Conversation.user_id.is_(None),
        Conversation.api_key_id == key if key is not None else Conversation.api_key_id.is_(None),
    )


class ConversationRepository:
    """Conversations of the caller."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def list(
        self, *, limit: int, before: tuple[datetime, UUID] | None, words: str
    ) -> tuple[Sequence[Conversation], int]:
        """The latest conversations before a position, and how many there are in all."""
        condition = and_(_owned_by(self._scope), Conversation.listed)
        for word in words.split():
            condition = and_(condition, Conversation.title.ilike(containing(word)))
        total = await self._session.scalar(select(func.count()).select_from(Conversation).where(condition))
        query = select(Conversation).where(condition)
        if before is not None:
            query = query.where(tuple_(Conversation.updated_at, Conversation.id) < tuple_(*before))
        query = query.order_by(Conversation.updated_at.desc(), Conversation.id.desc()).limit(limit)
        return (await self._session.scalars(query)).all(), total or 0

    async def get(self, conversation_id: UUID) -> Conversation:
        found = await self._session.scalar(
            select(Conversation).where(Conversation.id == conversation_id, _owned_by(self._scope))
        )
        if found is None:
            raise ConversationNotFound
        return found

    async def outline(self, conversation_id: UUID) -> dict[str, Any]:
        """Title and runs (id, state, what each retries), oldest first: what tells whether it has changed."""
        conversation = await self.get(conversation_id)
        rows = await self._session.execute(
            select(Run.id, Run.state, Run.retry_of)
            .where(Run.conversation_id == conversation_id, Run.workspace_id == self._scope.workspace_id)
            .order_by(Run.created_at, Run.id)
        )
        runs = [
            {"id": str(row.id), "state": row.state, "retry_of": row.retry_of and str(row.retry_of)}
            for row in rows
        ]
        return {"title": conversation.title, "runs": runs}

    async def add(
        self,
        *,
        question: str,
        application_id: UUID | None,
        knowledge_base_ids: Sequence[UUID],
        listed: bool = True,
    ) -> Conversation:
        moment = now()
        conversation = Conversation(
            id=new_id(),
            workspace_id=self._scope.workspace_id,
            user_id=self._scope.user_id,
            api_key_id=self._scope.api_key_id,
            application_id=application_id,
            knowledge_base_ids=list(knowledge_base_ids),
            title=title_of(question),
            listed=listed,
            created_at=moment,
            updated_at=moment,
        )
        self._session.add(conversation)
        await self._session.flush()
        return conversation

    async def delete(self, conversation_id: UUID) -> None:
        result = await self._session.execute(
            delete(Conversation)
            .where(Conversation.id == conversation_id, _owned_by(self._scope))
            .returning(Conversation.id)
        )
        if result.first() is None:
            raise ConversationNotFound


async def forget_unlisted(session: AsyncSession, scope: Scope, run_ids: Sequence[UUID]) -> None:
    """Remove the unlisted conversations of these runs, whoever of the workspace had them."""
    of_runs = select(Run.conversation_id).where(Run.workspace_id == scope.workspace_id, Run.id.in_(run_ids))
    await session.execute(
        delete(Conversation)
        .where(
            Conversation.workspace_id == scope.workspace_id,
            Conversation.id.in_(of_runs),
            Conversation.listed.is_(False),
        )
        .execution_options(synchronize_session=False)
    )


class RunRepository:
    """Runs in conversations of the caller."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def get(self, run_id: UUID) -> Run:
        found = await self._session.scalar(
            select(Run)
            .join(Conversation, Conversation.id == Run.conversation_id)
            .where(Run.id == run_id, Run.workspace_id == self._scope.workspace_id, _owned_by(self._scope))
            .execution_options(populate_existing=True)
        )
        if found is None:
            raise RunNotFound
        return found

    async def of_conversation(self, conversation: Conversation, *, limit: int | None = None) -> list[Run]:
        """The runs of a conversation the caller has, oldest first (of the newest `limit`)."""
        query = (
            select(Run)
            .where(Run.conversation_id == conversation.id, Run.workspace_id == self._scope.workspace_id)
            .order_by(Run.created_at.desc(), Run.id.desc())
            .limit(limit)
        )
        return list(reversed((await self._session.scalars(query)).all()))

    async def many(self, run_ids: Sequence[UUID]) -> list[Run]:
        """Those of the runs that the caller has, oldest first."""
        rows = await self._session.scalars(
            select(Run)
            .join(Conversation, Conversation.id == Run.conversation_id)
            .where(Run.id.in_(run_ids), Run.workspace_id == self._scope.workspace_id, _owned_by(self._scope))
            .order_by(Run.created_at, Run.id)
        )
        return list(rows)

    async def up_to(self, run: Run) -> list[Run]:
        """A run the caller has, and those before it in its conversation, oldest first."""
        rows = await self._session.scalars(
            select(Run)
            .where(
                Run.conversation_id == run.conversation_id,
                Run.workspace_id == self._scope.workspace_id,
                tuple_(Run.created_at, Run.id) <= tuple_(run.created_at, run.id),
            )
            .order_by(Run.created_at, Run.id)
        )
        return list(rows)

    async def add(self, run: Run) -> None:
        self._session.add(run)
        await self._session.flush()

    async def events(self, run_id: UUID, after: int) -> list[RunEvent]:
        """The logged events after a position, in order; empty if they are not kept any more."""
        rows = await self._session.scalars(
            select(RunEvents.events)
            .where(
                RunEvents.run_id == run_id,
                RunEvents.workspace_id == self._scope.workspace_id,
                RunEvents.last_seq > after,
            )
            .order_by(RunEvents.last_seq)
        )
        return [
            RunEvent(seq, name, encode(data))
            for events in rows
            for seq, name, data in cast("list[tuple[int, str, Any]]", events)
            if seq > after
        ]
