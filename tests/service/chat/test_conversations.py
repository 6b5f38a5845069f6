"""Conversations: titles, lists, privacy, retries, citations of what is gone."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from tests.service.chat.conftest import add_member
from tests.service.chat.doubles import Desk, FakeCompleter, eventually

from refdesk.accounts import Scope
from refdesk.chat import leases
from refdesk.chat.errors import (
    ConversationNotFound,
    QuestionEmpty,
    QuestionTooLong,
    RetryMismatch,
    RunNotFound,
    RunStillActive,
)
from refdesk.chat.service import ConversationService, RunService
from refdesk.chat.tables import Conversation, Run
from refdesk.kit.clock import now
from refdesk.kit.errors import CursorInvalid, Forbidden, NotFound
from refdesk.kit.ids import new_id
from refdesk.knowledge.tables import Paragraph
from refdesk.testing.library import Library

QUESTION = "How do I reset the router to factory settings?"


async def test_the_first_question_is_the_title(desk: Desk, scope: Scope) -> None:
    run = await desk.ask(scope, "How do I\n reset the router?  " + "x" * 100)
    async with desk.database.transaction() as session:
        shown = await ConversationService(session, scope).detail(run.conversation_id)
    assert shown.title.startswith("How do I reset the router? xxx")
    assert len(shown.title) == 80
    assert shown.title.endswith("…")


async def test_lists_go_on_after_a_cursor_and_search_titles(desk: Desk, library: Library) -> None:
    reader = await add_member(library)
    for word in ("alpha", "beta", "gamma 100%"):
        await desk.answer(reader, f"{word} question")
    async with desk.database.transaction() as session:
        service = ConversationService(session, reader)
        first = await service.list(limit=2, cursor=None, words="")
        second = await service.list(limit=2, cursor=first.next_cursor, words="")
        found = await service.list(limit=9, cursor=None, words="100% gamma")
        none = await service.list(limit=9, cursor=None, words="1000")
        with pytest.raises(CursorInvalid):
            await service.list(limit=2, cursor="no cursor", words="")
    assert [c.title for c in [*first.items, *second.items]] == [
        "gamma 100% question",
        "beta question",
        "alpha question",
    ]
    assert (first.total, second.next_cursor) == (3, None)
    assert [c.title for c in found.items] == ["gamma 100% question"]
    assert none.total == 0


async def test_renaming_keeps_the_place_in_the_list(desk: Desk, library: Library) -> None:
    reader = await add_member(library)
    old = await desk.answer(reader, "old")
    await desk.answer(reader, "new")
    async with desk.database.transaction() as session:
        await ConversationService(session, reader).rename(old["conversation_id"], "renamed")
    async with desk.database.transaction() as session:
        listed = await ConversationService(session, reader).list(limit=9, cursor=None, words="")
    assert [c.title for c in listed.items] == ["new", "renamed"]


async def test_colleagues_administrators_and_keys_see_nothing_of_it(
    desk: Desk, scope: Scope, library: Library
) -> None:
    run = await desk.answer(scope, QUESTION)
    colleague = await add_member(library)
    others = [
        colleague,
        replace(colleague, is_administrator=True),
        Scope.operator(library.workspace_id),
        replace(scope, via="api_key", api_key_id=new_id()),
        replace(scope, workspace_id=new_id()),
    ]
    async with desk.database.transaction() as session:
        for other in others:
            service = ConversationService(session, other)
            assert run["conversation_id"] not in [
                str(c.id) for c in (await service.list(limit=99, cursor=None, words="")).items
            ]
            with pytest.raises(ConversationNotFound):
                await service.detail(run["conversation_id"])
            with pytest.raises(ConversationNotFound):
                await service.rename(run["conversation_id"], "mine")
            with pytest.raises(ConversationNotFound):
                await service.delete(run["conversation_id"])
            with pytest.raises(RunNotFound):
                await RunService(session, other).get(run["id"])


async def test_what_a_key_asked_is_seen_by_that_key_only(desk: Desk, scope: Scope) -> None:
    key = replace(scope, via="api_key", api_key_id=new_id())
    run = await desk.answer(key, QUESTION)
    async with desk.database.transaction() as session:
        assert (await RunService(session, key).get(run["id"])).id
        for other in (scope, replace(key, api_key_id=new_id())):
            with pytest.raises(RunNotFound):
                await RunService(session, other).get(run["id"])


async def test_a_retry_asks_again_and_names_what_it_retries(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter("Hold the wrong button [1]."))
    first = await desk.answer(scope, QUESTION)
    completer = desk.connect(FakeCompleter("Hold the reset button [1].", completion="unused"))
    events = await desk.events(scope, await desk.ask(scope, None, retry_of=first["id"]))
    again = events[-1].json()["run"]
    assert (again["retry_of"], again["question"]) == (first["id"], QUESTION)
    assert again["conversation_id"] == first["conversation_id"]
    assert again["knowledge_base_ids"] == first["knowledge_base_ids"]
    # The answer that was not wanted is no part of the conversation any more.
    assert [m.role for m in completer.requests[0].messages] == ["system", "user"]
    async with desk.database.transaction() as session:
        shown = await ConversationService(session, scope).detail(first["conversation_id"])
    assert [str(run.id) for run in shown.runs] == [first["id"], again["id"]]


async def test_what_cannot_be_retried(desk: Desk, scope: Scope) -> None:
    done = await desk.answer(scope, QUESTION)
    elsewhere = await desk.answer(scope, QUESTION)
    with pytest.raises(RunNotFound):
        await desk.ask(scope, None, retry_of=new_id())
    with pytest.raises(RetryMismatch):
        await desk.ask(scope, None, retry_of=done["id"], conversation_id=elsewhere["conversation_id"])
    desk.connect(FakeCompleter(60.0))
    running = await desk.ask(scope, QUESTION)
    with pytest.raises(RunStillActive):
        await desk.ask(scope, None, retry_of=running.id)


@pytest.mark.parametrize("question", ["", "  \n", "\x00", None])
async def test_an_empty_question_is_refused(desk: Desk, scope: Scope, question: str | None) -> None:
    with pytest.raises(QuestionEmpty):
        await desk.ask(scope, question)


async def test_a_question_of_100_000_characters_is_refused(desk: Desk, scope: Scope) -> None:
    with pytest.raises(QuestionTooLong):
        await desk.ask(scope, "长" * 100_000)


async def test_unknown_things_are_not_found(desk: Desk, scope: Scope) -> None:
    for unknown in (
        {"conversation_id": new_id()},
        {"application_id": new_id()},
        {"knowledge_base_ids": (new_id(),)},
    ):
        with pytest.raises(NotFound):
            await desk.ask(scope, QUESTION, **unknown)


async def test_a_bound_key_asks_what_it_is_bound_to(desk: Desk, scope: Scope, library: Library) -> None:
    other = await library.base()
    key = replace(scope, via="api_key", api_key_id=new_id(), resource=("knowledge_base", desk.base_id))
    run: Any = await desk.runs.submit(key, _submission(QUESTION))
    assert run.knowledge_base_ids == [desk.base_id]
    with pytest.raises((Forbidden, NotFound)):
        await desk.ask(key, QUESTION, knowledge_base_ids=(other.id,))
    with pytest.raises((Forbidden, NotFound)):
        await desk.ask(key, QUESTION, application_id=new_id())
    for_application = replace(key, resource=("application", new_id()))
    with pytest.raises(Forbidden):
        await desk.ask(for_application, QUESTION, knowledge_base_ids=(desk.base_id,))


async def test_without_a_choice_all_bases_are_asked(desk: Desk, scope: Scope) -> None:
    run = await desk.runs.submit(scope, _submission(QUESTION))
    assert desk.base_id in run.knowledge_base_ids


async def test_citations_of_deleted_paragraphs_say_so(desk: Desk, scope: Scope, library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["The lighthouse keeper feeds three seagulls every morning."])
    run = await desk.answer(scope, "Who feeds the seagulls?", knowledge_base_ids=(base.id,))
    async with desk.database.transaction() as session:
        before = await RunService(session, scope).get(run["id"])
        await session.execute(delete(Paragraph).where(Paragraph.id == document.paragraphs[0].id))
    async with desk.database.transaction() as session:
        after = await RunService(session, scope).get(run["id"])
    assert [c.available for c in before.citations] == [True]
    assert [c.available for c in after.citations] == [False]
    assert after.citations[0].text == before.citations[0].text


def _submission(question: str) -> Any:
    from refdesk.chat import RunSubmission

    return RunSubmission(question=question)


async def test_old_conversations_of_keys_are_removed_and_those_of_people_stay(
    desk: Desk, library: Library
) -> None:
    person = await add_member(library)
    key = replace(person, user_id=None, api_key_id=new_id(), via="api_key")
    asked = {
        name: (await desk.ask(scope, "How do I reset the router?")).conversation_id
        for name, scope in (("mine", person), ("program's", key), ("program's today", key))
    }
    await eventually(lambda: not desk.runs.active_runs)
    async with desk.database.transaction() as session:
        await session.execute(
            update(Conversation)
            .where(Conversation.id.in_([asked["mine"], asked["program's"]]))
            .values(updated_at=now() - timedelta(days=31))
        )
    async with desk.database.transaction() as session:
        assert await leases.forget_key_conversations(session, 30) == 1
        left = set(await session.scalars(select(Conversation.id).where(Conversation.id.in_(asked.values()))))
        runs = set(
            await session.scalars(select(Run.conversation_id).where(Run.conversation_id.in_(asked.values())))
        )
    assert left == runs == {asked["mine"], asked["program's today"]}
