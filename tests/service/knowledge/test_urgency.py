"""What a person waits for goes before the bulk; searches tell of edits that wait to be indexed."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import update

from refdesk.accounts import Role, Scope
from refdesk.jobs import Urgency
from refdesk.kit.ids import new_id
from refdesk.knowledge import unready
from refdesk.knowledge.access.tables import AccessList
from refdesk.knowledge.documents import Documents
from refdesk.knowledge.drafts import Drafts
from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.paragraphs import Paragraphs
from refdesk.knowledge.queueing import enqueue_processing
from refdesk.knowledge.schemas import DocumentUpdate, DraftImport, ParagraphUpdate
from refdesk.knowledge.tables import Document
from refdesk.knowledge.terms.schemas import TermDraft
from refdesk.knowledge.terms.service import Terms
from refdesk.knowledge.versions import restore
from refdesk.testing.desk import Desk, markdown

WAITING = (
    "SELECT task_name, queue_name FROM procrastinate_jobs"
    " WHERE status = 'todo' AND args ->> 'workspace_id' = :workspace ORDER BY id"
)


async def _waiting(desk: Desk) -> list[tuple[str, str]]:
    """The jobs that wait, with their queues; they are gone then."""
    found = await desk.rows(WAITING, workspace=str(desk.workspace_id))
    await desk.rows(
        "DELETE FROM procrastinate_jobs WHERE args ->> 'workspace_id' = :workspace RETURNING id",
        workspace=str(desk.workspace_id),
    )
    return [(row.task_name, row.queue_name) for row in found]


async def _ready(desk: Desk) -> tuple[UUID, UUID]:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(3)))
    assert document.state == "ready"
    await _waiting(desk)
    return base.id, document.id


async def _edit(desk: Desk, document_id: UUID, content: str) -> None:
    row = (await desk.rows("SELECT id FROM paragraphs WHERE document_id = :id LIMIT 1", id=document_id))[0]
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(row.id, ParagraphUpdate(content=content))


async def _unready(desk: Desk, base_ids: Sequence[UUID], scope: Scope | None = None) -> int:
    async with desk.database.transaction() as session:
        return await unready(session, scope or desk.scope, base_ids)


async def test_a_new_file_is_bulk_and_its_jobs_take_the_turns_of_its_base(desk: Desk) -> None:
    base = await desk.base()
    await desk.file(base.id, markdown(1))
    (line,) = await desk.rows(
        "SELECT args ->> 'line' FROM procrastinate_jobs WHERE args ->> 'workspace_id' = :workspace",
        workspace=str(desk.workspace_id),
    )
    assert line == (str(base.id),)
    assert await _waiting(desk) == [("process-document", Urgency.BULK)]


async def test_an_edit_is_small(desk: Desk) -> None:
    _, document_id = await _ready(desk)
    await _edit(desk, document_id, "Something else.")
    assert await _waiting(desk) == [("index-paragraphs", Urgency.SMALL)]


async def test_another_file_other_pieces_and_a_rollback_are_awaited(desk: Desk) -> None:
    _, document_id = await _ready(desk)
    await desk.replace(document_id, markdown(4))
    assert await _waiting(desk) == [("process-document", Urgency.AWAITED)]
    assert (await desk.process(document_id)).version == 2
    await _waiting(desk)
    async with desk.database.transaction() as session:
        await restore(session, desk.scope, document_id, 1)
    assert await _waiting(desk) == [("process-document", Urgency.AWAITED)]
    assert (await desk.process(document_id)).version == 3
    await _waiting(desk)
    async with desk.database.transaction() as session:
        body = DocumentUpdate.model_validate({"split_settings": {"limit": 300}})
        await Documents(session, desk.scope).update(document_id, body)
    assert await _waiting(desk) == [("process-document", Urgency.AWAITED)]


async def test_what_a_source_brings_is_bulk(desk: Desk) -> None:
    _, document_id = await _ready(desk)
    await desk.replace(document_id, markdown(4), reason="sync")
    assert await _waiting(desk) == [("process-document", Urgency.BULK)]


async def test_a_retry_is_awaited_even_where_the_document_waits_as_bulk(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(1))
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).cancel(document_id)
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).retry(document_id)
    assert await _waiting(desk) == [("process-document", Urgency.AWAITED)]


async def test_a_preview_and_its_import_alone_are_awaited(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(1))
    await _waiting(desk)
    async with desk.database.transaction() as session:
        await session.execute(update(Document).where(Document.id == document_id).values(is_draft=True))
        await enqueue_processing(session, desk.scope, document_id)
    assert await _waiting(desk) == [("process-document", Urgency.AWAITED)]
    assert (await desk.process(document_id)).state == "draft"
    async with desk.database.transaction() as session:
        await Drafts(session, desk.scope).bring_in(base.id, DraftImport(document_ids=[document_id]))
    assert ("process-document", Urgency.AWAITED) in await _waiting(desk)


async def test_a_changed_term_is_awaited(desk: Desk) -> None:
    base_id, _ = await _ready(desk)
    async with desk.database.transaction() as session:
        await Terms(session, desk.scope).create(base_id, TermDraft(word="harbour lamp"))
    assert await _waiting(desk) == [("reindex-terms", Urgency.AWAITED)]


async def test_a_document_counts_as_unready_until_its_edit_is_indexed(desk: Desk) -> None:
    base_id, document_id = await _ready(desk)
    assert await _unready(desk, [base_id]) == 0
    await _edit(desk, document_id, "Something else.")
    assert await _unready(desk, [base_id]) == 1
    changed = await desk.rows("SELECT updated_at FROM documents WHERE id = :id", id=document_id)
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document_id))
    assert await _unready(desk, [base_id]) == 0
    assert await desk.rows("SELECT updated_at FROM documents WHERE id = :id", id=document_id) == changed


async def test_an_edit_that_waits_in_a_hidden_document_is_not_counted(desk: Desk) -> None:
    base_id, document_id = await _ready(desk)
    await _edit(desk, document_id, "Something else.")
    viewer = Scope(workspace_id=desk.workspace_id, user_id=new_id(), role=Role.VIEWER, via="session")
    assert await _unready(desk, [base_id], viewer) == 1
    async with desk.database.transaction() as session:
        nobody = AccessList(workspace_id=desk.workspace_id, knowledge_base_id=base_id)
        session.add(nobody)
        await session.flush()
        await session.execute(update(Document).where(Document.id == document_id).values(acl_id=nobody.id))
    assert await _unready(desk, [base_id], viewer) == 0
