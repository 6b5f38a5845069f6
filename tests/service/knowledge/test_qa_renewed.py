"""A table of questions whose file is replaced stays a table; rows keep their paragraphs."""

from uuid import UUID

from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.parsing import ParseOptions
from refdesk.knowledge.qa.rows import read_table
from refdesk.knowledge.qa.service import _Import  # type: ignore[reportPrivateUsage]
from refdesk.knowledge.questions import Questions
from refdesk.knowledge.receiving import Received
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.schemas import AttachedQuestions
from refdesk.knowledge.versions import replace_file
from refdesk.testing.desk import Desk


async def incoming(desk: Desk, data: bytes) -> IncomingFile:
    file = IncomingFile(desk.database, desk.scope, 10**7, "none")
    await file.write(data)
    return file


async def found(desk: Desk, document_id: UUID) -> dict[str, list[str]]:
    rows = await desk.rows(
        "SELECT p.content, (SELECT array_agg(q.content ORDER BY q.content) FROM paragraph_questions a"
        " JOIN questions q ON q.id = a.question_id WHERE a.paragraph_id = p.id)"
        " FROM paragraphs p WHERE p.document_id = :id ORDER BY p.position",
        id=document_id,
    )
    return {content: questions or [] for content, questions in rows}


async def imported(desk: Desk, data: bytes) -> UUID:
    base_view = await desk.base()
    async with desk.database.transaction() as session:
        base = await KnowledgeBaseRepository(session, desk.scope).get(base_view.id)
    importer = _Import(desk.database, desk.scope, desk.settings, base, allow_duplicate=False)
    made = await importer.take("qa.csv", Received("qa.csv", await incoming(desk, data)))
    assert made.document is not None
    assert (await desk.process(made.document.id)).state == "ready"
    return made.document.id


async def test_questions_that_are_gone_from_the_file_go_and_those_of_people_stay(desk: Desk) -> None:
    old = b'content,questions\nfirst,"One?\nUno?"\nThe lamp burns all night,"Two?\nDue?"\n'
    document_id = await imported(desk, old)
    rows = dict(await desk.rows("SELECT content, id FROM paragraphs WHERE document_id = :id", id=document_id))
    async with desk.database.transaction() as session:
        questions = Questions(session, desk.scope)
        for paragraph_id in rows.values():
            await questions.attach(paragraph_id, AttachedQuestions(contents=["A person asks?"]))
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document_id))
    new = b"content,questions\nfirst,One?\nThe lamp burns all day,Due?\n"
    await desk.replace(document_id, new)
    assert (await desk.process(document_id)).state == "ready"
    assert await found(desk, document_id) == {
        "first": ["A person asks?", "One?"],
        "The lamp burns all day": ["A person asks?", "Due?"],
    }
    left = await desk.rows("SELECT content FROM questions WHERE workspace_id = :w", w=desk.workspace_id)
    assert {row[0] for row in left} == {"A person asks?", "One?", "Due?"}
    entries = await desk.rows(
        "SELECT count(*) FROM index_entries WHERE document_id = :id AND kind = 2", id=document_id
    )
    assert entries == [(4,)]


async def test_rows_keep_their_paragraphs_and_new_questions_are_attached(desk: Desk) -> None:
    document_id = await imported(desk, b"content,questions\nfirst,One?\nsecond,Two?\n")
    ids = await desk.rows("SELECT content, id FROM paragraphs WHERE document_id = :id", id=document_id)
    calls = len(desk.embedder.calls)
    new = b'content,questions\nfirst,"One?\nUno?"\nthird,Three?\n,lost\n'
    file = await incoming(desk, new)
    async with desk.database.transaction() as session:
        await replace_file(session, desk.scope, document_id, await file.finish(session), reason="upload")
    view = await desk.process(document_id)
    assert (view.state, view.kind, view.version) == ("ready", "qa", 2)
    assert [warning.code for warning in view.warnings] == ["qa-rows-left-out"]
    assert await found(desk, document_id) == {"first": ["One?", "Uno?"], "third": ["Three?"]}
    after = dict(
        await desk.rows("SELECT content, id FROM paragraphs WHERE document_id = :id", id=document_id)
    )
    assert after["first"] == dict(ids)["first"]
    assert len(desk.embedder.calls) > calls
    entries = await desk.rows("SELECT kind FROM index_entries WHERE document_id = :id", id=document_id)
    assert sorted(row[0] for row in entries) == [0, 0, 2, 2, 2]
    assert len(read_table(new, "qa.csv", ParseOptions()).rows) == 2
