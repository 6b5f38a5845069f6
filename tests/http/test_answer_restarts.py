"""An answer that breaks off after its first words: begun anew where the application allows it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.http.asking import QUESTION, RESET, answered, connected, events_of, make_base
from tests.http.test_apps_applications import make
from tests.http.world import World, ok

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import ScriptedModel, scripted_model

WORDS = "Hold the reset button [1] for a very long"
ANEW = "Hold the reset button for 10 seconds [1]."


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET)


@pytest.fixture
async def primary() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server:
        yield server


@pytest.fixture
async def model_id(world: World, primary: ScriptedModel) -> AsyncIterator[str]:
    """A model whose policy asks it once more, and then another."""
    async with scripted_model() as backup, connected(world, backup.base_url) as other:
        backup.always(script.answer(ANEW))
        async with connected(world, primary.base_url) as made:
            rules = [{"condition": "true", "action": "switch_to_model", "target_model_id": other}]
            body = {"policy_id": world.new_name("policy"), "rules": rules}
            policy = ok(await world.owner.post("/api/v1/fallback-policies", json=body))
            path = f"/api/v1/models/{made}"
            ok(await world.owner.patch(path, json={"fallback_policy_id": policy["id"]}))
            yield made
            ok(await world.owner.patch(path, json={"fallback_policy_id": None}))
            ok(await world.owner.delete(f"/api/v1/fallback-policies/{policy['id']}"))


def breaking(after: int) -> script.Reply:
    """An answer whose connection is cut after so many tokens."""
    tokens = [script.delta(word + " ") for word in WORDS.split()[:after]]
    return script.events(tokens, break_off=True)


async def asked(world: World, base: dict[str, Any], model_id: str, **settings: Any) -> dict[str, Any]:
    application = await make(
        world, knowledge_base_ids=[base["id"]], model_id=model_id, settings={"drop": None, **settings}
    )
    return await answered(world.viewer, question=QUESTION, application_id=application["id"])


@pytest.mark.parametrize("after", [1, 4, 9])
async def test_it_begins_anew_and_holds_nothing_of_the_first(
    world: World, base: dict[str, Any], primary: ScriptedModel, model_id: str, after: int
) -> None:
    primary.always(breaking(after))
    run = await asked(world, base, model_id)
    assert (run["state"], run["answer"]) == ("finished", ANEW)
    assert [warning["code"] for warning in run["warnings"]] == ["restarted", "model-switched"]
    assert [citation["n"] for citation in run["citations"]] == [1]
    assert len(primary.requests) == 1


@pytest.mark.parametrize("after", [1, 4, 9])
async def test_where_the_application_forbids_it_what_was_written_stays_with_the_error(
    world: World, base: dict[str, Any], primary: ScriptedModel, model_id: str, after: int
) -> None:
    primary.always(breaking(after))
    run = await asked(world, base, model_id, restart_answers=False)
    assert (run["state"], run["error"]["code"]) == ("failed", "model-interrupted")
    assert run["answer"].strip() == " ".join(WORDS.split()[:after])
    assert "restarted" not in [warning["code"] for warning in run["warnings"]]


async def test_a_failure_before_the_first_word_switches_all_the_same(
    world: World, base: dict[str, Any], primary: ScriptedModel, model_id: str
) -> None:
    primary.always(script.error(503, "overloaded"))
    run = await asked(world, base, model_id, restart_answers=False)
    assert (run["state"], run["answer"]) == ("finished", ANEW)
    assert [warning["code"] for warning in run["warnings"]] == ["model-switched"]


async def test_an_agent_begins_anew_or_not_as_its_application_says(
    world: World, base: dict[str, Any], primary: ScriptedModel, model_id: str
) -> None:
    primary.always(breaking(9))
    anew = await asked(world, base, model_id, answering="agent")
    assert (anew["state"], "very long" in anew["answer"]) == ("finished", False)
    assert "restarted" in [warning["code"] for warning in anew["warnings"]]
    kept = await asked(world, base, model_id, answering="agent", restart_answers=False)
    assert (kept["state"], kept["error"]["code"]) == ("failed", "model-interrupted")


async def test_whoever_reads_along_is_told_to_take_the_text_back(
    world: World, base: dict[str, Any], primary: ScriptedModel, model_id: str
) -> None:
    primary.always(breaking(4))
    application = await make(world, knowledge_base_ids=[base["id"]], model_id=model_id)
    body = {"question": QUESTION, "application_id": application["id"]}
    run = ok(await world.viewer.post("/api/v1/runs", json=body))
    told = [
        event for event in await events_of(world.viewer, run["id"]) if event.name in ("delta", "snapshot")
    ]
    at = max(place for place, event in enumerate(told) if event.name == "snapshot")
    assert told[at].json()["answer"] == ""
    assert "".join(event.json()["text"] for event in told[at + 1 :]) == ANEW


async def test_the_setting_is_kept_and_is_on_unless_it_is_put_off(world: World, base: dict[str, Any]) -> None:
    made = await make(world, knowledge_base_ids=[base["id"]])
    assert made["settings"]["restart_answers"] is True
    path = f"/api/v1/applications/{made['id']}"
    ok(await world.editor.patch(path, json={"settings": {"restart_answers": False}}))
    assert ok(await world.editor.get(path))["settings"]["restart_answers"] is False
