"""What goes out over HTTP of QA imports (Pydantic, borders only)."""

from collections.abc import Sequence

from pydantic import BaseModel

from refdesk.knowledge.schemas import DocumentView, Problem


class BadRowView(BaseModel):
    """A row that was left out. Row 0 stands for a whole sheet, or file of an archive, named by `place`."""

    row: int
    place: str
    code: str
    reason: str


class QaOutcome(BaseModel):
    """What became of one file. `bad_rows` lists the first 1,000 of `bad_row_count`."""

    name: str
    document: DocumentView | None = None
    rows: int = 0
    questions: int = 0
    bad_row_count: int = 0
    bad_rows: Sequence[BadRowView] = ()
    error: Problem | None = None


class QaImportResult(BaseModel):
    """What became of every file."""

    files: list[QaOutcome]
    accepted: int
    refused: int
