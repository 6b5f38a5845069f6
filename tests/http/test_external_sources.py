"""External sources over HTTP: changing them, trying settings unsaved, and where a credential may go."""

from typing import Any

import pytest
from tests.http.world import World, ok

from refdesk.retrieval.external import KINDS

API = "/api/v1/external-sources"
ADDRESS = {"url": "http://127.0.0.1:9/search"}


async def connected(world: World, **more: Any) -> dict[str, Any]:
    draft = {"name": world.new_name("source"), "kind": "http", "config": ADDRESS, **more}
    return ok(await world.owner.post(API, json=draft))


async def test_what_is_left_out_stays(world: World) -> None:
    source = await connected(world, credential="s3cret", timeout_s=7)
    one = f"{API}/{source['id']}"
    renamed = ok(await world.owner.patch(one, json={"name": f"{source['name']} 2"}))
    assert renamed == source | {"name": f"{source['name']} 2"}
    config = {**ADDRESS, "method": "GET", "params": {"q": "{query}"}}
    changed = ok(await world.owner.patch(one, json={"config": config, "timeout_s": 3}))
    assert (changed["config"]["method"], changed["timeout_s"], changed["has_credential"]) == ("GET", 3, True)
    assert "s3cret" not in str(changed)


async def test_a_credential_does_not_follow_to_another_address(world: World) -> None:
    source = await connected(world, credential="s3cret")
    one, elsewhere = f"{API}/{source['id']}", {"url": "http://127.0.0.1:10/steal"}
    refused = await world.owner.patch(one, json={"config": elsewhere})
    assert (refused.status_code, refused.json()["code"]) == (422, "source-credential-needed")
    draft = {"name": "x", "kind": "http", "config": elsewhere, "source_id": source["id"]}
    tried = await world.owner.post(f"{API}/check", json=draft)
    assert tried.json()["code"] == "source-credential-needed"
    tried = await world.owner.post(f"{API}/check", json=draft | {"kind": "milvus", "config": {
        "uri": "http://127.0.0.1:9/search", "collection": "c"}})  # fmt: skip
    assert tried.json()["code"] == "source-credential-needed"
    assert ok(await world.owner.get(one))["config"]["url"] == ADDRESS["url"]
    moved = ok(await world.owner.patch(one, json={"config": elsewhere, "credential": "other"}))
    assert (moved["config"]["url"], moved["has_credential"]) == (elsewhere["url"], True)
    assert not ok(await world.owner.patch(one, json={"credential": None}))["has_credential"]


async def test_the_last_check_is_of_the_present_settings(world: World) -> None:
    source = await connected(world)
    one = f"{API}/{source['id']}"
    checked = ok(await world.owner.post(f"{one}/check"))
    assert (checked["ok"], checked["code"]) == (False, "source-unreachable")
    kept = ok(await world.owner.get(one))["last_check"]
    assert kept.pop("at")
    assert kept == checked
    assert ok(await world.owner.patch(one, json={"name": f"{source['name']} b"}))["last_check"] is not None
    assert ok(await world.owner.patch(one, json={"timeout_s": 2}))["last_check"] is None


async def test_settings_are_tried_without_being_saved(world: World) -> None:
    before = ok(await world.owner.get(API))["total"]
    draft = {"name": "tried", "kind": "http", "config": ADDRESS}
    assert ok(await world.owner.post(f"{API}/check", json=draft))["code"] == "source-unreachable"
    wrong = await world.owner.post(f"{API}/check", json=draft | {"config": {"url": "ftp://x"}})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "source-config-invalid")
    assert [each["field"] for each in wrong.json()["details"]["fields"]] == ["url"]
    assert ok(await world.owner.get(API))["total"] == before


@pytest.mark.parametrize("body", [{"name": None}, {"config": None}, {"timeout_s": None}, {"kind": "http"}])
async def test_what_cannot_be_changed_is_refused(world: World, body: dict[str, Any]) -> None:
    source = await connected(world)
    assert (await world.owner.patch(f"{API}/{source['id']}", json=body)).status_code == 422


async def test_a_name_that_is_taken_is_refused(world: World) -> None:
    first, second = await connected(world), await connected(world)
    refused = await world.owner.patch(f"{API}/{second['id']}", json={"name": first["name"]})
    assert (refused.status_code, refused.json()["code"]) == (409, "external-source-exists")


async def test_the_kinds_tell_what_they_need(world: World) -> None:
    kinds = {kind["kind"]: kind for kind in ok(await world.owner.get(f"{API}/kinds"))["items"]}
    assert tuple(kinds) == KINDS
    assert kinds["http"] == {
        "kind": "http",
        "is_installed": True,
        "install": None,
        "needs_embedder": False,
    }
    assert kinds["milvus"]["install"] == "pip install 'refdesk[milvus]'"
    assert [kind for kind in kinds if kinds[kind]["needs_embedder"]] == ["chroma", "milvus", "weaviate"]
