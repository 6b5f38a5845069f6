"""How an import stands: kept in the settings of its base, while it lasts and after."""

from dataclasses import dataclass
from typing import Any

from refdesk.knowledge.tables import KnowledgeBase
from refdesk.knowledge.views import IMPORT


@dataclass(frozen=True, slots=True)
class Progress:
    """`state`: `queued`, `running`, `finished`, `failed`. `done` of `documents` are in the base.

    The archive (`blob_id`) is kept until the import is finished or its base deleted, so that one that failed
    can be tried again. `attempt` is the fencing token of the run that may write.
    """

    state: str
    documents: int
    done: int
    blob_id: str
    entries: int
    attempt: str | None = None
    reused_vectors: bool = False
    error: dict[str, Any] | None = None

    @classmethod
    def of(cls, base: KnowledgeBase) -> "Progress | None":
        stored = base.settings.get(IMPORT)
        return None if stored is None else cls(**stored)

    def save(self, base: KnowledgeBase, **changes: Any) -> "Progress":
        values = {name: getattr(self, name) for name in self.__slots__} | changes
        base.settings = {**base.settings, IMPORT: values}
        return Progress(**values)
