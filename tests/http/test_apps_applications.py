"""Applications over HTTP: what is accepted, what is refused and why, and that a run follows its settings."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from tests.http.asking import QUESTION, RESET, answered, connected, make_base
from tests.http.world import World, ok, problem

from refdesk.retrieval.strategies import HybridSearch, register
from refdesk.retrieval.strategies.registry import (
    _strategies,  # pyright: ignore[reportPrivateUsage]
)
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model

PATH = "/api/v1/applications"


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET)


async def make(world: World, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = ok(await world.editor.post(PATH, json={"name": world.new_name("app"), **more}))
    return made


async def test_an_application_is_created_read_changed_and_deleted(world: World, base: dict[str, Any]) -> None:
    made = await make(
        world,
        description="Answers about routers",
        knowledge_base_ids=[base["id"], base["id"]],
        settings={"top_n": 3, "suggested_questions": ["How do I reset it?"], "opening_words": "Hello."},
    )
    assert made["knowledge_base_ids"] == [base["id"]]
    assert made["settings"]["top_n"] == 3
    assert made["settings"]["similarity"] == 0.45
    assert made["settings"]["drop"] == 0.15
    path = f"{PATH}/{made['id']}"
    changed = ok(await world.editor.patch(path, json={"settings": {"similarity": 0.6}, "description": ""}))
    assert changed["settings"]["top_n"] == 3
    assert changed["settings"]["similarity"] == 0.6
    assert changed["description"] == ""
    assert changed["name"] == made["name"]
    assert ok(await world.viewer.get(path)) == changed
    assert made["id"] in [item["id"] for item in ok(await world.viewer.get(PATH))["items"]]
    assert (await world.editor.delete(path)).status_code == 204
    problem(await world.viewer.get(path), 404, "application-not-found")


async def test_what_does_not_fit_together_is_refused(world: World, base: dict[str, Any]) -> None:
    taken = await make(world)

    async def refused(status: int, code: str, **body: Any) -> Any:
        sent = {"name": world.new_name("app"), **body}
        return problem(await world.editor.post(PATH, json=sent), status, code)

    await refused(409, "application-name-taken", name=taken["name"])
    await refused(422, "application-bases-unknown", knowledge_base_ids=[str(uuid4())])
    await refused(422, "application-model-unsuitable", model_id=str(uuid4()))
    embedding = next(
        item for item in ok(await world.owner.get("/api/v1/models"))["items"] if item["kind"] == "EMBEDDING"
    )
    await refused(422, "application-model-unsuitable", model_id=embedding["id"])
    incomplete = await refused(422, "prompt-incomplete", prompts={"answer": "Answer {question}"})
    assert incomplete["details"]["missing"] == ["{data}"]
    for settings in (
        {"top_n": 0},
        {"top_n": 51},
        {"similarity": 1.1},
        {"similarity": -0.1},
        {"mode": "magic"},
        {"max_context_chars": 1},
        {"no_such_setting": 1},
    ):
        await refused(422, "invalid", settings=settings)
    too_many = {"settings": {"top_n": 99}}
    problem(await world.editor.patch(f"{PATH}/{taken['id']}", json=too_many), 422, "invalid")
    other = await make(world)
    problem(
        await world.editor.patch(f"{PATH}/{other['id']}", json={"name": taken["name"]}),
        409,
        "application-name-taken",
    )


async def test_a_run_follows_the_applications_settings(world: World, base: dict[str, Any]) -> None:
    application = await make(
        world,
        knowledge_base_ids=[base["id"]],
        prompts={"system": "You are Ada.", "answer": "DATA {data} QUESTION {question}"},
        settings={"empty_reply": "Ask the front desk.", "temperature": 0.1, "history_turns": 0},
    )
    async with scripted_model() as model, connected(world, model.base_url):
        model.then(script.answer("Hold the reset button [1]."))
        run = await answered(world.viewer, question=QUESTION, application_id=application["id"])
        nothing = await answered(
            world.viewer, question="Which wine goes with salmon?", application_id=application["id"]
        )
        sent = model.requests[0].body
    assert run["application_id"] == application["id"]
    assert sent["temperature"] == 0.1
    assert sent["messages"][0]["content"].startswith("You are Ada.")
    assert sent["messages"][-1]["content"].startswith('DATA <source n="1"')
    assert sent["messages"][-1]["content"].endswith(f"QUESTION {QUESTION}")
    assert nothing["answer"] == "Ask the front desk."
    assert len(model.requests) == 1


async def test_a_conversation_stays_with_its_application(world: World, base: dict[str, Any]) -> None:
    application = await make(world, knowledge_base_ids=[base["id"]])
    first = await answered(world.viewer, question=QUESTION, application_id=application["id"])
    second = await answered(world.viewer, question=QUESTION, conversation_id=first["conversation_id"])
    assert second["application_id"] == application["id"]


class Northwards(HybridSearch):
    """A strategy as another package would bring it."""

    name: ClassVar[str] = "northwards"
    descriptions: ClassVar[Mapping[str, str]] = {"en": "Looks north."}

    def fits(self, question: str) -> bool:
        return False


@pytest.fixture
def northwards() -> Iterator[str]:
    before = dict(_strategies)
    register(Northwards())
    yield Northwards.name
    _strategies.clear()
    _strategies.update(before)


async def test_a_strategy_of_another_package_is_listed_and_chosen(
    world: World, base: dict[str, Any], northwards: str
) -> None:
    listed = {item["name"]: item for item in ok(await world.viewer.get("/api/v1/strategies"))["items"]}
    assert listed[northwards] == {
        "name": northwards,
        "is_built_in": False,
        "descriptions": {"en": "Looks north."},
    }
    assert listed["auto"]["is_built_in"]
    made = await make(world, settings={"strategy": northwards})
    assert ok(await world.viewer.get(f"{PATH}/{made['id']}"))["settings"]["strategy"] == northwards
    asked = {"query": QUESTION, "knowledge_base_ids": [base["id"]], "strategy": northwards}
    assert ok(await world.viewer.post("/api/v1/hit-test", json=asked))["strategy"] == northwards


async def test_a_strategy_that_is_not_there_is_refused_everywhere_with_those_that_are(
    world: World, base: dict[str, Any]
) -> None:
    wrong = {"strategy": "clairvoyance"}
    application = await make(world)
    named = {"name": world.new_name("app"), "settings": wrong}
    asked = {"query": QUESTION, "knowledge_base_ids": [base["id"]], **wrong}
    questions = {"questions": [{"question": QUESTION, "documents": []}]}
    for refused in (
        await world.editor.post(PATH, json=named),
        await world.editor.patch(f"{PATH}/{application['id']}", json={"settings": wrong}),
        await world.viewer.post("/api/v1/hit-test", json=asked),
        await world.viewer.post(
            "/api/v1/hit-test/batch", json={"knowledge_base_ids": [base["id"]], **questions, **wrong}
        ),
    ):
        told = problem(refused, 422, "unknown-strategy")
        assert told["details"]["strategies"] == ["hybrid-search", "auto", "entity-focused", "time-aware"]
        assert "time-aware" in told["hint"]
