"""Text and numbers that PostgreSQL cannot hold are the sender's mistake on every route, never a crash.

The requests are made from the OpenAPI document: for every operation, each string of its body and each string
query parameter is sent once with a bad character, everything else being as it should be.
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import orjson
import pytest
from tests.http.world import BASE_URL, World, ok

from refdesk.kit.border_types import MAX_BIGINT, MAX_INT

NUL = "a\x00b"
CLOSED_PORT = "http://127.0.0.1:9/v1"
# They answer with a stream, or end the session that the other requests need.
LEFT_OUT = {"followKnowledgeBase", "followRun", "signOut"}


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _resolved(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    for choices in ("anyOf", "oneOf", "allOf"):
        if choices in schema:
            return _resolved(document, schema[choices][0])
    return schema


def _example(document: dict[str, Any], schema: dict[str, Any], name: str, ids: dict[str, str]) -> Any:
    schema = _resolved(document, schema)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        return {key: _example(document, part, key, ids) for key, part in properties.items()}
    if kind == "array":
        return [_example(document, schema["items"], name.removesuffix("s"), ids)]
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    if kind == "string":
        if schema.get("format") == "uuid":
            return ids.get(name, "00000000-0000-4000-8000-000000000000")
        if schema.get("format") == "uri":
            return CLOSED_PORT
        if schema.get("format") == "date-time":
            return "2030-01-01T00:00:00Z"
        return {"email": "nobody@example.org", "locale": "en"}.get(name, "words")
    return False if kind == "boolean" else None


def _with_bad_text(value: Any, bad: str) -> Iterator[Any]:
    """Copies of `value`, each with one free string replaced, or with one more key where any is allowed."""
    if isinstance(value, dict):
        if not value:
            yield {"key": bad}
            yield {bad: "value"}
        for key, part in value.items():
            for changed in _with_bad_text(part, bad):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for changed in _with_bad_text(value[0], bad):
            yield [changed]
    elif isinstance(value, str):
        yield bad


@pytest.fixture(scope="module")
async def client(world: World) -> httpx.AsyncClient:
    """The administrator; a crash is answered with 500, as it is outside tests."""
    transport = httpx.ASGITransport(app=world.app, raise_app_exceptions=False)
    known = world.administrator
    made = httpx.AsyncClient(
        transport=transport, base_url=BASE_URL, headers=known.headers, cookies=known.cookies, timeout=60
    )
    return await world.stack.enter_async_context(made)


@pytest.fixture(scope="module")
async def ids(world: World) -> dict[str, str]:
    base = ok(await world.editor.post("/api/v1/knowledge-bases", json={"name": "Library"}))
    path = f"/api/v1/knowledge-bases/{base['id']}/documents"
    draft = {"name": "Guide", "paragraphs": [{"content": "Hold the button."}]}
    document = ok(await world.editor.post(path, json={"documents": [draft]}))["items"][0]
    paragraphs = ok(await world.editor.get(f"/api/v1/documents/{document['id']}/paragraphs"))
    application = ok(await world.editor.post("/api/v1/applications", json={"name": "Desk"}))
    model = {"kind": "LLM", "name": "M", "model_name": "m", "base_url": CLOSED_PORT}
    made_model = ok(await world.owner.post("/api/v1/models", json=model))
    return {
        "knowledge_base_id": base["id"],
        "document_id": document["id"],
        "paragraph_id": paragraphs["items"][0]["id"],
        "application_id": application["id"],
        "model_id": made_model["id"],
        "user_id": str(world.user_ids["viewer"]),
        "workspace_id": str(world.workspace_id),
    }


def _requests(
    document: dict[str, Any], ids: dict[str, str], bad: str
) -> Iterator[tuple[str, str, dict[str, Any], Any]]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if operation["operationId"] in LEFT_OUT:
                continue
            named = {key: value for key, value in ids.items() if f"{{{key}}}" in path}
            url = path
            for key, value in named.items():
                url = url.replace(f"{{{key}}}", value)
            url = url.replace("{", "").replace("}", "")
            for parameter in operation.get("parameters", ()):
                kind = _resolved(document, parameter["schema"])
                if parameter["in"] == "query" and kind.get("type") == "string" and "enum" not in kind:
                    yield method, url, {parameter["name"]: bad}, None
            content = operation.get("requestBody", {}).get("content", {})
            if "application/json" in content:
                body = _example(document, content["application/json"]["schema"], "", ids)
                for changed in _with_bad_text(body, bad):
                    yield method, url, {}, changed


@pytest.mark.timeout(400)
async def test_bad_text_is_never_a_server_error(client: httpx.AsyncClient, ids: dict[str, str]) -> None:
    document = ok(await client.get("/api/v1/openapi.json"))
    crashed: list[str] = []
    sent = 0
    for method, url, query, body in _requests(document, ids, NUL):
        headers = {"Content-Type": "application/json"}
        content = None if body is None else orjson.dumps(body)
        response = await client.request(method, url, params=query, content=content, headers=headers)
        sent += 1
        # What stands behind this server (a model's address that nobody listens on) may be unavailable.
        if response.status_code == 500:
            crashed.append(f"{method} {url} {query} {content!r}: {response.text[:200]}")
    assert sent > 100
    assert crashed == []


async def test_free_text_loses_nul_and_names_with_it_are_refused(client: httpx.AsyncClient) -> None:
    path = "/api/v1/knowledge-bases"
    sent = {"name": "Clean", "description": NUL, "meta": {"note\x00": [NUL]}}
    made = ok(await client.post(path, json=sent))
    assert (made["description"], made["meta"]) == ("ab", {"note": ["ab"]})
    assert (await client.post(path, json={"name": NUL})).status_code == 422
    assert (await client.get(path, params={"q": "Cle\x00an"})).json()["items"][0]["name"] == "Clean"


@pytest.mark.parametrize(
    ("name", "cleaned"), [("One\x00name", "Onename"), ("\x00Twoname", "Twoname"), ("Name\ud800", "Name?")]
)
async def test_a_name_is_never_changed_until_it_matches(
    client: httpx.AsyncClient, name: str, cleaned: str
) -> None:
    ok(await client.post("/api/v1/applications", json={"name": cleaned}))
    # Not by httpx, which cannot write a lone surrogate.
    content = json.dumps({"model": name, "messages": [{"role": "user", "content": "Hello?"}]})
    headers = {"Content-Type": "application/json"}
    answer = await client.post("/v1/chat/completions", content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert "model" in answer.json()["error"]["message"]
    content = json.dumps({"model": name, "input": "Hello"})
    answer = await client.post("/v1/embeddings", content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")


@pytest.mark.parametrize(
    "field", [{"max_documents": MAX_INT + 1}, {"max_file_bytes": MAX_BIGINT + 1}, {"meta": {"deep": 0}}]
)
async def test_numbers_and_depths_beyond_the_database_are_refused(
    client: httpx.AsyncClient, field: dict[str, Any]
) -> None:
    if "meta" in field:
        for _ in range(40):
            field = {"meta": {"deep": field}}
    response = await client.post("/api/v1/knowledge-bases", json={"name": "Wide", **field})
    assert (response.status_code, response.json()["code"]) == (422, "invalid")


async def test_infinite_numbers_in_json_are_refused(client: httpx.AsyncClient) -> None:
    body = b'{"name": "Endless", "meta": {"n": 1e999}}'
    headers = {"Content-Type": "application/json"}
    response = await client.post("/api/v1/knowledge-bases", content=body, headers=headers)
    assert response.status_code == 422
