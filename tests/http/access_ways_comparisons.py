"""The ways through comparisons: of everybody who may make one, and those they made before things changed."""

import random
from collections.abc import AsyncIterator
from typing import Any

from tests.http.access_play import API, COMMON, Play
from tests.http.access_ways import SET, Told, way
from tests.http.world import ok

from refdesk.chat import RunManager
from refdesk.evaluation.comparing import compare_test_set
from refdesk.jobs import JobContext

COMPARISON = f"{API}/comparisons/{{comparison_id}}"


@way(
    f"POST {SET}/comparisons",
    f"GET {SET}/comparisons",
    f"GET {COMPARISON}",
    f"GET {COMPARISON}/answers",
    f"POST {COMPARISON}/cancel",
)
async def comparisons(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    """A set that the owner made, with every document expected, asked by a model that repeats its prompt."""
    client, former = play.clients[caller], f"comparison of {caller}"
    if former in play.things:
        yield Told("former answers", (await client.get(f"{play.things[former]}/answers")).text)
    body: dict[str, Any] = {
        "name": play.world.new_name("set"),
        "knowledge_base_ids": [play.base_id],
        "questions": [{"question": COMMON, "documents": [one.id for one in play.documents]}],
    }
    path = f"{API}/test-sets/{ok(await play.world.owner.post(f'{API}/test-sets', json=body))['id']}"
    variants = [
        {"name": "quoted", "answering": "quoting", "similarity": 0, "top_n": 50},
        {"name": "echo", "application_id": play.things["application"]},
    ]
    made = await client.post(f"{path}/comparisons", json={"variants": variants})
    yield Told("new comparison", made.text)
    if not made.is_success:
        return
    runs: RunManager = play.world.app.state.runs
    context = JobContext(play.world.app.state.settings, play.world.database, {RunManager: runs})
    await compare_test_set(context, str(play.world.workspace_id), made.json()["id"])
    one = f"{API}/comparisons/{made.json()['id']}"
    play.things[former] = one
    shown = await client.get(one)
    assert shown.json()["state"] == "finished", shown.text
    answers = await client.get(f"{one}/answers")
    yield Told("answers", answers.text, whole=True, total=(answers.json()["total"], 1))
    for told in (shown, await client.get(f"{path}/comparisons"), await client.post(f"{one}/cancel")):
        yield Told("comparison", told.text)
    for other in ("owner", "editor"):
        answers = await play.clients[other].get(f"{one}/answers")
        assert answers.is_success == (other == caller), f"{other} reads the answers of {caller}"
