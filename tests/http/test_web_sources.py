"""Adding web sites: the address is judged at once, and one site is read by one source."""

import pytest
from tests.http.access_knowledge import base_of
from tests.http.world import World, ok, problem

API = "/api/v1"
SITE = "https://site.example/docs/"


async def _path(world: World) -> str:
    return f"{API}/knowledge-bases/{await base_of(world, world.editor)}/sources"


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:18777/", "http://localhost/", "http://10.1.2.3/", "http://169.254.169.254/"]
)
async def test_an_address_that_may_not_be_reached_is_refused_when_the_source_is_made(
    world: World, address: str
) -> None:
    path = await _path(world)
    body = {"kind": "website", "config": {"url": address}}
    refused = problem(await world.editor.post(path, json=body), 422, "address-refused")
    assert "REFDESK_CRAWL_PRIVATE_ADDRESSES" in refused["hint"]
    assert ok(await world.editor.get(path))["total"] == 0


async def test_an_address_that_may_not_be_reached_is_refused_when_a_source_is_changed(world: World) -> None:
    path = await _path(world)
    made = ok(await world.editor.post(path, json={"kind": "website", "config": {"url": SITE}}))
    changed = {"config": {"url": "http://127.0.0.1/"}}
    problem(await world.editor.patch(f"{API}/sources/{made['id']}", json=changed), 422, "address-refused")
    assert ok(await world.editor.get(f"{API}/sources/{made['id']}"))["config"]["url"] == SITE


async def test_a_second_source_of_one_address_is_refused_and_names_the_first(world: World) -> None:
    path = await _path(world)
    made = ok(await world.editor.post(path, json={"kind": "website", "config": {"url": SITE}}))
    again = {"kind": "website", "config": {"url": "https://SITE.example/docs/#top", "depth": 2}}
    refused = problem(await world.editor.post(path, json=again), 409, "source-exists")
    assert refused["details"]["source_id"] == made["id"]
    wider = {"kind": "website", "config": {"url": SITE, "scope": "host"}}
    other = ok(await world.editor.post(path, json=wider))
    narrowed = {"config": {"url": SITE, "scope": "path"}}
    problem(await world.editor.patch(f"{API}/sources/{other['id']}", json=narrowed), 409, "source-exists")
    same = {"config": {"url": SITE, "depth": 3}}
    assert ok(await world.editor.patch(f"{API}/sources/{made['id']}", json=same))["config"]["depth"] == 3
    ok(await world.editor.post(await _path(world), json={"kind": "website", "config": {"url": SITE}}))
