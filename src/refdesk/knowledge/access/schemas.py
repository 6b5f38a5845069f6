"""Folders and access lists over HTTP."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel, Field

from refdesk.kit.border_types import PlainLine
from refdesk.knowledge.schemas.shapes import Access, Change, Input

MAX_ON_A_LIST = 1_000


class FolderView(BaseModel):
    """A folder of a base. `parent_id` is the nearest folder above that the caller may see.

    `documents` counts those right in it that the caller may see.
    """

    id: UUID
    knowledge_base_id: UUID
    parent_id: UUID | None
    name: str
    access: Access
    documents: int
    created_at: datetime
    updated_at: datetime


class FolderList(BaseModel):
    """All folders of a base that the caller may see, by name; each tells what it lies in."""

    items: list[FolderView]


class NewFolderRequest(Input):
    """A folder, in another one or at the top."""

    name: PlainLine = Field(min_length=1, max_length=200)
    parent_id: UUID | None = None


class FolderUpdate(Change):
    """What changes. A `parent_id` of null moves the folder to the top."""

    nullable: ClassVar[frozenset[str]] = frozenset(("parent_id",))

    name: PlainLine | None = Field(default=None, min_length=1, max_length=200)
    parent_id: UUID | None = None


class PersonRef(BaseModel):
    id: UUID
    name: str
    email: str


class GroupRef(BaseModel):
    id: UUID
    name: str


class InheritedAccess(BaseModel):
    """The folder whose list holds, since the thing has none of its own.

    Without an id, a name and people where the caller may not see it: who lifted a restriction then sees the
    thing no longer.
    """

    folder_id: UUID | None
    name: str | None
    users: list[PersonRef]
    groups: list[GroupRef]


class AccessView(BaseModel):
    """Who may see a document, or what lies in a folder; owners of the workspace always may.

    Not `restricted`: whoever is on the list of the folder in `inherited`, or else everyone who may view the
    base. `in_background`: searches take up to a few minutes to show it to those who newly may see it; it is
    hidden from all others at once.
    """

    restricted: bool
    users: list[PersonRef]
    groups: list[GroupRef]
    inherited: InheritedAccess | None
    in_background: bool = False


class AccessChange(Input):
    """The whole list. Who restricts something is put on the list too, unless they see everything anyway."""

    restricted: bool
    user_ids: list[UUID] = Field(default_factory=list[UUID], max_length=MAX_ON_A_LIST)
    group_ids: list[UUID] = Field(default_factory=list[UUID], max_length=MAX_ON_A_LIST)
