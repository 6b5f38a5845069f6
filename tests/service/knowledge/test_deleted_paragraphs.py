"""The id of a paragraph that somebody took out of its document tells so, to whoever may see the document."""

from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest

from refdesk.kit.errors import NotFound
from refdesk.kit.ids import new_id
from refdesk.knowledge import Documents, Paragraphs
from refdesk.knowledge.errors import ParagraphDeleted
from refdesk.knowledge.schemas import ParagraphUpdate
from refdesk.testing.desk import Desk, markdown


async def _ids(desk: Desk, document_id: UUID) -> list[UUID]:
    rows = await desk.rows(
        "SELECT id FROM paragraphs WHERE document_id = :id ORDER BY position", id=document_id
    )
    return [row[0] for row in rows]


@pytest.mark.parametrize("many", [True, False])
async def test_the_id_of_a_deleted_paragraph_names_its_document(desk: Desk, many: bool) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(3)))
    ids = await _ids(desk, document.id)
    async with desk.database.transaction() as session:
        paragraphs = Paragraphs(session, desk.scope)
        await (paragraphs.act(document.id, ids[:1], "delete") if many else paragraphs.delete(ids[0]))
    async with desk.database.transaction() as session:
        paragraphs = Paragraphs(session, desk.scope)
        with pytest.raises(ParagraphDeleted) as read:
            await paragraphs.view(ids[0])
        with pytest.raises(ParagraphDeleted) as written:
            await paragraphs.update(ids[0], ParagraphUpdate(content="again"))
        with pytest.raises(ParagraphDeleted):
            await paragraphs.delete(ids[0])
        with pytest.raises(NotFound) as unknown:
            await paragraphs.view(new_id())
    for caught in (read, written):
        assert (caught.value.code, caught.value.status) == ("paragraph-deleted", 404)
        assert caught.value.details["document_id"] == str(document.id)
        assert caught.value.details["document"] == "a.md"
        assert caught.value.hint_text
    assert unknown.value.code == "not-found"


async def test_another_workspace_and_a_deleted_document_learn_nothing(
    desk: Desk, another_desk: Callable[[], Awaitable[Desk]]
) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(2)))
    ids = await _ids(desk, document.id)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).delete(ids[0])
    stranger = await another_desk()
    async with desk.database.transaction() as session:
        with pytest.raises(NotFound) as caught:
            await Paragraphs(session, stranger.scope).view(ids[0])
        assert caught.value.code == "not-found"
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).delete(document.id)
    async with desk.database.transaction() as session:
        with pytest.raises(NotFound) as caught:
            await Paragraphs(session, desk.scope).view(ids[0])
        assert caught.value.code == "not-found"


async def test_a_paragraph_that_an_earlier_version_has_is_shown_from_there(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(3)))
    ids = await _ids(desk, document.id)
    await desk.replace(document.id, markdown(4))
    await desk.process(document.id)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).delete(ids[0])
    async with desk.database.transaction() as session:
        view = await Paragraphs(session, desk.scope).view(ids[0])
    assert (view.is_current, view.version) == (False, 1)
