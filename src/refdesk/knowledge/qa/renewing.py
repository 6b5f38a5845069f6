"""A newer file of a table of questions that is here already: again a paragraph a row.

Rows that are still there keep their paragraphs. Questions that the file now has beside them are attached,
those that the file before had and this one has not are detached, and those that a person added stay.
"""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.border_types import clean_text
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.kit.wording import counted
from refdesk.knowledge.qa.errors import QaNoRows
from refdesk.knowledge.qa.reading import read_limited
from refdesk.knowledge.qa.rows import QaTable
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.knowledge.versions import NewText, OriginNames, ParagraphRecord

KIND = "qa"

# The questions of each row, by the origin of its paragraph.
type Asked = Mapping[str, frozenset[str]]


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
    message = f"{counted(len(table.bad), 'row was', 'rows were')} left out: {rows}"
    details = {"count": len(table.bad), "rows": rows}
    return [{"code": "qa-rows-left-out", "message": message, "page": None, "details": details}]


def asked_in(text: NewText) -> Asked:
    """The questions of a file as it has them; matching hands down others to its paragraphs later."""
    return {record.origins[0]: frozenset(record.questions) for record in text.paragraphs}


async def renew_questions(
    session: AsyncSession,
    scope: Scope,
    document: Document,
    before: Asked,
    asked: Asked,
) -> None:
    """Let the paragraphs have the questions of the present file instead of those of the file before."""
    ever_before = {question for questions in before.values() for question in questions}
    rows = await session.execute(
        select(Paragraph.id, Paragraph.origins).where(
            Paragraph.workspace_id == scope.workspace_id, Paragraph.document_id == document.id
        )
    )
    origins = {paragraph_id: list(names) for paragraph_id, names in rows if names}
    questions = QuestionRepository(session, scope)
    attached = await questions.of_paragraphs(list(origins))
    wanted: list[tuple[UUID, str]] = []
    unwanted: list[tuple[UUID, UUID]] = []
    for paragraph_id, names in origins.items():
        now_asked = {question for name in names for question in asked.get(name, ())}
        # A row whose answer changed inherited what its forerunner was asked, whichever row that was.
        was_asked = {q for name in names for q in before.get(name, ever_before)}
        wanted += [(paragraph_id, question) for question in now_asked]
        unwanted += [
            (paragraph_id, question.id)
            for question in attached.get(paragraph_id, ())
            if question.content in was_asked - now_asked
        ]
    ids = await questions.ensure(document.knowledge_base_id, (question for _, question in wanted))
    changed = set(await questions.attach((paragraph_id, ids[question]) for paragraph_id, question in wanted))
    changed |= await questions.detach_pairs(unwanted)
    await questions.remove_unattached({question_id for _, question_id in unwanted})
    await questions.raise_revisions(sorted(changed))
