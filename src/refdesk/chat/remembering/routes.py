"""HTTP of a person's own notes."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response, status

from refdesk.accounts import Asker, Scope
from refdesk.chat.errors import NotesNotKept
from refdesk.chat.profile import ApplicationProfiles
from refdesk.chat.remembering.notes import NoteRepository
from refdesk.chat.remembering.schemas import NoteOut, NotesChoice, NotesOut, NoteWrite
from refdesk.kit.web import Tx

router = APIRouter(prefix="/api/v1/applications/{application_id}/notes", tags=["notes"])


def get_profiles(request: Request) -> ApplicationProfiles:
    """Where the running application finds the profiles of applications."""
    profiles: ApplicationProfiles = request.app.state.runs.profiles
    return profiles


Profiles = Annotated[ApplicationProfiles, Depends(get_profiles)]


async def _kept(session: Tx, scope: Scope, profiles: ApplicationProfiles, application_id: UUID) -> bool:
    """Whether the application keeps notes. Raises its `NotFound`."""
    scope.require_resource("application", application_id)
    return (await profiles.profile(session, scope, application_id)).notes


async def _shown(notes: NoteRepository, application_id: UUID, *, kept: bool) -> NotesOut:
    return NotesOut(
        kept=kept,
        agreed=await notes.agreed(application_id),
        notes=[NoteOut.model_validate(note) for note in await notes.list(application_id)],
    )


@router.get("", operation_id="listNotes", summary="What an application has noted of you")
async def list_notes(application_id: UUID, session: Tx, scope: Asker, profiles: Profiles) -> NotesOut:
    kept = await _kept(session, scope, profiles, application_id)
    return await _shown(NoteRepository(session, scope), application_id, kept=kept)


@router.put("", operation_id="agreeToNotes", summary="Agree to an application's noting things of you, or not")
async def agree_to_notes(
    application_id: UUID, body: NotesChoice, session: Tx, scope: Asker, profiles: Profiles
) -> NotesOut:
    kept = await _kept(session, scope, profiles, application_id)
    notes = NoteRepository(session, scope)
    if body.agreed and not kept:
        raise NotesNotKept
    await notes.agree(application_id, body.agreed)
    return await _shown(notes, application_id, kept=kept)


@router.post(
    "", operation_id="addNote", summary="Note something of yourself", status_code=status.HTTP_201_CREATED
)
async def add_note(
    application_id: UUID, body: NoteWrite, session: Tx, scope: Asker, profiles: Profiles
) -> NoteOut:
    kept = await _kept(session, scope, profiles, application_id)
    notes = NoteRepository(session, scope)
    if not (kept and await notes.agreed(application_id)):
        raise NotesNotKept
    return NoteOut.model_validate(await notes.add(application_id, body.text))


@router.patch("/{note_id}", operation_id="changeNote", summary="Put a note right")
async def change_note(
    application_id: UUID, note_id: UUID, body: NoteWrite, session: Tx, scope: Asker, profiles: Profiles
) -> NoteOut:
    await _kept(session, scope, profiles, application_id)
    notes = NoteRepository(session, scope)
    return NoteOut.model_validate(await notes.change(application_id, note_id, body.text))


@router.delete(
    "/{note_id}",
    operation_id="eraseNote",
    summary="Erase a note",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
)
async def erase_note(
    application_id: UUID, note_id: UUID, session: Tx, scope: Asker, profiles: Profiles
) -> None:
    await _kept(session, scope, profiles, application_id)
    await NoteRepository(session, scope).erase(application_id, note_id)


@router.delete(
    "",
    operation_id="eraseNotes",
    summary="Erase all your notes with an application",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
)
async def erase_notes(application_id: UUID, session: Tx, scope: Asker, profiles: Profiles) -> None:
    await _kept(session, scope, profiles, application_id)
    await NoteRepository(session, scope).erase(application_id)
