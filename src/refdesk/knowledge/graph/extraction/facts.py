"""What extraction takes and gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

MAX_LABEL_CHARS = 100


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph to be read. `titles` are those above it, outermost first, its own last."""

    id: UUID
    document_id: UUID
    document_name: str
    titles: Sequence[str]
    content: str
    revision: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One relation as a text tells it, names as written; `start`, `end` are places in the content."""

    source: str
    kind: str
    label: str
    target: str
    start: int
    end: int
    target_is_value: bool = False
