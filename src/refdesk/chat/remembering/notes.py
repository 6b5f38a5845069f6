"""Notes of people: all SQL. A person sees and changes their own and nobody else's."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.chat.errors import NoteLimit, NoteNotFound, NotesNeedPerson
from refdesk.chat.remembering.tables import Notebook, PersonNote
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id

NOTE = "note-person"
MOST_NOTES = 50
MAX_NOTE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Note:
    """One note."""

    id: UUID
    text: str
    created_at: datetime
    updated_at: datetime


class NoteRepository:
    """The notes of the scope's person. Raises `NotesNeedPerson` for a caller who is none: the key
    of an application is used by others than the one it belongs to."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        if scope.user_id is None or scope.resource is not None:
            raise NotesNeedPerson
        self._session = session
        self._scope = scope
        self._user_id: UUID = scope.user_id

    def _own(self, application_id: UUID) -> ColumnElement[bool]:
        return and_(
            PersonNote.user_id == self._user_id,
            PersonNote.application_id == application_id,
            PersonNote.workspace_id == self._scope.workspace_id,
        )

    def _book(self, application_id: UUID) -> ColumnElement[bool]:
        return and_(
            Notebook.user_id == self._user_id,
            Notebook.application_id == application_id,
            Notebook.workspace_id == self._scope.workspace_id,
        )

    async def agreed(self, application_id: UUID) -> bool:
        """Whether the person lets the application keep notes."""
        found = await self._session.scalar(select(Notebook.user_id).where(self._book(application_id)))
        return found is not None

    async def agree(self, application_id: UUID, on: bool) -> None:
        """Agree, or take it back: then nothing is added or told any more, and what is there stays until
        it is erased."""
        if not on:
            await self._session.execute(delete(Notebook).where(self._book(application_id)))
            return
        await self._session.execute(
            insert(Notebook)
            .values(
                user_id=self._user_id,
                application_id=application_id,
                workspace_id=self._scope.workspace_id,
                created_at=now(),
            )
            .on_conflict_do_nothing()
        )

    async def list(self, application_id: UUID) -> list[Note]:
        """The notes, oldest first."""
        rows = await self._session.scalars(
            select(PersonNote)
            .where(self._own(application_id))
            .order_by(PersonNote.created_at, PersonNote.id)
            .limit(MOST_NOTES)
        )
        return [_note(row) for row in rows]

    async def told(self, application_id: UUID) -> tuple[str, ...] | None:
        """The notes an answer may know of, in one query; None where the person did not agree."""
        rows = await self._session.execute(
            select(PersonNote.text)
            .select_from(Notebook)
            .outerjoin(PersonNote, self._own(application_id))
            .where(self._book(application_id))
            .order_by(PersonNote.created_at, PersonNote.id)
            .limit(MOST_NOTES)
        )
        found = list(rows.scalars())
        return tuple(text for text in found if text) if found else None

    async def add(self, application_id: UUID, text: str) -> Note:
        """Raises `NoteLimit` where there are as many as may be."""
        count = await self._session.scalar(select(func.count()).where(self._own(application_id)))
        if (count or 0) >= MOST_NOTES:
            raise NoteLimit(most=MOST_NOTES)
        row = PersonNote(
            id=new_id(),
            workspace_id=self._scope.workspace_id,
            user_id=self._user_id,
            application_id=application_id,
            text=text[:MAX_NOTE_CHARS],
            created_at=now(),
            updated_at=now(),
        )
        self._session.add(row)
        await self._session.flush()
        return _note(row)

    async def change(self, application_id: UUID, note_id: UUID, text: str) -> Note:
        row = await self._session.scalar(
            select(PersonNote).where(self._own(application_id), PersonNote.id == note_id)
        )
        if row is None:
            raise NoteNotFound
        row.text, row.updated_at = text[:MAX_NOTE_CHARS], now()
        await self._session.flush()
        return _note(row)

    async def erase(self, application_id: UUID, note_id: UUID | None = None) -> int:
        """Erase one note, or all of them; how many there were. Raises `NoteNotFound`."""
        condition = self._own(application_id)
        if note_id is not None:
            condition = and_(condition, PersonNote.id == note_id)
        result = cast("Any", await self._session.execute(delete(PersonNote).where(condition)))
        if note_id is not None and not result.rowcount:
            raise NoteNotFound
        return int(result.rowcount)


async def forget_notes(session: AsyncSession, scope: Scope, application_id: UUID) -> None:
    """Erase what an application that is being deleted has kept of anybody."""
    for table in (PersonNote, Notebook):
        await session.execute(
            delete(table).where(
                table.application_id == application_id, table.workspace_id == scope.workspace_id
            )
        )


def _note(row: PersonNote) -> Note:
    return Note(row.id, row.text, row.created_at, row.updated_at)
