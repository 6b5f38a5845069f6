"""How many earlier versions are kept, and what becomes of citations of those that are not."""

from collections.abc import Sequence
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from tests.service.knowledge.test_versions import PARTS, file_of, listed, replaced

from refdesk.accounts import Scope
from refdesk.chat.tables import Conversation, Run
from refdesk.kit.database import Database
from refdesk.kit.errors import NotFound
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge import Paragraphs, cited_paragraphs
from refdesk.knowledge.versions import restore
from refdesk.testing.desk import Desk, make_desk


@pytest.fixture
async def desk(database: Database) -> Desk:
    """Two earlier versions of a document are kept here."""
    return await make_desk(database, Settings(index_batch_size=4, kept_versions=2))


def sound_of(number: int) -> dict[str, str]:
    return {**PARTS, "Sound": f"Words only of version {number}: {number * 7}."}


async def document_of_versions(desk: Desk, count: int) -> tuple[UUID, list[UUID]]:
    """A document that was replaced until it is version `count`; the ids of its paragraph "Sound" in each."""
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, file_of(PARTS)))
    sound = [(await listed(desk, document.id))[1].id]
    for number in range(2, count + 1):
        await replaced(desk, document.id, sound_of(number))
        sound.append((await listed(desk, document.id))[1].id)
    return document.id, sound


async def numbers(desk: Desk, document_id: UUID) -> list[int]:
    rows = await desk.rows(
        "SELECT number FROM document_versions WHERE document_id = :id ORDER BY number", id=document_id
    )
    return [row[0] for row in rows]


async def test_the_oldest_versions_go_with_their_files_and_the_others_can_come_back(desk: Desk) -> None:
    document_id, sound = await document_of_versions(desk, 5)
    assert await numbers(desk, document_id) == [3, 4, 5]
    assert await desk.count("blobs") == 3
    async with desk.database.transaction() as session:
        assert (await Paragraphs(session, desk.scope).view(sound[2])).version == 3
        with pytest.raises(NotFound):
            await Paragraphs(session, desk.scope).view(sound[0])
        with pytest.raises(NotFound):
            await restore(session, desk.scope, document_id, 1)
        await restore(session, desk.scope, document_id, 3)
    back = await desk.process(document_id)
    assert (back.state, back.version) == ("ready", 6)
    assert (await listed(desk, document_id))[1].id == sound[2]
    assert await numbers(desk, document_id) == [4, 5, 6]


async def test_a_version_that_an_answer_cites_stays(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, file_of(PARTS)))
    cited = (await listed(desk, document.id))[1]
    conversation_id = new_id()
    async with desk.database.transaction() as session:
        session.add(Conversation(id=conversation_id, workspace_id=desk.workspace_id))
        await session.flush()
        session.add(
            Run(
                id=new_id(),
                workspace_id=desk.workspace_id,
                conversation_id=conversation_id,
                question="What rings?",
                profile={},
                retrieval={},
                citations=[{"n": 1, "paragraph_id": str(cited.id)}],
            )
        )
    for number in range(2, 7):
        await replaced(desk, document.id, sound_of(number))
    assert await numbers(desk, document.id) == [1, 4, 5, 6]
    async with desk.database.transaction() as session:
        shown = await Paragraphs(session, desk.scope).view(cited.id)
    assert (shown.content, shown.version) == (PARTS["Sound"], 1)


async def test_only_paragraphs_that_lie_nowhere_else_are_asked_about(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[UUID] = []

    async def told(_session: AsyncSession, _scope: Scope, ids: Sequence[UUID]) -> set[UUID]:
        asked.extend(ids)
        return set()

    monkeypatch.setattr("refdesk.knowledge.versions.pruning.cited_paragraphs", [told])
    _, sound = await document_of_versions(desk, 4)
    assert asked == [sound[0]]
    assert cited_paragraphs, "the chat room says which it leads people to"
