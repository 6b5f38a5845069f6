"""What a conversation's next turn is told of once a document behind an early answer is hidden."""

from sqlalchemy import select, update
from tests.service.chat.conftest import GATEWAY_TEXT, RESET_TEXT, add_member
from tests.service.chat.doubles import Desk, FakeCompleter

from refdesk.chat.history import StoredHistory
from refdesk.chat.tables import Run
from refdesk.knowledge.access.tables import AccessList
from refdesk.knowledge.tables import Document
from refdesk.testing.library import Library


async def test_no_later_turn_is_told_of_what_goes_back_to_a_hidden_document(
    desk: Desk, library: Library
) -> None:
    reader = await add_member(library)
    base = await library.base()
    reset = await library.add(base, [RESET_TEXT])
    await library.add(base, [GATEWAY_TEXT])
    desk.connect(FakeCompleter("Hold the button [1].", completion="标准版最多支持多少并发连接？"))
    first = await desk.answer(
        reader, "How do I reset the router to factory settings?", knowledge_base_ids=(base.id,)
    )
    assert [one["document_id"] for one in first["citations"]] == [str(reset.id)]
    last = first
    for _ in range(6):
        desk.connect(FakeCompleter("500 [1].", completion="标准版最多支持多少并发连接？"))
        last = await desk.answer(
            reader, "标准版最多支持多少并发连接？", conversation_id=first["conversation_id"]
        )
        assert str(reset.id) not in {hit["document_id"] for hit in last["retrieval"]["hits"]}
    async with desk.database.transaction() as session:
        run = (await session.scalars(select(Run).where(Run.id == last["id"]))).one()
        nobody = AccessList(workspace_id=library.workspace_id, knowledge_base_id=base.id)
        session.add(nobody)
        await session.flush()
    # Asked for the last turn, it tells of those before it.
    history = StoredHistory(desk.database, reader, run)
    assert len(await history.turns(1)) == 1
    async with desk.database.transaction() as session:
        await session.execute(update(Document).where(Document.id == reset.id).values(acl_id=nobody.id))
    assert await history.turns(1) == []
