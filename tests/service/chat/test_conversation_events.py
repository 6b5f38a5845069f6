"""Two pages on one conversation, served by two processes, stay in step."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from tests.service.chat.doubles import Desk, FakeCompleter

from refdesk.accounts import Scope
from refdesk.chat import RunManager
from refdesk.chat.errors import ConversationNotFound
from refdesk.chat.service import ConversationService
from refdesk.kit.ids import new_id
from refdesk.kit.sse import EventReader, ServerSentEvent

QUESTION = "How do I reset the router to factory settings?"


async def _admitted() -> bool:
    return True


class Page:
    """A page that shows a conversation."""

    def __init__(self, runs: RunManager, scope: Scope, conversation_id: UUID) -> None:
        self._open = runs.conversations.frames(scope, conversation_id, _admitted)
        self._frames: Any = None
        self._reader = EventReader()
        self._ready: list[ServerSentEvent] = []

    async def next(self) -> ServerSentEvent:
        """The next event, heartbeats left out."""
        if self._frames is None:
            self._frames = await self._open
        async with asyncio.timeout(10):
            while not self._ready:
                frame: bytes = await anext(self._frames)
                lines = frame.decode().split("\n")
                self._ready = [event for line in lines for event in self._reader.feed(line)]
        return self._ready.pop(0)

    async def close(self) -> None:
        await self._frames.aclose()


async def test_a_question_asked_in_one_process_appears_in_the_other(desk: Desk, scope: Scope) -> None:
    first = await desk.answer(scope, QUESTION)
    conversation_id = UUID(first["conversation_id"])
    elsewhere = await desk.another()
    page = Page(elsewhere, scope, conversation_id)
    assert [run["id"] for run in (await page.next()).json()["runs"]] == [first["id"]]
    go_on = asyncio.Event()
    desk.connect(FakeCompleter("Hold the ", go_on, "button [1]."))
    second = await desk.ask(scope, QUESTION, conversation_id=conversation_id)
    appeared = (await page.next()).json()["runs"][-1]
    assert appeared == {"id": str(second.id), "state": "running", "retry_of": None}
    # What is being written is there to be followed, on this process as well.
    async for event in elsewhere.follow(scope, second.id):
        if event.name == "delta":
            assert event.json()["text"].startswith("Hold")
            break
    go_on.set()
    assert (await page.next()).json()["runs"][-1]["state"] == "finished"
    async with desk.database.transaction() as session:
        await ConversationService(session, scope).rename(conversation_id, "Router")
    assert (await page.next()).json()["title"] == "Router"
    async with desk.database.transaction() as session:
        await ConversationService(session, scope).delete(conversation_id)
    assert (await page.next()).name == "conversation.deleted"
    await page.close()


async def test_a_conversation_of_somebody_else_cannot_be_followed(desk: Desk, scope: Scope) -> None:
    with pytest.raises(ConversationNotFound):
        await desk.runs.conversations.frames(scope, new_id(), _admitted)
