"""Which bases a conversation asks when bases come and go."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update
from tests.service.chat.doubles import Desk

from refdesk.accounts import Scope
from refdesk.apps.repository import ApplicationRepository
from refdesk.apps.tables import Application
from refdesk.chat import RunSubmission
from refdesk.chat.errors import NothingToAsk
from refdesk.kit.ids import new_id
from refdesk.knowledge.tables import KnowledgeBase
from refdesk.testing.library import Library

QUESTION = "How do I reset the router to factory settings?"


async def remove(desk: Desk, base_id: UUID) -> None:
    async with desk.database.transaction() as session:
        gone = datetime.now(UTC)
        await session.execute(
            update(KnowledgeBase).where(KnowledgeBase.id == base_id).values(deleted_at=gone)
        )


async def warnings_of(desk: Desk, scope: Scope, run: Any) -> list[str]:
    events = await desk.events(scope, run)
    return [event.json()["code"] for event in events if event.name == "warning"]


async def test_a_conversation_about_everything_asks_all_there_is_now(
    desk: Desk, scope: Scope, library: Library
) -> None:
    old = await library.base()
    first = await desk.runs.submit(scope, RunSubmission(question=QUESTION))
    assert old.id in first.knowledge_base_ids
    await remove(desk, old.id)
    new = await library.base()
    again = await desk.ask(scope, QUESTION, conversation_id=first.conversation_id)
    assert old.id not in again.knowledge_base_ids
    assert {new.id, desk.base_id} <= set(again.knowledge_base_ids)
    assert "knowledge-base-gone" not in await warnings_of(desk, scope, again)


async def test_removed_bases_of_a_conversation_are_left_out_with_a_warning(
    desk: Desk, scope: Scope, library: Library
) -> None:
    gone = await library.base()
    first = await desk.ask(scope, QUESTION, knowledge_base_ids=(desk.base_id, gone.id))
    await remove(desk, gone.id)
    again = await desk.ask(scope, QUESTION, conversation_id=first.conversation_id)
    assert again.knowledge_base_ids == [desk.base_id]
    assert "knowledge-base-gone" in await warnings_of(desk, scope, again)


async def test_a_conversation_whose_bases_are_all_gone_is_refused(
    desk: Desk, scope: Scope, library: Library
) -> None:
    gone = await library.base()
    first = await desk.ask(scope, QUESTION, knowledge_base_ids=(gone.id,))
    await remove(desk, gone.id)
    with pytest.raises(NothingToAsk):
        await desk.ask(scope, QUESTION, conversation_id=first.conversation_id)


async def test_an_application_asks_the_bases_it_still_has(desk: Desk, scope: Scope, library: Library) -> None:
    gone = await library.base()
    application = Application(id=new_id(), name=str(new_id()), description="", prompts={}, settings={})
    async with desk.database.transaction() as session:
        repository = ApplicationRepository(session, scope)
        await repository.add(application)
        await repository.replace_bases(application, [gone.id, desk.base_id])
    await remove(desk, gone.id)
    run = await desk.ask(scope, QUESTION, application_id=application.id)
    assert run.knowledge_base_ids == [desk.base_id]
    assert "knowledge-base-gone" in await warnings_of(desk, scope, run)
