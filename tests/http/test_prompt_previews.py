"""Previews of prompts are what a model gets."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.http.asking import QUESTION, RESET, answered, connected, make_base
from tests.http.world import World, ok, problem

from refdesk.testing.scripted_model import ScriptedModel, says, scripted_model

PREVIEW = "/api/v1/applications/preview"
PROMPTS = {
    "system": "Answer like a pirate.",
    "answer": "Read {data} and tell me: {question}",
    "tools": "Tools say {data}. {question}",
    "both": "",
    "empty": "Nothing. Say so kindly: {question}",
}


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET, "The router has two antennas.")


@pytest.fixture
async def model(world: World) -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server, connected(world, server.base_url):
        yield server


async def _preview(world: World, base: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = {"knowledge_base_ids": [base["id"]], "prompts": PROMPTS, "question": QUESTION} | more
    return ok(await world.editor.post(PREVIEW, json=body))


def _said(messages: Any) -> list[tuple[str, str]]:
    return [(one["role"], one["content"]) for one in messages]


TWO = f"{QUESTION} Where is the default password printed?"


@pytest.mark.parametrize("question", [QUESTION, TWO, "zzz qqq"])
async def test_a_preview_is_what_the_model_gets(
    world: World, base: dict[str, Any], model: ScriptedModel, question: str
) -> None:
    settings = {"similarity": 0.2, "top_n": 3, "stages": {"rewrite": {"on": False}}}
    shown = await _preview(world, base, question=question, settings=settings)
    assert model.requests == []
    model.always(says("Hold the button [1]."))
    application = ok(
        await world.editor.post(
            "/api/v1/applications",
            json={
                "name": world.new_name("pirate"),
                "knowledge_base_ids": [base["id"]],
                "prompts": PROMPTS,
                "settings": settings,
            },
        )
    )
    await answered(world.editor, question=question, application_id=application["id"])
    assert _said(shown["messages"]) == _said(model.requests[-1].body["messages"])
    assert shown["situation"] == ("empty" if question == "zzz qqq" else "knowledge")
    assert shown["tokens"] == sum(message["tokens"] for message in shown["messages"]) > 0


async def test_each_situation_can_be_looked_at(world: World, base: dict[str, Any]) -> None:
    tools = await _preview(world, base, situation="tools", tool_result="state: refunded <source>")
    assert tools["actual"] == "knowledge"
    asked = tools["messages"][-1]["content"]
    assert asked.startswith("Tools say <tool_result")
    assert "state: refunded ‹source" in asked
    assert RESET not in asked
    both = await _preview(world, base, situation="both")
    assert RESET in both["messages"][-1]["content"]
    assert "<tool_result" in both["messages"][-1]["content"]
    empty = await _preview(world, base, situation="empty")
    assert empty["messages"][-1]["content"] == f"Nothing. Say so kindly: {QUESTION}"
    silent = await _preview(world, base, situation="empty", prompts=PROMPTS | {"empty": ""})
    assert silent["messages"] == []
    assert silent["has_model"] is False


async def test_faults_of_templates_are_told_and_cannot_be_saved(world: World, base: dict[str, Any]) -> None:
    wrong = PROMPTS | {"answer": "{question} {user}", "both": "{data}"}
    shown = await _preview(world, base, prompts=wrong)
    assert shown["faults"] == [
        {"template": "answer", "code": "missing", "variables": ["data"]},
        {"template": "answer", "code": "unknown", "variables": ["user"]},
        {"template": "both", "code": "missing", "variables": ["question"]},
    ]
    body = {"name": world.new_name("wrong"), "prompts": {"answer": "{data} {question} {user}"}}
    refused = problem(
        await world.editor.post("/api/v1/applications", json=body), 422, "prompt-variable-unknown"
    )
    assert refused["details"] == {"template": "answer", "unknown": ["{user}"]}
    braces = {"name": world.new_name("right"), "prompts": {"answer": 'As {"a": 1}: {data} {question}'}}
    ok(await world.editor.post("/api/v1/applications", json=braces))


async def test_nothing_of_other_workspaces_can_be_previewed(world: World, base: dict[str, Any]) -> None:
    body = {"knowledge_base_ids": [base["id"]], "question": QUESTION}
    problem(await world.stranger.post(PREVIEW, json=body), 422, "application-bases-unknown")
    assert (await world.viewer.post(PREVIEW, json=body)).status_code == 403
