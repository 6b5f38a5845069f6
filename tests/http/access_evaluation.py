"""Rows of the access table: batches of questions, explanations, test sets."""

from typing import Any

import httpx
from tests.http.access_asking import application
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import base_of, document_of
from tests.http.world import World, ok

API = "/api/v1"
SET = f"{API}/test-sets/{{test_set_id}}"


async def _set_of(world: World, client: httpx.AsyncClient) -> Any:
    """A new test set with one question, of the owner of `client`'s workspace, over a new base."""
    base_id = await base_of(world, client)
    body = {
        "name": world.new_name("set"),
        "knowledge_base_ids": [base_id],
        "questions": [{"question": "refund", "expects_nothing": True}],
    }
    return ok(await client.post(f"{API}/test-sets", json=body))


async def explained(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    document_id = await document_of(world, world.owner, base_id)
    return Call(json={"query": "refund", "knowledge_base_ids": [base_id], "document_id": document_id})


async def explained_in_both(world: World, _client: httpx.AsyncClient) -> Call:
    """An own base, and a document of the first workspace."""
    call = await explained(world, world.owner)
    return Call(json=call.json | {"knowledge_base_ids": [await base_of(world, world.stranger)]})


async def batch(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(json={"knowledge_base_ids": [base_id], "questions": [{"question": "refund"}]})


async def batch_in_both(world: World, client: httpx.AsyncClient) -> Call:
    call = await batch(world, client)
    own = await base_of(world, world.stranger)
    return Call(json=call.json | {"knowledge_base_ids": [own, *call.json["knowledge_base_ids"]]})


async def set_shown(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(shows=((await _set_of(world, world.owner))["id"],))


async def new_set(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(json={"name": world.new_name("set"), "knowledge_base_ids": [base_id]})


async def kept_set(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"test_set_id": (await _set_of(world, world.owner))["id"]})


async def renamed_set(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await kept_set(world, client)).path, json={"name": world.new_name("set")})


async def foreign_base_for_own_set(world: World, _client: httpx.AsyncClient) -> Call:
    own = await _set_of(world, world.stranger)
    return Call(
        path={"test_set_id": own["id"]}, json={"knowledge_base_ids": [await base_of(world, world.owner)]}
    )


async def more_questions(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await kept_set(world, client)).path, json={"questions": [{"question": "refund"}]})


async def question_file(world: World, client: httpx.AsyncClient) -> Call:
    path = (await kept_set(world, client)).path
    return Call(path=path, json={"format": "csv", "content": "question\nrefund"})


async def run(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await kept_set(world, client)).path, json={})


async def question(world: World, _client: httpx.AsyncClient) -> Call:
    test_set_id = (await _set_of(world, world.owner))["id"]
    questions = ok(await world.owner.get(f"{API}/test-sets/{test_set_id}/questions"))
    return Call(path={"question_id": questions["items"][0]["id"]})


async def reworded_question(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await question(world, client)).path, json={"question": "return"})


async def _calibrated(world: World, client: httpx.AsyncClient) -> dict[str, Any]:
    """Questions enough to a new base of `client`'s workspace, half of them with an answer."""
    base_id = await base_of(world, client)
    document_id = await document_of(world, client, base_id)
    questions: list[dict[str, Any]] = [
        {"id": f"q{n}", "question": f"refund {n}", "documents": [document_id]} for n in range(50)
    ]
    return {"knowledge_base_ids": [base_id], "questions": questions, "dry_run": True}


async def calibration(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=await _calibrated(world, world.owner))


async def calibration_over_a_foreign_base(world: World, _client: httpx.AsyncClient) -> Call:
    """An own base beside one of the first workspace."""
    body = await _calibrated(world, world.stranger)
    theirs = await base_of(world, world.owner)
    return Call(json=body | {"knowledge_base_ids": [*body["knowledge_base_ids"], theirs]})


VARIANTS = [{"name": "narrow", "answering": "quoting", "top_n": 1}, {"name": "wide", "answering": "quoting"}]


async def new_comparison(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await kept_set(world, client)).path, json={"variants": VARIANTS})


async def comparison_with_a_foreign_application(world: World, client: httpx.AsyncClient) -> Call:
    """An own set, asked of an application of the first workspace."""
    theirs = (await application(world, client)).path["application_id"]
    own = await _set_of(world, world.stranger)
    variants = [VARIANTS[0], {"name": "theirs", "application_id": theirs}]
    return Call(path={"test_set_id": own["id"]}, json={"variants": variants})


async def compared_set(world: World, client: httpx.AsyncClient) -> Call:
    """A set with a comparison that nobody worked on yet: the client's own, where it may make one."""
    editors = (world.clients[role] for role in ("editor", "owner", "administrator"))
    maker = client if client in editors else world.owner
    call = await new_comparison(world, maker)
    path = f"{API}/test-sets/{call.path['test_set_id']}/comparisons"
    made = ok(await maker.post(path, json=call.json))
    return Call(path=call.path, shows=(made["id"],))


async def comparison(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path={"comparison_id": (await compared_set(world, client)).shows[0]})


COMPARISON = f"{API}/comparisons/{{comparison_id}}"

EVALUATION = (
    Row("POST", f"{API}/hit-test/explain", "viewer", explained, 404, key=True, foreign=explained_in_both),
    Row("POST", f"{API}/hit-test/batch", "viewer", batch, 404, key=True, foreign=batch_in_both),
    Row("GET", f"{API}/test-sets", "viewer", set_shown, key=True),
    Row("POST", f"{API}/test-sets", "editor", new_set, 404),
    Row("GET", SET, "viewer", kept_set, 404, key=True),
    Row("PATCH", SET, "editor", renamed_set, 404, foreign=foreign_base_for_own_set),
    Row("DELETE", SET, "editor", kept_set, 404),
    Row("GET", f"{SET}/questions", "viewer", kept_set, 404, key=True),
    Row("POST", f"{SET}/questions", "editor", more_questions, 404),
    Row("POST", f"{SET}/import", "editor", question_file, 404),
    Row("GET", f"{SET}/export", "viewer", kept_set, 404, key=True),
    Row("POST", f"{SET}/run", "viewer", run, 404, key=True, foreign=foreign_base_for_own_set),
    Row("GET", f"{SET}/runs", "viewer", kept_set, 404, key=True),
    Row("PATCH", f"{API}/test-questions/{{question_id}}", "editor", reworded_question, 404),
    Row("DELETE", f"{API}/test-questions/{{question_id}}", "editor", question, 404),
    Row(
        "POST",
        f"{SET}/comparisons",
        "editor",
        new_comparison,
        404,
        foreign=comparison_with_a_foreign_application,
    ),
    Row("GET", f"{SET}/comparisons", "editor", compared_set, 404),
    Row("GET", COMPARISON, "editor", comparison, 404),
    Row("GET", f"{COMPARISON}/answers", "editor", comparison, 404),
    Row("POST", f"{COMPARISON}/cancel", "editor", comparison, 404),
    Row("DELETE", COMPARISON, "editor", comparison, 404),
    Row(
        "POST",
        f"{API}/calibrations",
        "owner",
        calibration,
        404,
        foreign=calibration_over_a_foreign_base,
    ),
)
