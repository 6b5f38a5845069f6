"""The ways through the knowledge graph of the play's base.

Each document tells two relations by rules: its word's interval, a value of its own, and that its word depends
on the `HUB` of all. So of `n` documents there are `2 n` relations in `2 n` paragraphs, and the hub.
"""

import json
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx
from tests.http.access_graph import run_build
from tests.http.access_play import HUB, Play, nowhere_like
from tests.http.access_ways import BASE, Told, counted, way, without_ids
from tests.http.world import ok

from refdesk.knowledge.graph.keys import entity_id, entity_key

GRAPH = f"{BASE}/graph"


@way(f"GET {GRAPH}", f"GET {GRAPH}/entities", f"GET {GRAPH}/overview")
async def graph(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    client, path, shown = play.clients[caller], f"{play.base}/graph", len(play.shown(caller))
    hubs = min(shown, 1)
    view = await client.get(path)
    yield Told("graph", view.text)
    if view.is_success:
        expected = {"relations": 2 * shown, "paragraphs": 2 * shown, "entities": 2 * shown + hubs}
        for name, number in expected.items():
            yield Told(f"{name} of the graph", "", total=(view.json()[name], number))
        if not _sees_whole(play, caller):
            assert view.json()["progress_total"] in (0, 100), f"{caller} is told how much was read"
    listed = await client.get(f"{path}/entities", params={"limit": 100})
    yield Told("entities", listed.text, whole=True, total=counted(listed, shown + hubs))
    found = await client.get(f"{path}/entities", params={"limit": 100, "q": "canary"})
    yield Told("search of entities", found.text, whole=True, total=counted(found, shown))
    values = await client.get(f"{path}/entities", params={"limit": 100, "q": "months", "values": "true"})
    yield Told("search of values", values.text, total=counted(values, shown))
    yield Told("overview", (await client.get(f"{path}/overview", params={"limit": 400})).text, whole=True)


@way(f"GET {GRAPH}/entities/{{entity_id}}")
async def entity(play: Play, caller: str, rng: random.Random) -> AsyncIterator[Told]:
    async def around(name: str, hops: int) -> httpx.Response:
        path = f"{play.base}/graph/entities/{entity_id(entity_key(name))}"
        return await play.clients[caller].get(path, params={"hops": hops, "limit": 400})

    shown = play.shown(caller)
    hub = await around(HUB, 1)
    yield Told("the hub of the graph", hub.text, whole=bool(shown))
    if hub.is_success:
        edges = [edge["told"] for edge in hub.json()["edges"]]
        yield Told("relations of the hub", "", total=(sum(edges), len(shown)))
    for one in shown[:1]:
        yield Told("two steps around an entity", (await around(one.word, 2)).text, whole=True)
    hidden = play.hidden(caller)
    for one in rng.sample(hidden, min(2, len(hidden))):
        nowhere = nowhere_like(one.word)
        known = without_ids(await around(nowhere, 1), str(entity_id(entity_key(nowhere))))
        told = without_ids(await around(one.word, 1), str(entity_id(entity_key(one.word))))
        assert told == known, f"{caller} can tell that {one.word} is in the graph"


@way(f"POST {GRAPH}/paths")
async def paths(play: Play, caller: str, rng: random.Random) -> AsyncIterator[Told]:
    async def asked(**body: Any) -> httpx.Response:
        return await play.clients[caller].post(f"{play.base}/graph/paths", json={"limit": 50, **body})

    shown, hidden = play.shown(caller), play.hidden(caller)
    yield Told("paths from the hub", (await asked(entities=[HUB])).text, whole=bool(shown))
    question = await asked(question=f"What depends on the {HUB}?", max_hops=4)
    yield Told("paths of a question", question.text, whole=bool(shown))
    if len(shown) > 1:
        first, second = rng.sample(shown, 2)
        between = await asked(entities=[first.word, second.word])
        assert len(between.json()["paths"]) == 1, between.text
        yield Told("paths between two", between.text)
    for one in rng.sample(hidden, min(2, len(hidden))):
        beside = [document.word for document in shown[:1]] or [HUB]
        for named in ({"entities": [one.word, *beside]}, {"question": f"{one.word} and {beside[0]}"}):
            nowhere = nowhere_like(one.word)
            body = {key: _with(value, one.word, nowhere) for key, value in named.items()}
            known, told = await asked(**body), await asked(**named)
            assert without_ids(told, one.word) == without_ids(known, nowhere), (
                f"{caller} can tell that {one.word} is in the graph"
            )
            yield Told("paths from what is hidden", told.text)


@way(f"GET {GRAPH}/estimate", f"POST {GRAPH}/build", f"POST {GRAPH}/cancel")
async def building(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    """What takes in the whole base is for whom nothing of it is hidden; that the owner builds others see."""
    client, owner, path = play.clients[caller], play.world.owner, f"{play.base}/graph"
    sees_whole = _sees_whole(play, caller)
    estimate = await client.get(f"{path}/estimate")
    assert sees_whole or not estimate.is_success, f"{caller} is told how much is to be read"
    left = (estimate.json()["paragraphs"], 0) if estimate.is_success else None
    yield Told("estimate of the graph", estimate.text, total=left)
    started = await client.post(f"{path}/build", json={"method": "rules"})
    assert sees_whole or not started.is_success, f"{caller} builds of what is hidden"
    yield Told("build of the graph", started.text)
    if not started.is_success:
        ok(await owner.post(f"{path}/build", json={"method": "rules"}))
    yield Told("graph that waits", (await client.get(path)).text)
    cancelled = await client.post(f"{path}/cancel")
    yield Told("graph that was stopped", cancelled.text)
    if cancelled.is_success:
        ok(await owner.post(f"{path}/build", json={"method": "rules"}))
    await run_build(play.world, play.base_id)
    ready = await client.get(path)
    yield Told("graph that was built again", ready.text)
    if ready.is_success:
        assert ready.json()["state"] == "ready", ready.text


def _sees_whole(play: Play, caller: str) -> bool:
    return all(play.may_see(caller, one) for one in (*play.documents, *play.previews))


def _with(value: Any, word: str, other: str) -> Any:
    """A name or names, with another one in the place of a word."""
    return json.loads(json.dumps(value).replace(word, other))
