"""Intents of an application over HTTP: the tree, its files, what a question is taken for, asking back."""

from typing import Any

import pytest
from tests.http.asking import RESET, answered, embed_by_hashing, make_base
from tests.http.world import World, ok, problem

TREE = """
intents:
- code: shop
  name: Shop
  children:
  - code: shop-returns
    name: Returns
    knowledge_bases: [KB]
    examples: [How do I return my headphones, send headphones back, return policy of the shop]
  - code: biz-order-query
    name: 订单查询
    kind: MCP
    tool: order_query
    description: 查询用户的订单状态、物流轨迹、退货进度等实时信息
    examples: [where is my order, order status of 20231, track my parcel]
- code: lease
  name: Lease
  children:
  - code: lease-returns
    name: Returns
    examples: [return my leased car at the end, give the leased car back, return policy of the lease]
- code: greeting
  name: Greeting
  kind: SYSTEM
  reply: Hello! Ask me about orders.
  examples: [hello, good morning, hi there]
"""


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET)


@pytest.fixture(scope="module")
async def tree(world: World, base: dict[str, Any]) -> str:
    """The address of the intents of an application that has some."""
    embed_by_hashing(world)
    made = ok(
        await world.editor.post(
            "/api/v1/applications",
            json={"name": world.new_name("shop"), "knowledge_base_ids": [base["id"]]},
        )
    )
    path = f"/api/v1/applications/{made['id']}/intents"
    body = {
        "content": TREE.replace("[KB]", f"[{base['name']}]"),
        "format": "yaml",
        "tools": {"order_query": "mcp:7:order_query"},
    }
    taken = ok(await world.editor.post(f"{path}/import", json=body))
    assert (taken["created"], taken["examples"], taken["warnings"]) == (6, 12, [])
    return path


async def test_a_tree_survives_its_export(world: World, tree: str, base: dict[str, Any]) -> None:
    exported = (await world.viewer.get(f"{tree}/export", params={"format": "json"})).text
    before = ok(await world.viewer.get(tree))["items"]
    again = ok(await world.editor.post(f"{tree}/import", json={"content": exported, "replace": True}))
    assert (again["created"], again["updated"], again["deleted"]) == (0, 6, 0)
    assert ok(await world.viewer.get(tree))["items"] == before
    order = next(one for one in before if one["code"] == "biz-order-query")
    assert (order["level"], order["kind"], order["tool_id"]) == ("category", 2, "mcp:7:order_query")
    assert before[1]["knowledge_base_ids"] == [base["id"]]


async def test_examples_come_and_go_as_csv(world: World, tree: str) -> None:
    added = "code,example\ngreeting,good evening\ngreeting,hello\n"
    taken = ok(await world.editor.post(f"{tree}/import", json={"content": added, "format": "csv"}))
    assert taken["examples"] == 1
    text = (await world.viewer.get(f"{tree}/export", params={"format": "csv"})).text
    assert "greeting,Greeting,good evening" in text
    wrong = {"content": "code,example\nnone,hello\n", "format": "csv"}
    refused = problem(await world.editor.post(f"{tree}/import", json=wrong), 422, "intent-file-invalid")
    assert refused["details"]["places"] == ["line 2: unknown code none"]
    # Python's reader of CSV gives up on a cell of more than 131,072 characters.
    huge = {"content": f"code,example\ngreeting,{'x' * 200_000}\n", "format": "csv"}
    problem(await world.editor.post(f"{tree}/import", json=huge), 422, "intent-file-invalid")


async def test_a_file_that_is_refused_changes_nothing(world: World, tree: str) -> None:
    before = ok(await world.viewer.get(tree))
    for content in (
        "intents: [{code: new, name: New}, {code: tool, name: T, kind: MCP}]",
        "intents: [{code: a, name: A, children: [{code: b, name: B, children: [{code: c, name: C, children:"
        " [{code: d, name: D}]}]}]}]",
        "a: &a [1, 1]\nintents: [*a, *a]",
    ):
        response = await world.editor.post(f"{tree}/import", json={"content": content, "format": "yaml"})
        assert response.status_code == 422
    assert ok(await world.viewer.get(tree)) == before


async def test_an_mcp_intent_without_a_tool_is_refused(world: World, tree: str) -> None:
    body = {"code": "x", "name": "X", "kind": 2}
    problem(await world.editor.post(tree, json=body), 422, "intent-tool-missing")
    greeting = await _find(world, tree, "greeting")
    problem(await world.editor.patch(f"{tree}/{greeting}", json={"kind": 2}), 422, "intent-tool-missing")


async def test_an_intent_is_moved_with_those_below_it(world: World, tree: str) -> None:
    shop, lease = await _find(world, tree, "shop"), await _find(world, tree, "lease")
    order = [one["code"] for one in ok(await world.viewer.get(tree))["items"]]
    moved = ok(await world.editor.post(f"{tree}/{lease}/move", json={"before_id": shop}))
    assert [one["code"] for one in moved["items"]][:2] == ["lease", "lease-returns"]
    below = {"parent_id": await _find(world, tree, "shop-returns")}
    problem(await world.editor.post(f"{tree}/{shop}/move", json=below), 422, "intent-place-invalid")
    problem(await world.editor.post(f"{tree}/{lease}/move", json=below), 422, "intent-place-invalid")
    greeting = await _find(world, tree, "greeting")
    ok(await world.editor.post(f"{tree}/{lease}/move", json={"before_id": greeting}))
    assert [one["code"] for one in ok(await world.viewer.get(tree))["items"]] == order


async def test_what_was_deleted_comes_back_whole(world: World, tree: str) -> None:
    before = ok(await world.viewer.get(tree))["items"]
    shop = await _find(world, tree, "shop")
    ok(await world.editor.delete(f"{tree}/{shop}"))
    assert len(ok(await world.viewer.get(tree))["items"]) == 3
    restored = ok(await world.editor.post(f"{tree}/{shop}/restore"))
    assert restored["items"] == before
    problem(await world.editor.post(f"{tree}/{shop}/restore"), 404, "intent-not-found")
    taken = {"code": "greeting", "name": "Again"}
    problem(await world.editor.post(tree, json=taken), 409, "intent-code-taken")


async def test_a_question_can_be_tried(world: World, tree: str) -> None:
    tried = ok(await world.editor.post(f"{tree}/try", json={"question": "where is my order 4711"}))
    assert tried["method"] == "examples"
    assert (tried["scores"][0]["code"], tried["scores"][0]["accepted"]) == ("biz-order-query", True)
    other = ok(await world.editor.post(f"{tree}/try", json={"question": "xylophones ripen overnight"}))
    assert not any(one["accepted"] for one in other["scores"])


async def test_a_greeting_is_answered_without_a_search(world: World, tree: str) -> None:
    run = await answered(world.viewer, question="hello", application_id=tree.split("/")[-2])
    assert run["answer"] == "Hello! Ask me about orders."
    assert "retrieve" not in [stage["name"] for stage in run["stages"]]


async def test_a_name_in_two_domains_is_asked_about_and_a_typed_one_goes_on(world: World, tree: str) -> None:
    application = tree.split("/")[-2]
    asked = await answered(world.viewer, question="return policy", application_id=application)
    form = asked["form"]
    assert form["kind"] == "guidance"
    assert [one["label"] for one in form["options"]] == ["Shop › Returns", "Lease › Returns"]
    assert "1. Shop › Returns" in asked["answer"]
    chosen = await answered(world.viewer, question="1", conversation_id=asked["conversation_id"])
    assert chosen["reply"]["run_id"] == asked["id"]
    assert chosen["reply"]["question"] == "return policy"
    assert chosen["form"] is None
    stages = {stage["name"]: stage["detail"] for stage in chosen["stages"]}
    assert stages["intents"]["method"] == "person"
    assert stages["intents"]["questions"][0]["intents"][0]["code"] == "shop-returns"


async def test_a_form_is_answered_once_and_another_question_withdraws_it(world: World, tree: str) -> None:
    application = tree.split("/")[-2]
    asked = await answered(world.viewer, question="return policy", application_id=application)
    reply = {"option": asked["form"]["options"][1]["value"], "run_id": asked["id"]}
    body = {"conversation_id": asked["conversation_id"], "reply": reply}
    wrong = {**body, "reply": {"option": "none"}}
    problem(await world.viewer.post("/api/v1/runs", json=wrong), 422, "reply-invalid")
    first = await answered(world.viewer, **body)
    assert first["question"] == "Lease › Returns"
    problem(await world.viewer.post("/api/v1/runs", json=body), 409, "form-closed")
    again = await answered(world.viewer, question="return policy", conversation_id=asked["conversation_id"])
    assert again["form"] is not None
    other = await answered(
        world.viewer, question="What is the reset button for?", conversation_id=asked["conversation_id"]
    )
    assert other["reply"] is None
    last = await answered(world.viewer, question="1", conversation_id=asked["conversation_id"])
    assert last["reply"] is None


async def test_a_document_of_which_there_are_two_is_asked_about(world: World) -> None:
    text = "To reset the gateway to factory settings, hold its button for 30 seconds."
    bases = [await make_base(world, RESET), await make_base(world, text)]
    made = ok(
        await world.editor.post(
            "/api/v1/applications",
            json={"name": world.new_name("desk"), "knowledge_base_ids": [base["id"] for base in bases]},
        )
    )
    path = f"/api/v1/applications/{made['id']}/intents"
    ok(await world.editor.post(path, json={"code": "hello", "name": "Hello", "kind": 1, "reply": "Hello!"}))
    question = "How are factory settings reset according to “manual.md”?"
    asked = await answered(world.viewer, question=question, application_id=made["id"])
    labels = [one["label"] for one in asked["form"]["options"]]
    assert sorted(labels) == sorted(f"{base['name']} › manual.md" for base in bases)
    chosen = labels.index(f"{bases[1]['name']} › manual.md")
    body = {"conversation_id": asked["conversation_id"], "question": str(chosen + 1)}
    run = await answered(world.viewer, **body)
    assert {one["knowledge_base_id"] for one in run["citations"]} == {bases[1]["id"]}
    named = await answered(
        world.viewer, question=f"{question} I mean {bases[0]['name']}.", application_id=made["id"]
    )
    assert named["form"] is None


async def _find(world: World, tree: str, code: str) -> str:
    items = ok(await world.viewer.get(tree))["items"]
    return str(next(one["id"] for one in items if one["code"] == code))
