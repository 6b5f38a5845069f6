"""What a caller does with stored conversations and runs. Asking itself is the run manager's."""

import base64
import binascii
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm.attributes import flag_modified

from refdesk.accounts import Scope
from refdesk.chat.leases import tell_conversation
from refdesk.chat.repository import ConversationRepository, RunRepository
from refdesk.chat.schemas import ConversationDetail, ConversationOut, RunOut
from refdesk.chat.sight import Sight
from refdesk.chat.tables import Conversation, Run
from refdesk.chat.views import in_thread
from refdesk.kit.errors import CursorInvalid
from refdesk.kit.web import Page


class ConversationService:
    """The caller's conversations."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._repository = ConversationRepository(session, scope)
        self._runs = RunRepository(session, scope)
        self._session = session
        self._scope = scope

    async def list(self, *, limit: int, cursor: str | None, words: str) -> Page[ConversationOut]:
        before = _read_cursor(cursor) if cursor else None
        rows, total = await self._repository.list(limit=limit + 1, before=before, words=words)
        more = len(rows) > limit
        rows = rows[:limit]
        return Page(
            items=[ConversationOut.model_validate(row) for row in rows],
            next_cursor=_cursor(rows[-1]) if more else None,
            total=total,
        )

    async def detail(self, conversation_id: UUID) -> ConversationDetail:
        conversation = await self._repository.get(conversation_id)
        runs = await self._runs.of_conversation(conversation)
        sight = await Sight.of(self._session, self._scope, runs)
        shown = ConversationOut.model_validate(conversation)
        return ConversationDetail(**shown.model_dump(), runs=[in_thread(sight.view(run)) for run in runs])

    async def rename(self, conversation_id: UUID, title: str) -> ConversationOut:
        conversation = await self._repository.get(conversation_id)
        conversation.title = title
        flag_modified(conversation, "updated_at")  # keeps its value: renaming moves nothing up the list
        await tell_conversation(self._session, conversation_id)
        return ConversationOut.model_validate(conversation)

    async def delete(self, conversation_id: UUID) -> None:
        """Delete it with its runs; one that is still running stops at its next write."""
        await self._repository.delete(conversation_id)
        await tell_conversation(self._session, conversation_id)


class RunService:
    """The caller's runs."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._repository = RunRepository(session, scope)
        self._session = session
        self._scope = scope

    async def get(self, run_id: UUID) -> RunOut:
        run, sight = await self.seen(run_id)
        return sight.view(run)

    async def many(self, run_ids: Sequence[UUID]) -> dict[UUID, RunOut]:
        """Those of the runs that the caller has, by id. For runs that were told nothing of one another."""
        runs = await self._repository.many(run_ids)
        sight = await Sight.of(self._session, self._scope, runs)
        return {run.id: sight.view(run) for run in runs}

    async def seen(self, run_id: UUID) -> tuple[Run, Sight]:
        """A run, and what of it the caller may see. Raises `RunNotFound`."""
        run = await self._repository.get(run_id)
        return run, await Sight.of(self._session, self._scope, await self._repository.up_to(run))


def _cursor(row: Conversation) -> str:
    return base64.urlsafe_b64encode(f"{row.updated_at.isoformat()}|{row.id}".encode()).decode()


def _read_cursor(cursor: str) -> tuple[datetime, UUID]:
    try:
        moment, _, row_id = base64.urlsafe_b64decode(cursor).decode().partition("|")
        return datetime.fromisoformat(moment), UUID(row_id)
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise CursorInvalid from None
