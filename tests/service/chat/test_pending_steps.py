"""What a conversation waits for, across processes, tabs and retries."""

import asyncio
from uuid import UUID

from tests.service.chat.doubles import Desk

from refdesk.accounts import Scope
from refdesk.chat import RunSubmission
from refdesk.chat.pending import FormClosed, Pending, PendingRepository
from refdesk.chat.runs import RunManager
from refdesk.kit.errors import AppError

OPTIONS = [{"value": "a", "label": "Router"}, {"value": "b", "label": "Gateway"}]
ASKED = "How is it reset?"


async def _asked(desk: Desk, scope: Scope) -> UUID:
    """A conversation that waits for a choice, as a run would have left it."""
    run = await desk.answer(scope, ASKED)
    conversation = UUID(run["conversation_id"])
    pending = Pending(UUID(run["id"]), "guidance", ASKED, {"options": OPTIONS})
    async with desk.database.transaction() as session:
        await PendingRepository(session, scope).put(conversation, pending)
    return conversation


async def test_a_process_that_did_not_ask_goes_on_with_the_reply(desk: Desk, scope: Scope) -> None:
    conversation = await _asked(desk, scope)
    await desk.runs.stop()
    another = await desk.another()
    run = await another.submit(
        scope, RunSubmission(None, conversation_id=conversation, reply={"option": "b"})
    )
    assert run.reply is not None
    assert (run.reply.option, run.reply.question) == ("b", ASKED)
    async with desk.database.transaction() as session:
        assert await PendingRepository(session, scope).get(conversation) is None


async def test_of_two_tabs_one_answers_the_form(desk: Desk, scope: Scope) -> None:
    conversation = await _asked(desk, scope)
    another = await desk.another()

    async def reply(runs: RunManager, option: str) -> AppError | None:
        submission = RunSubmission(None, conversation_id=conversation, reply={"option": option})
        try:
            await runs.submit(scope, submission)
        except AppError as error:
            return error
        return None

    results = await asyncio.gather(reply(desk.runs, "a"), reply(another, "b"))
    assert [type(one) for one in results if one is not None] == [FormClosed]


async def test_a_retry_of_a_reply_goes_on_from_the_same_choice(desk: Desk, scope: Scope) -> None:
    conversation = await _asked(desk, scope)
    first = await desk.answer(scope, "Router", conversation_id=conversation, reply={"option": "a"})
    events = await desk.events(scope, await desk.ask(scope, None, retry_of=UUID(first["id"])))
    retried = events[-1].json()["run"]
    assert retried["question"] == "Router"
    assert retried["reply"]["option"] == "a"
    assert retried["reply"] == first["reply"]
