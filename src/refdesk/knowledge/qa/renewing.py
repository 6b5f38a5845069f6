"""A newer file of a table of questions that is here already: again a paragraph a row.

Rows that are still there keep their paragraphs; questions that the file now has beside them are attached.
Those that it no longer has stay: whether they came from the file or from a person is not known.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.border_types import clean_text
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.qa.errors import QaNoRows
from refdesk.knowledge.qa.reading import read_limited
from refdesk.knowledge.qa.rows import QaTable
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.knowledge.versions import NewText, OriginNames, ParagraphRecord

KIND = "qa"


async def read_rows(data: bytes, name: str, settings: Settings) -> NewText:
    """The rows as a document's text. Raises `QaNoRows` and what `read_limited` raises."""
    table = await read_limited(data, name, settings)
    if not table.rows:
        raise QaNoRows(bad_row_count=len(table.bad))
    names = OriginNames()
    records: list[ParagraphRecord] = []
    start = 0
    for row in table.rows:
        title, content = clean_text(row.title), clean_text(row.content)
        records.append(
            ParagraphRecord(
                id=new_id(),
                title=title,
                title_chain=[],
                content=content,
                start=start,
                end=start + len(content),
                origins=[names.name([], title, content)],
                questions=[clean_text(question) for question in row.questions],
            )
        )
        start += len(content) + 2
    return NewText(paragraphs=records, kind=KIND, found_meta={}, coverage=1.0, warnings=left_out(table))


def left_out(table: QaTable) -> list[dict[str, object]]:
    """The warning that rows were left out, if any were."""
    if not table.bad:
        return []
    rows = ", ".join(str(bad.number) for bad in table.bad[:20]) + (", …" if len(table.bad) > 20 else "")
    message = f"{len(table.bad)} rows were left out: {rows}"
    return [{"code": "qa-rows-left-out", "message": message, "page": None}]


async def attach_questions(
    session: AsyncSession, scope: Scope, document: Document, records: Sequence[ParagraphRecord]
) -> None:
    """Attach the questions of the file to the paragraphs of its rows, and have these indexed again."""
    asked = {record.origins[0]: record.questions for record in records if record.questions}
    rows = await session.execute(
        select(Paragraph.id, Paragraph.origins).where(
            Paragraph.workspace_id == scope.workspace_id, Paragraph.document_id == document.id
        )
    )
    wanted: list[tuple[UUID, str]] = [
        (paragraph_id, question)
        for paragraph_id, origins in rows
        for origin in origins
        for question in asked.get(origin, ())
    ]
    questions = QuestionRepository(session, scope)
    ids = await questions.ensure(document.knowledge_base_id, (question for _, question in wanted))
    changed = await questions.attach((paragraph_id, ids[question]) for paragraph_id, question in wanted)
    if changed:
        await session.execute(
            update(Paragraph)
            .where(Paragraph.workspace_id == scope.workspace_id, Paragraph.id.in_(changed))
            .values(revision=Paragraph.revision + 1)
        )
