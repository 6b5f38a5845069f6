"""Asking over HTTP: runs, their events, and what models do wrong."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from tests.http.asking import QUESTION, RESET, answered, connected, events_of, make_base
from tests.http.world import World, ok, problem

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import ScriptedModel, scripted_model


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET)


@pytest.fixture
async def model(world: World) -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server, connected(world, server.base_url):
        yield server


async def test_a_question_is_accepted_and_its_events_tell_the_answer(
    world: World, base: dict[str, Any]
) -> None:
    accepted = await world.viewer.post(
        "/api/v1/runs", json={"question": QUESTION, "knowledge_base_ids": [base["id"]]}
    )
    assert accepted.status_code == 202
    run = accepted.json()
    assert run["state"] == "running"
    events = await events_of(world.viewer, run["id"])
    assert events[0].name == "run.started"
    assert events[-1].name == "run.finished"
    assert [int(event.event_id or 0) for event in events] == list(range(1, len(events) + 1))
    stored = ok(await world.viewer.get(f"/api/v1/runs/{run['id']}"))
    assert stored["answer"].startswith("To reset the router to factory settings, hold the reset button")
    assert stored["citations"][0]["document"] == "manual.md"
    assert stored["citations"][0]["available"] is True
    finished = events[-1].json()["run"]
    assert finished["answer"] == stored["answer"]


async def test_a_stream_resumes_after_last_event_id(world: World, base: dict[str, Any]) -> None:
    run = await answered(world.viewer, question=QUESTION, knowledge_base_ids=[base["id"]])
    everything = await events_of(world.viewer, run["id"])
    rest = await events_of(world.viewer, run["id"], **{"Last-Event-ID": "3"})
    assert rest == everything[3:]
    odd = await events_of(world.viewer, run["id"], **{"Last-Event-ID": "no number"})
    assert odd == everything


async def test_a_model_writes_the_answer(world: World, base: dict[str, Any], model: ScriptedModel) -> None:
    model.then(script.answer("Hold the reset button for 10 seconds [1]. See [7].", size=3))
    run = await answered(world.viewer, question=QUESTION, knowledge_base_ids=[base["id"]])
    assert run["state"] == "finished"
    assert run["answer"] == "Hold the reset button for 10 seconds [1]. See."
    assert [warning["code"] for warning in run["warnings"]] == ["citation-removed"]
    assert run["usage"] == {"input_tokens": 10, "output_tokens": 5}
    assert run["sentences"][0]["supported"] is True
    sent = model.requests[0].body["messages"]
    assert RESET in sent[-1]["content"]


FAILURES = [
    (script.error(401, "bad key"), "model-authentication"),
    (script.error(429, "slow down", headers={"Retry-After": "7"}), "model-rate-limited"),
    (script.error(500, "broken"), "model-unavailable"),
    (script.hang(), "model-timeout"),
    (script.body(b"<html>hello</html>", content_type="text/html"), "model-bad-response"),
    (script.body(b""), "model-bad-response"),
    (script.events([b"data: {not json\n\n"]), "model-bad-response"),
]


@pytest.mark.parametrize(("reply", "code"), FAILURES, ids=[code for _, code in FAILURES])
async def test_a_failing_model_ends_the_run_with_a_code_and_a_hint(
    world: World, base: dict[str, Any], model: ScriptedModel, reply: Any, code: str
) -> None:
    model.then(reply)
    run = ok(
        await world.viewer.post(
            "/api/v1/runs", json={"question": QUESTION, "knowledge_base_ids": [base["id"]]}
        )
    )
    events = await events_of(world.viewer, run["id"])
    errors = [event.json() for event in events if event.name == "error"]
    assert [error["code"] for error in errors] == [code]
    assert errors[0]["hint"]
    assert events[-1].json()["state"] == "failed"
    # The server lives, and the question can be asked again.
    model.then(script.answer("Hold the reset button [1]."))
    again = await answered(world.viewer, retry_of=run["id"])
    assert (again["state"], again["retry_of"]) == ("finished", run["id"])


async def test_an_answer_that_breaks_off_keeps_its_text(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(script.events([script.delta("Hold the "), script.delta("reset")], break_off=True))
    run = await answered(world.viewer, question=QUESTION, knowledge_base_ids=[base["id"]])
    assert (run["state"], run["answer"]) == ("failed", "Hold the reset")
    assert run["error"]["code"] == "model-interrupted"


async def test_cancel_closes_the_models_socket(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(script.events([script.delta("Hold the ")] + [script.delta("x")] * 500, delay_s=0.05))
    run = ok(
        await world.viewer.post(
            "/api/v1/runs", json={"question": QUESTION, "knowledge_base_ids": [base["id"]]}
        )
    )
    async with asyncio.timeout(10):
        while not model.open_connections:  # noqa: ASYNC110 — a plain counter of the test's server
            await asyncio.sleep(0.02)
    cancelled = ok(await world.viewer.post(f"/api/v1/runs/{run['id']}/cancel"))
    assert cancelled["state"] == "cancelled"
    async with asyncio.timeout(5):
        while model.open_connections:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_bad_input_is_refused_with_a_code(world: World, base: dict[str, Any]) -> None:
    async def refused(status: int, code: str, **body: Any) -> None:
        problem(await world.viewer.post("/api/v1/runs", json=body), status, code)

    await refused(422, "question-empty", question=" \n", knowledge_base_ids=[base["id"]])
    await refused(422, "question-empty")
    await refused(422, "question-too-long", question="长" * 100_000, knowledge_base_ids=[base["id"]])
    await refused(404, "not-found", question="x", knowledge_base_ids=[str(uuid4())])
    await refused(404, "application-not-found", question="x", application_id=str(uuid4()))
    await refused(404, "conversation-not-found", question="x", conversation_id=str(uuid4()))
    await refused(422, "invalid", question="x", mode="magic")
    await refused(422, "invalid", question="x", knowledge_base_ids=["no id"])
    problem(
        await world.viewer.post("/api/v1/runs", content=b"{", headers={"Content-Type": "application/json"}),
        400,
        "malformed-json",
    )
    for path in (f"/api/v1/runs/{uuid4()}", f"/api/v1/runs/{uuid4()}/events"):
        problem(await world.viewer.get(path), 404, "run-not-found")


async def test_conversations_are_listed_renamed_and_deleted(world: World, base: dict[str, Any]) -> None:
    run = await answered(world.viewer, question="Where is the password?", knowledge_base_ids=[base["id"]])
    path = f"/api/v1/conversations/{run['conversation_id']}"
    listed = ok(await world.viewer.get("/api/v1/conversations", params={"q": "password"}))
    assert [item["title"] for item in listed["items"]] == ["Where is the password?"]
    assert ok(await world.viewer.patch(path, json={"title": "Passwords\x00"}))["title"] == "Passwords"
    problem(await world.viewer.patch(path, json={"title": ""}), 422, "invalid")
    shown = ok(await world.viewer.get(path))
    assert [item["id"] for item in shown["runs"]] == [run["id"]]
    assert (await world.viewer.delete(path)).status_code == 204
    problem(await world.viewer.get(path), 404, "conversation-not-found")
    problem(await world.viewer.get(f"/api/v1/runs/{run['id']}"), 404, "run-not-found")
