"""What a question is taken for by a model: all leaves, a shortlist of many, and answers that are none."""

import json
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from tests.http.asking import RESET, answered, connected, embed_by_hashing, make_base
from tests.http.world import World, ok

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import Request, ScriptedModel, Send, scripted_model

TREE = """
intents:
- code: shop
  name: Shop
  children:
  - code: orders
    name: Orders
    description: The state of an order
    examples: [where is my order, track my parcel, order status please]
  - code: returns
    name: Returns
    examples: [how to return shoes, send the shoes back, return policy for shoes]
- code: greeting
  name: Greeting
  kind: SYSTEM
  reply: Hello! Ask me about orders.
  examples: [hello, good morning, hi there]
"""
QUESTION = "where is my order 4711"


class Chooser:
    """A model that takes questions for the intents of these names, or says `text` instead."""

    def __init__(self, *names: str, score: float = 0.9) -> None:
        self.names, self.score, self.text = names, score, ""
        self.shown: list[list[dict[str, Any]]] = []
        self.asked: list[list[str]] = []

    async def __call__(self, request: Request, send: Send) -> None:
        lines = request.body["messages"][-1]["content"].split("\n")
        told = [json.loads(line) for line in lines if line.startswith("{")]
        leaves = [one for one in told if "intent" in one]
        if not leaves or request.body.get("stream"):
            await script.answer("Hold the reset button [1].")(request, send)
            return
        self.shown.append(leaves)
        self.asked.append([one["text"] for one in told if "question" in one])
        fitting = [one["intent"] for one in leaves if one["name"].split(" › ")[-1] in self.names]
        intents = [{"intent": number, "score": self.score} for number in fitting]
        questions = [{"question": n, "intents": intents} for n, _ in enumerate(self.asked[-1], 1)]
        text = self.text or orjson.dumps({"questions": questions}).decode()
        await script.answer(text, input_tokens=210, output_tokens=17)(request, send)


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET)


@pytest.fixture
async def model(world: World) -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server, connected(world, server.base_url):
        yield server


async def made(world: World, base: dict[str, Any], content: str) -> str:
    """An application with these intents."""
    embed_by_hashing(world)
    body = {"name": world.new_name("shop"), "knowledge_base_ids": [base["id"]]}
    application = ok(await world.editor.post("/api/v1/applications", json=body))["id"]
    path = f"/api/v1/applications/{application}/intents/import"
    ok(await world.editor.post(path, json={"content": content, "format": "yaml"}))
    return application


@pytest.fixture(scope="module")
async def application(world: World, base: dict[str, Any]) -> str:
    return await made(world, base, TREE)


async def record(world: World, application: str, question: str) -> tuple[dict[str, Any], dict[str, Any]]:
    run = await answered(world.viewer, question=question, application_id=application)
    stages = {stage["name"]: stage["detail"] for stage in run["stages"]}
    return run, stages["intents"]


def codes(detail: dict[str, Any]) -> list[str]:
    return [intent["code"] for one in detail["questions"] for intent in one["intents"]]


async def test_a_model_is_shown_all_leaves_and_its_choice_counts(
    world: World, application: str, model: ScriptedModel
) -> None:
    """It says what the examples would not."""
    chooser = Chooser("Returns")
    model.always(chooser)
    run, detail = await record(world, application, QUESTION)
    assert (detail["method"], codes(detail)) == ("model", ["returns"])
    (shown,) = chooser.shown
    assert [one["name"] for one in shown] == ["Shop › Orders", "Shop › Returns", "Greeting"]
    assert shown[0]["description"] == "The state of an order"
    assert shown[0]["examples"][0] == "where is my order"
    assert chooser.asked == [[QUESTION]]
    assert (run["usage"]["input_tokens"] >= 210, run["usage"]["output_tokens"] >= 17) == (True, True)
    # Nothing that was retrieved is among what the model is asked.
    routed = [one for one in model.requests if not one.body.get("stream")]
    assert routed
    assert all("reset button" not in str(one.body["messages"]) for one in routed)


async def test_what_a_model_finds_unlikely_is_out_of_scope(
    world: World, application: str, model: ScriptedModel
) -> None:
    model.always(Chooser("Orders", score=0.3))
    _, detail = await record(world, application, QUESTION)
    assert (detail["method"], codes(detail)) == ("model", [])


async def test_a_greeting_by_a_model_is_answered_without_a_search(
    world: World, application: str, model: ScriptedModel
) -> None:
    model.always(Chooser("Greeting"))
    run, detail = await record(world, application, "tach auch")
    assert codes(detail) == ["greeting"]
    assert run["answer"] == "Hello! Ask me about orders."
    assert "retrieve" not in [stage["name"] for stage in run["stages"]]


@pytest.mark.parametrize(
    "text",
    [
        "I think it is about orders.",
        '{"questions":[{"question":1}]}',
        '{"questions":[{"question":1,"intents":[{"intent":"Orders","score":"high"}]}]}',
        '{"questions":[{"question":1,"intents":[{"intent":2,"sc',
    ],
    ids=["words", "lacking", "wrong kinds", "cut off"],
)
async def test_an_answer_that_is_none_leaves_it_to_the_examples(
    world: World, application: str, model: ScriptedModel, text: str
) -> None:
    chooser = Chooser("Returns")
    chooser.text = text
    model.always(chooser)
    run, detail = await record(world, application, QUESTION)
    assert len(chooser.shown) == 1
    assert (detail["method"], codes(detail)) == ("examples", ["orders"])
    assert detail["model_failed"] == "model-bad-response"
    assert run["state"] == "finished"


async def test_a_model_that_refuses_leaves_it_to_the_examples(
    world: World, application: str, model: ScriptedModel
) -> None:
    async def by_stage(request: Request, send: Send) -> None:
        reply = script.answer("Yes [1].") if request.body.get("stream") else script.refuses(400, "no")
        await reply(request, send)

    model.always(by_stage)
    run, detail = await record(world, application, QUESTION)
    assert (detail["method"], codes(detail)) == ("examples", ["orders"])
    assert detail["model_failed"] == "model-refused"
    assert run["state"] == "finished"


async def test_of_many_leaves_a_model_sees_those_that_come_close(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    subjects = [f"{kind}{number}" for kind in ("lamp", "chair", "table", "shelf") for number in range(15)]
    leaves = [
        {"code": one, "name": one.title(), "examples": [f"repair the {one}", f"my {one} is broken"]}
        for one in subjects
    ]
    application = await made(world, base, json.dumps({"intents": leaves}))
    chooser = Chooser("Chair7")
    model.always(chooser)
    _, detail = await record(world, application, "my chair7 is broken")
    assert (detail["method"], codes(detail)) == ("model", ["chair7"])
    (shown,) = chooser.shown
    assert len(leaves) == 60
    assert 0 < len(shown) <= 24
    names = [one["name"] for one in shown]
    assert "Chair7" in names
    assert names == sorted(names, key=lambda name: subjects.index(name.lower()))  # the tree's order
