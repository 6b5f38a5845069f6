"""Questions with pictures: kept, seen by the model, searched by what they show, and nobody else's."""

from typing import Any

import pytest
from tests.http.asking import RESET, answered, connected, make_base
from tests.http.world import World, ok, problem

from refdesk.testing.scripted_media import PICTURE
from refdesk.testing.scripted_model import answer, scripted_model

API = "/api/v1"
PICTURES = f"{API}/question-pictures"


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET)


async def kept(world: World) -> str:
    made = await world.owner.post(PICTURES, content=PICTURE, headers={"Content-Type": "image/png"})
    return str(ok(made)["id"])


async def test_the_model_sees_the_picture_and_its_words_are_searched(
    world: World, base: dict[str, Any]
) -> None:
    async with scripted_model() as server, connected(world, server.base_url, "gpt-4o-mini"):
        server.then(answer("How do I reset the router to factory settings?"))
        server.then(answer("Hold the reset button for 10 seconds [1]."))
        picture = await kept(world)
        run = await answered(
            world.owner,
            question="What do I do with this?",
            knowledge_base_ids=[base["id"]],
            picture_ids=[picture],
        )
        assert (run["state"], run["error"]) == ("finished", None)
        assert run["standalone_question"] == "How do I reset the router to factory settings?"
        assert run["picture_ids"] == [picture]
        assert [citation["n"] for citation in run["citations"]] == [1]
        for request in server.requests[-2:]:
            assert "data:image/png;base64," in str(request.body["messages"][-1])
        thread = ok(await world.owner.get(f"{API}/conversations/{run['conversation_id']}"))
        assert thread["runs"][0]["picture_ids"] == [picture]

        server.then(answer("How do I reset the router to factory settings?"))
        server.then(answer("Ten seconds [1]."))
        again = await answered(world.owner, retry_of=run["id"])
        assert again["picture_ids"] == [picture]
        assert "data:image/png" in str(server.requests[-1].body["messages"][-1])


async def test_a_picture_is_shown_to_whoever_asked_and_goes_with_the_conversation(
    world: World, base: dict[str, Any]
) -> None:
    picture = await kept(world)
    shown = await world.owner.get(f"{PICTURES}/{picture}")
    assert (shown.status_code, shown.content) == (200, PICTURE)
    assert shown.headers["content-type"] == "image/png"
    problem(await world.editor.get(f"{PICTURES}/{picture}"), 404, "picture-not-found")
    body = {"question": "And this?", "knowledge_base_ids": [base["id"]], "picture_ids": [picture]}
    problem(await world.editor.post(f"{API}/runs", json=body), 404, "picture-not-found")
    run = await answered(world.owner, **body)
    assert "picture-not-seen" in {warning["code"] for warning in run["warnings"]}
    problem(await world.owner.post(f"{API}/runs", json=body), 404, "picture-not-found")
    ok(await world.owner.delete(f"{API}/conversations/{run['conversation_id']}"))
    problem(await world.owner.get(f"{PICTURES}/{picture}"), 404, "picture-not-found")


async def test_what_is_no_picture_is_refused(world: World, base: dict[str, Any]) -> None:
    problem(await world.owner.post(PICTURES, content=b"<svg/>"), 422, "image-not-understood")
    huge = PICTURE + b"\0" * (10 * 1024 * 1024)
    problem(await world.owner.post(PICTURES, content=huge), 413, "question-picture-too-large")
    five = [await kept(world) for _ in range(5)]
    body = {"question": "And these?", "knowledge_base_ids": [base["id"]], "picture_ids": five}
    problem(await world.owner.post(f"{API}/runs", json=body), 422, "invalid")


async def test_a_model_that_sees_nothing_says_so(world: World, base: dict[str, Any]) -> None:
    async with scripted_model() as server, connected(world, server.base_url, "blind-chat"):
        run = await answered(
            world.owner,
            question="How do I reset the router to factory settings?",
            knowledge_base_ids=[base["id"]],
            picture_ids=[await kept(world)],
        )
        assert run["state"] == "failed"
        assert "image" in run["error"]["message"].lower()
        assert server.requests == []
