"""What goes out over HTTP of imports (Pydantic, borders only)."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from refdesk.knowledge.sources.schemas import SourceProblem

type ImportState = Literal["queued", "running", "finished", "failed"]


class ImportView(BaseModel):
    """An import and its new knowledge base.

    `done` of `documents` are in the base. `reused_vectors`: the vectors of the archive were taken as they
    are; otherwise the documents are embedded again, which their own states tell.
    """

    knowledge_base_id: UUID
    name: str
    state: ImportState
    documents: int
    done: int
    reused_vectors: bool
    error: SourceProblem | None
