"""Memory: the last turns whole, older ones in a summary, notes of who agreed."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import orjson
import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import OperationalError
from tests.service.chat.conftest import GATEWAY_TEXT, add_member
from tests.service.chat.doubles import Desk, FakeCompleter, FakeGateway

from refdesk.accounts import Scope
from refdesk.apps.schemas import ApplicationCreate, ApplicationSettings
from refdesk.apps.service import ApplicationService
from refdesk.chat.errors import NotesNeedPerson
from refdesk.chat.history import StoredHistory
from refdesk.chat.remembering import NoteRepository, SummaryRepository
from refdesk.chat.remembering.jobs import note_person, summarise_conversation
from refdesk.gateway import Gateway
from refdesk.jobs import JobContext
from refdesk.kit.settings import Settings
from refdesk.knowledge import Document
from refdesk.knowledge.access.tables import AccessList
from refdesk.testing.library import Library

QUESTION = "标准版最多支持多少个并发连接？"


def job(desk: Desk) -> JobContext:
    return JobContext(Settings(), desk.database, {Gateway: _AsGateway(desk.gateway)})


class _AsGateway(Gateway):
    """A stand-in that a worker takes for its gateway."""

    def __init__(self, gateway: FakeGateway) -> None:
        self._fake = gateway

    async def default_model(self, scope: Scope, kind: Any, *purposes: str | None) -> UUID | None:
        return await self._fake.default_model(scope, kind)

    async def completer(self, scope: Scope, model_id: UUID, purpose: Any = None) -> Any:
        return await self._fake.completer(scope, model_id)


async def summarised(desk: Desk, scope: Scope, conversation_id: str, text: str, window: int = 2) -> None:
    desk.connect(FakeCompleter(completion=text))
    await summarise_conversation(job(desk), str(scope.workspace_id), conversation_id, "", "zh", window, 400)


async def test_turns_that_fall_out_are_told_as_a_summary_and_only_to_who_may_see_their_sources(
    desk: Desk, library: Library
) -> None:
    reader = await add_member(library)
    base = await library.base()
    document = await library.add(base, [GATEWAY_TEXT])
    more: dict[str, Any] = {"overrides": {"history_turns": 2, "complete_question": False}}
    desk.connect(FakeCompleter("最多 100 个 [1]。"))
    first = await desk.answer(reader, QUESTION, knowledge_base_ids=(base.id,), **more)
    more["conversation_id"] = first["conversation_id"]
    for _ in range(3):
        await desk.answer(reader, QUESTION, **more)
    async with desk.database.transaction() as session:
        queued = await session.scalars(text("SELECT task_name FROM procrastinate_jobs"))
        assert list(queued).count("summarise-conversation") == 1  # one waits, whatever was asked since
    await summarised(desk, reader, first["conversation_id"], "用户问过标准版的连接上限。" * 60)
    async with desk.database.transaction() as session:
        kept = await SummaryRepository(session, reader).get(UUID(first["conversation_id"]))
    assert kept is not None
    assert len(kept.run_ids) == 2
    assert len(kept.text) <= 400
    model = desk.connect(FakeCompleter("最多 100 个 [1]。"))
    run = await desk.answer(reader, QUESTION, **more)
    told = [message.text for message in model.requests[0].messages]
    assert "用户问过标准版的连接上限" in told[0]
    assert sum(text == QUESTION for text in told) == 2
    # The next answer rests on what the summary was made from, so it is hidden with it.
    async with desk.database.transaction() as session:
        nobody = AccessList(workspace_id=library.workspace_id, knowledge_base_id=base.id)
        session.add(nobody)
        await session.flush()
        await session.execute(update(Document).where(Document.id == document.id).values(acl_id=nobody.id))
    model = desk.connect(FakeCompleter("无 [1]。"))
    await library.add(base, ["标准版最多支持 100 个并发连接。"])
    await desk.answer(reader, QUESTION, **more)
    assert not any("连接上限" in message.text for message in model.requests[0].messages)
    assert run["state"] == "finished"


@pytest.mark.parametrize("part", ["seen", "summary"])
async def test_memory_that_cannot_be_read_never_fails_the_answer(
    desk: Desk, scope: Scope, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    desk.connect(FakeCompleter("最多 100 个 [1]。"))
    first = await desk.answer(scope, QUESTION)
    async with desk.database.transaction() as session:
        runs = await SummaryRepository(session, scope).runs(UUID(first["conversation_id"]))
    assert len(runs) == 1

    async def down(*_: Any) -> Any:
        raise OperationalError("select", {}, Exception("the database restarts"))

    monkeypatch.setattr(StoredHistory, part, down)
    run = await desk.answer(scope, QUESTION, conversation_id=first["conversation_id"])
    assert run["state"] == "finished"
    memory = next(stage for stage in run["stages"] if stage["name"] == "memory")
    assert memory["detail"]["failed"] == [{"seen": "turns", "summary": "summary"}[part]]
    assert ("memory-unavailable" in {one["code"] for one in run["warnings"]}) == (part == "seen")


async def test_notes_are_kept_of_who_agreed_and_told_to_the_model(desk: Desk, library: Library) -> None:
    owner = Scope.system(library.workspace_id)
    person = await add_member(library)
    async with desk.database.transaction() as session:
        draft = ApplicationCreate(
            name="Notes", knowledge_base_ids=[desk.base_id], settings=ApplicationSettings(notes=True)
        )
        application = await ApplicationService(session, owner).create(draft)
    said = "我是采购部的，只用企业版。企业版最多支持多少个并发连接？"

    async def note() -> None:
        desk.connect(FakeCompleter(completion=orjson.dumps({"notes": ["是采购部的", "只用企业版"]}).decode()))
        arguments = (str(owner.workspace_id), str(person.user_id), str(application.id), "", "zh", said)
        await note_person(job(desk), *arguments)  # pyright: ignore[reportArgumentType]

    await note()
    async with desk.database.transaction() as session:
        notes = NoteRepository(session, person)
        assert await notes.list(application.id) == []  # nobody agreed
        await notes.agree(application.id, True)
    await note()
    model = desk.connect(FakeCompleter("最多 500 个 [1]。"))
    await desk.answer(person, QUESTION, application_id=application.id)
    assert "- 是采购部的" in model.requests[0].messages[0].text
    async with desk.database.transaction() as session:
        with pytest.raises(NotesNeedPerson):
            NoteRepository(session, replace(person, resource=("application", application.id)))
        await ApplicationService(session, owner).delete(application.id)
        assert await NoteRepository(session, person).list(application.id) == []
