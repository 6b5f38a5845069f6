"""Shapes of notes at the border."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from refdesk.chat.remembering.notes import MAX_NOTE_CHARS
from refdesk.kit.border_types import clean_input

NoteText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NOTE_CHARS),
    BeforeValidator(clean_input),
]


class NoteOut(BaseModel):
    """One thing you have told the application about yourself."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    text: str
    created_at: datetime
    updated_at: datetime


class NotesOut(BaseModel):
    """Your notes with an application."""

    kept: bool = Field(description="Whether the application keeps notes of those who agree.")
    agreed: bool = Field(description="Whether you agreed; without it nothing is added or used.")
    notes: list[NoteOut]


class NotesChoice(BaseModel):
    model_config = ConfigDict(extra="forbid")

    agreed: bool


class NoteWrite(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: NoteText
