"""What the room of applications must be able to do so that applications can be tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from refdesk.accounts import Scope


@dataclass(frozen=True, slots=True)
class AnsweringApplication:
    """An application that can be asked."""

    id: UUID
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class SourceOfAnswer:
    """A document that an answer cites, with its mark."""

    n: int
    document: str
    section: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What an application answered. `asks_back` tells that it wants to know more instead."""

    run_id: UUID
    text: str
    sources: Sequence[SourceOfAnswer] = ()
    asks_back: bool = False


class AnsweringApplications(Protocol):
    """Port to the room of applications."""

    async def all(self, scope: Scope) -> Sequence[AnsweringApplication]:
        """Those of the workspace, by name."""
        ...

    async def ask(self, scope: Scope, application_id: UUID, question: str) -> Answer:
        """Ask with the rights of this caller. Raises `AppError`s; cancelling cancels the run."""
        ...
