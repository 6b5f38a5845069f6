"""Models as YAML over HTTP: out, checked, in, edited; what a person reads when it cannot be."""

from typing import Any
from uuid import UUID

from tests.http.access_descriptors import DESCRIBED
from tests.http.world import World, ok, problem

from refdesk.gateway.tables import Model
from refdesk.testing.scripted_model import body, scripted_model

API = "/api/v1"
FILES = f"{API}/model-descriptors"


async def connect(world: World, **more: Any) -> dict[str, Any]:
    draft = {
        "kind": "LLM",
        "name": world.new_name("model"),
        "model_name": "scripted",
        "base_url": "http://127.0.0.1:9/v1",
        "api_key": "sk-hidden-12345",
    }
    made: dict[str, Any] = ok(await world.owner.post(f"{API}/models", json=draft | more))
    return made


async def yaml_of(world: World, model: dict[str, Any]) -> str:
    return str(ok(await world.owner.get(f"{API}/models/{model['id']}/descriptor"))["yaml"])


async def taken_in(world: World, text: str, *, replace: bool = False) -> list[dict[str, Any]]:
    done = ok(await world.owner.post(FILES, json={"yaml": text, "replace": replace}))
    models: list[dict[str, Any]] = done["models"]
    return models


async def stored(world: World, name: str) -> Model:
    [found] = [m for m in ok(await world.owner.get(f"{API}/models"))["items"] if m["name"] == name]
    async with world.database.transaction() as session:
        return await session.get_one(Model, UUID(found["id"]))


async def test_models_go_out_without_their_keys_and_come_back_unchanged(world: World) -> None:
    model = await connect(world, parameters={"temperature": 0.3, "extra_body": {"seed": 7}})
    answer = await world.owner.get(FILES, params={"model_id": model["name"]})
    assert answer.headers["content-type"] == "application/yaml; charset=utf-8"
    text = answer.text
    assert "sk-hidden" not in text
    assert "credential: entered" in text
    assert "temperature: 0.3" in text
    assert [one["action"] for one in await taken_in(world, text)] == ["unchanged"]
    assert model["name"] in (await world.viewer.get(FILES)).text
    assert "multilingual-e5-small" not in (await world.viewer.get(FILES)).text
    problem(await world.owner.get(FILES, params={"model_id": "nobody"}), 404, "unknown-model")


async def test_a_check_tells_what_would_be_done_and_does_nothing(world: World) -> None:
    name = world.new_name("described")
    text = DESCRIBED.format(name=name)
    [planned] = ok(await world.owner.post(f"{FILES}/check", json={"yaml": text}))["models"]
    assert (planned["action"], planned["needs_key"]) == ("create", False)
    assert name not in {one["name"] for one in ok(await world.owner.get(f"{API}/models"))["items"]}
    await taken_in(world, text)
    row = await stored(world, name)
    assert (row.version, row.kind, row.capabilities["max_context_length"]) == ("1", "LLM", 8192)
    assert row.input_schema == {"type": "object"}


async def test_a_model_id_that_is_there_is_a_duplicate_unless_it_may_be_replaced(world: World) -> None:
    """X50: the message tells which model, and what differs."""
    name = world.new_name("described")
    text = DESCRIBED.format(name=name)
    await taken_in(world, text)
    changed = text.replace('version: "1"', 'version: "2"').replace("8192", "4096")
    refused = await world.owner.post(FILES, json={"yaml": changed})
    told = problem(refused, 422, "descriptor-invalid")
    assert told["title"].startswith(
        f"{name}, line 1: model_id: {name} is there already and differs in version"
    )
    assert (await stored(world, name)).version == "1"
    [planned] = await taken_in(world, changed, replace=True)
    fields = {change["field"]: (change["before"], change["after"]) for change in planned["changes"]}
    assert fields["version"] == ("1", "2")
    assert fields["capabilities"][1]["max_context_length"] == 4096
    assert (await stored(world, name)).version == "2"
    events = ok(await world.owner.get(f"{API}/audit"))["items"]
    told = next(one for one in events if one["action"] == "model.describe")
    assert {"field": "version", "before": "1", "after": "2"} in told["details"]["changes"]


async def test_a_file_with_one_fault_changes_nothing(world: World) -> None:
    good, bad = world.new_name("described"), world.new_name("described")
    text = DESCRIBED.format(name=good) + "---\n" + DESCRIBED.format(name=bad).replace("version", "verison")
    told = problem(await world.owner.post(FILES, json={"yaml": text}), 422, "descriptor-invalid")
    fields = [(one["document"], one["field"], one["message"]) for one in told["details"]["problems"]]
    assert fields == [
        (2, "version", "is missing"),
        (2, "verison", "is not a field of model descriptors"),
    ]
    names = {one["name"] for one in ok(await world.owner.get(f"{API}/models"))["items"]}
    assert good not in names
    problem(
        await world.owner.post(FILES, json={"yaml": "a: [", "replace": True}), 422, "descriptor-unreadable"
    )


async def test_policies_and_keys_are_named_and_must_be_there(world: World) -> None:
    keyed = await connect(world)
    name = world.new_name("described")
    text = DESCRIBED.format(name=name)

    async def refused(added: str, base: str = text) -> str:
        answer = await world.owner.post(FILES, json={"yaml": base + added})
        return str(problem(answer, 422, "descriptor-invalid")["title"])

    assert "there is no fallback policy nobody" in await refused("fallback_policy_id: nobody\n")
    assert "is not there" in await refused("credential: {same_as: nobody}\n")
    elsewhere = text.replace("127.0.0.1:9", "127.0.0.1:10")
    told = await refused(f"credential: {{same_as: {keyed['name']}}}\n", elsewhere)
    assert "is for openai-compatible at http://127.0.0.1:9/v1 only" in told
    await taken_in(world, f"{text}credential: {{same_as: {keyed['name']}}}\n")
    row, other = await stored(world, name), await stored(world, keyed["name"])
    assert row.credential_hint == other.credential_hint
    cipher = world.app.state.cipher
    assert cipher.open(row.credential, context=row.id.bytes) == "sk-hidden-12345"


async def test_the_editor_changes_one_model_and_a_new_address_loses_its_key(world: World) -> None:
    model = await connect(world)
    text = await yaml_of(world, model)
    path = f"{API}/models/{model['id']}/descriptor"
    moved = text.replace("127.0.0.1:9", "127.0.0.1:10").replace(model["name"], f"{model['name']} b")
    plan = ok(await world.owner.post(f"{path}/check", json={"yaml": moved}))
    assert plan["problems"] == []
    assert [change["field"] for change in plan["models"][0]["changes"]] == ["model_id", "endpoint"]
    assert plan["models"][0]["needs_key"] is True
    ok(await world.owner.put(path, json={"yaml": moved}))
    row = await stored(world, f"{model['name']} b")
    assert (row.credential, row.base_url) == (None, "http://127.0.0.1:10/v1")
    kind = moved.replace("kind: LLM", "kind: TTS")
    [told] = ok(await world.owner.post(f"{path}/check", json={"yaml": kind}))["problems"]
    assert (told["field"], told["line"]) == ("kind", 4)
    broken = moved.replace("type: object", "type: objct", 1)
    [told] = ok(await world.owner.post(f"{path}/check", json={"yaml": broken}))["problems"]
    assert (told["field"], told["message"][:5]) == ("input_schema", "type:")


async def test_an_embedding_model_comes_with_what_was_measured_or_is_measured(world: World) -> None:
    async with scripted_model() as server:
        text = DESCRIBED.replace("127.0.0.1:9/v1", server.base_url.removeprefix("http://"))
        name = world.new_name("described")
        [planned] = await taken_in(world, f"{text.format(name=name)}kind: EMBEDDING\n")
        assert planned["calls_vendor"] is True
        row = await stored(world, name)
        assert row.dimensions == 64
        exported = await yaml_of(world, {"id": row.id})
        asked = len(server.requests)
        copy = exported.replace(f"model_id: {name}", f"model_id: {name} copy")
        [planned] = await taken_in(world, copy)
        assert (planned["calls_vendor"], len(server.requests)) == (False, asked)
        assert (await stored(world, f"{name} copy")).calibration == row.calibration
        other = exported.replace("model_name: ", "model_name: x")
        told = ok(await world.owner.post(f"{FILES}/check", json={"yaml": other, "replace": True}))["problems"]
        assert told[0]["field"] == "model_name"


async def test_the_wizard_fills_a_descriptor_from_the_vendors_list(world: World) -> None:
    async with scripted_model() as server:
        told = {
            "id": "big-1",
            "context_length": 131_072,
            "top_provider": {"max_completion_tokens": 4096},
            "supported_parameters": ["temperature", "structured_outputs"],
            "architecture": {"input_modalities": ["text", "image"]},
        }
        server.always(body({"data": [told]}))
        asked = {"base_url": server.base_url, "model_name": "big-1", "name": world.new_name("wizard")}
        text = ok(await world.owner.post(f"{FILES}/draft", json=asked))["yaml"]
        assert "max_context_length: 131072" in text
        assert "tool_calling_supported: false" in text
        assert "supports_images: true" in text
        assert "max_output_tokens: 4096" in text
        [planned] = ok(await world.owner.post(f"{FILES}/check", json={"yaml": text}))["models"]
        assert (planned["action"], planned["notes"]) == ("create", [])
