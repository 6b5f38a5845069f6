"""Python code and operations of an HTTP interface as tools, over real processes and a real server."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from tests.http.world import World, ok

from refdesk.accounts import Role, Scope
from refdesk.tools import ToolCaller, ToolService
from refdesk.tools.sandbox import isolation

API = "/api/v1"
SECRET = "s3cret-token-value"
isolated = pytest.mark.skipif(not isolation().available, reason=f"no isolation here: {isolation().reason}")

CODE = f'''
from typing import Literal

def run(order_id: str, kind: Literal["refund", "exchange"] = "refund", *, region, token, caller):
    """Looks an order up."""
    print("asked", token)
    return {{"order": order_id, "kind": kind, "region": region, "knows": len(token) == {len(SECRET)},
            "token": token, "who": caller["user_id"]}}
'''

OPENAPI = """
openapi: 3.0.3
info: {title: Orders, version: '2'}
servers: [{url: '/v1'}]
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  schemas:
    Note:
      type: object
      required: [text]
      properties:
        text: {type: string}
        stars: {type: integer, nullable: true}
        reply: {$ref: '#/components/schemas/Note'}
paths:
  /orders/{order_id}:
    parameters: [{name: order_id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: get order
      summary: One order
      parameters:
        - {name: fields, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: Authorization, in: header, required: true, schema: {type: string}}
  /orders/{order_id}/notes:
    post:
      operationId: addNote
      parameters: [{name: order_id, in: path, required: true, schema: {type: string}}]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}
  /many: {get: {}}
  /huge: {get: {}}
  /fails: {get: {}}
  /away: {get: {}}
  /slow: {get: {}}
  /upload: {post: {requestBody: {required: true, content: {multipart/form-data: {}}}}}
"""


class Orders:
    """An interface that remembers what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.seen: list[dict[str, Any]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, target, _ = head.split("\r\n", 1)[0].split()
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        self.seen.append(
            {"method": method, "path": path, "query": query, "headers": headers, "body": body.decode()}
        )
        status, extra, answer = self.answer(path, headers)
        if path == "/v1/slow":
            await asyncio.sleep(5)
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        writer.write(
            f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
            f"{extra}Connection: close\r\n\r\n".encode()
            + content
        )
        writer.close()

    def answer(self, path: str, headers: dict[str, str]) -> tuple[int, str, Any]:
        match path:
            case "/openapi.yaml":
                return 200, "", OPENAPI.encode()
            case "/v1/many":
                return 200, "", [{"n": n, "text": "x" * 100} for n in range(1000)]
            case "/v1/huge":
                return 200, "", b"[" + b"1," * 3_000_000 + b"1]"
            case "/v1/fails":
                return 422, "", {"error": f"bad key {headers.get('x-key')}"}
            case "/v1/away":
                return 302, "Location: http://127.0.0.2:9/else\r\n", b""
            case _:
                return 200, "", {"path": path, "state": "已发货"}


@asynccontextmanager
async def orders() -> AsyncIterator[Orders]:
    made = Orders()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield made
    server.close()


async def _call(world: World, tool: str, **arguments: Any) -> dict[str, Any]:
    return ok(await world.editor.post(f"{API}/tools/call", json={"tool": tool, "arguments": arguments}))


@isolated
async def test_python_code_is_kept_tried_called_changed_and_its_secret_never_shown(world: World) -> None:
    draft = {
        "name": "order_query",
        "code": CODE,
        "defaults": {"region": "EU"},
        "secrets": {"token": SECRET},
    }
    trial = {key: draft[key] for key in ("code", "defaults", "secrets")} | {"arguments": {"order_id": "A1"}}
    tried = ok(await world.owner.post(f"{API}/stored-tools/try", json=trial))
    assert tried["data"]["knows"] is True
    assert SECRET not in json.dumps(tried)
    made = ok(await world.owner.post(f"{API}/stored-tools", json=draft))
    assert made["parameters"] == {
        "type": "object",
        "properties": {
            "order_id": {"type": "string"},
            "kind": {"enum": ["refund", "exchange"], "default": "refund"},
        },
        "required": ["order_id"],
    }
    assert made["description"] == "Looks an order up."
    assert SECRET not in json.dumps(made)
    assert made["secrets"] == [{"name": "token", "shown": "s3c******lue"}]

    told = await _call(world, f"tool:{made['id']}", order_id=7, kind="Exchange")
    assert told["data"] == {
        "order": "7",
        "kind": "exchange",
        "region": "EU",
        "knows": True,
        "token": "******",
        "who": str(world.user_ids["editor"]),
    }
    refused = await world.editor.post(
        f"{API}/tools/call", json={"tool": f"tool:{made['id']}", "arguments": {}}
    )
    assert (refused.status_code, refused.json()["details"]["missing"]) == (422, ["order_id"])
    listed = ok(await world.viewer.get(f"{API}/tools"))["items"]
    assert [one["name"] for one in listed if one["origin"] == "python"] == ["order_query"]

    path = f"{API}/stored-tools/{made['id']}"
    changed = ok(await world.owner.patch(path, json={"code": "def run(order_id: str):\n    return 1 / 0\n"}))
    assert (changed["version"], list(changed["parameters"]["properties"])) == (2, ["order_id"])
    failed = await _call(world, f"tool:{made['id']}", order_id="1")
    assert failed["fault"] == {
        "code": "tool-code-failed",
        "message": "ZeroDivisionError (line 2): division by zero",
    }
    versions = ok(await world.editor.get(f"{path}/versions"))["items"]
    assert [(one["version"], one["code"]) for one in versions] == [(1, CODE)]
    ok(await world.owner.patch(path, json={"is_active": False}))
    off = await world.editor.post(f"{API}/tools/call", json={"tool": f"tool:{made['id']}", "arguments": {}})
    assert off.status_code == 404
    events = ok(await world.owner.get(f"{API}/audit"))["items"]
    assert {"stored-tool.create", "stored-tool.change"} <= {event["action"] for event in events}
    assert SECRET not in json.dumps(events)


@pytest.mark.parametrize(
    ("draft", "code"),
    [
        ({"code": "def run(:"}, "tool-code-invalid"),
        ({"code": "x = 1"}, "tool-code-invalid"),
        ({"code": "def a(): pass\ndef b(): pass"}, "tool-code-invalid"),
        ({"code": "def run(a): pass", "parameters": {"type": "array"}}, "tool-schema-invalid"),
        (
            {"code": "def run(a): pass", "parameters": {"type": "object", "properties": {"b": {}}}},
            "tool-schema-invalid",
        ),
        (
            {
                "code": "def run(**all): pass",
                "parameters": {"type": "object", "properties": {"key": {}}},
                "secrets": {"key": "x"},
            },
            "tool-schema-invalid",
        ),
    ],
)
async def test_code_that_cannot_be_a_tool_is_refused(world: World, draft: dict[str, Any], code: str) -> None:
    refused = await world.owner.post(f"{API}/stored-tools", json={"name": "bad", **draft})
    assert (refused.status_code, refused.json()["code"]) == (422, code)


async def test_operations_of_an_interface_become_tools_that_send_what_the_document_says(world: World) -> None:
    async with orders() as shop:
        read = ok(
            await world.owner.post(
                f"{API}/tool-interfaces/document", json={"document_url": f"{shop.url}/openapi.yaml"}
            )
        )
        assert (read["base_url"], read["auth_kind"], read["auth_name"]) == (
            f"{shop.url}/v1",
            "header",
            "X-Key",
        )
        assert {one["key"] for one in read["operations"] if one["unsupported"]} == {"POST /upload"}
        draft = {
            "name": "Orders",
            "document_url": f"{shop.url}/openapi.yaml",
            "operations": [one["key"] for one in read["operations"] if not one["unsupported"]],
            "auth": {"kind": "header", "name": "X-Key", "token": SECRET},
            "tells_caller": "ids",
        }
        made = ok(await world.owner.post(f"{API}/tool-interfaces", json=draft))
        assert made["auth"]["secrets"] == [{"name": "token", "shown": "s3c******lue"}]
        tools = {one["key"]: one["tool_id"] for one in made["operations"]}
        shown = ok(await world.editor.get(f"{API}/stored-tools/{tools['POST /orders/{order_id}/notes']}"))
        assert (shown["ask_first"], shown["read_only"], shown["name"]) == (True, False, "addNote")
        assert shown["parameters"]["required"] == ["order_id", "text"]
        assert shown["parameters"]["properties"]["stars"]["type"] == ["integer", "null"]

        got = await _call(
            world,
            f"tool:{tools['GET /orders/{order_id}']}",
            order_id="../a b/1",
            fields=["x", "y"],
            Authorization="no",
        )
        assert json.loads(got["text"])["state"] == "已发货"
        seen = shop.seen[-1]
        assert (seen["path"], seen["query"]) == ("/v1/orders/..%2Fa%20b%2F1", {"fields": ["x,y"]})
        assert seen["headers"]["x-key"] == SECRET
        assert "authorization" not in seen["headers"]
        assert seen["headers"]["x-refdesk-user-id"] == str(world.user_ids["editor"])
        await _call(
            world, f"tool:{tools['POST /orders/{order_id}/notes']}", order_id="1", text="你好", stars="5"
        )
        assert (shop.seen[-1]["method"], json.loads(shop.seen[-1]["body"])) == (
            "POST",
            {"text": "你好", "stars": 5},
        )

        many = await _call(world, f"tool:{tools['GET /many']}")
        assert many["truncated"] is True
        assert len(many["text"]) <= 20_000
        assert "more)" in json.loads(many["text"])[-1]
        for key, code in (
            ("huge", "tool-result-too-large"),
            ("away", "http-tool-failed"),
            ("fails", "http-status"),
        ):
            failed = await _call(world, f"tool:{tools[f'GET /{key}']}")
            assert failed["fault"]["code"] == code
            assert SECRET not in json.dumps(failed)
        ok(await world.owner.patch(f"{API}/stored-tools/{tools['GET /slow']}", json={"timeout_s": 0.3}))
        assert (await _call(world, f"tool:{tools['GET /slow']}"))["fault"]["code"] == "tool-timeout"

        service: ToolService = world.app.state.tools
        scope = Scope(world.workspace_id, world.user_ids["viewer"], Role.VIEWER, "session")
        box = await service.toolbox(scope, [f"tool:interface:{made['id']}", f"tool:{UUID(int=7)}"])
        assert len(box.specs) == len(draft["operations"])
        assert [problem.code for problem in box.problems] == ["tool-not-found"]
        assert (await box.call("get_order", {"order_id": ".."}, ToolCaller(scope))).fault is not None

        path = f"{API}/tool-interfaces/{made['id']}"
        moved = await world.owner.patch(path, json={"base_url": "http://127.0.0.9:1"})
        assert (moved.status_code, moved.json()["code"]) == (422, "tool-secret-needed")
        fewer = ok(await world.owner.patch(path, json={"operations": ["GET /many"]}))
        assert [one["key"] for one in fewer["operations"] if one["tool_id"]] == ["GET /many"]
        assert fewer["operations"][2]["tool_id"] == tools["GET /many"]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("swagger: '2.0'\npaths: {}", "openapi-unreadable"),
        ("openapi: 3.0.0", "openapi-unreadable"),
        ("{not: [yaml", "openapi-unreadable"),
        ('{"openapi": "3.0.0", "paths": {"/a": {"get": {}}}}', "openapi-operation-unknown"),
    ],
)
async def test_a_document_that_cannot_be_used_is_refused(world: World, document: str, code: str) -> None:
    draft = {"name": "Bad", "document": document, "base_url": "https://example.org", "operations": ["GET /b"]}
    refused = await world.owner.post(f"{API}/tool-interfaces", json=draft)
    assert (refused.status_code, refused.json()["code"]) == (422, code)


async def test_an_application_asks_another_one_but_never_itself(world: World) -> None:
    base = ok(await world.owner.post(f"{API}/knowledge-bases", json={"name": world.new_name("base")}))
    apps = [
        ok(
            await world.owner.post(
                f"{API}/applications",
                json={
                    "name": world.new_name("application"),
                    "knowledge_base_ids": [base["id"]],
                    "settings": {"empty_reply": "Nothing here."},
                },
            )
        )["id"]
        for _ in range(2)
    ]
    service: ToolService = world.app.state.tools
    scope = Scope(
        world.workspace_id,
        world.user_ids["viewer"],
        Role.VIEWER,
        "api_key",
        resource=("application", UUID(apps[0])),
    )
    box = await service.toolbox(scope, [f"app:{apps[1]}", f"app:{UUID(int=1)}"])
    assert [problem.code for problem in box.problems] == ["tool-not-found"]
    caller = ToolCaller(scope, application_id=UUID(apps[0]))
    answered = await box.call(f"app:{apps[1]}", {"question": "What is there?"}, caller)
    assert (answered.fault, answered.text) == (None, "Nothing here.")
    run = ok(await world.viewer.get(f"{API}/runs/{answered.details['run_id']}"))
    assert (run["question"], run["state"]) == ("What is there?", "finished")
    itself = await box.call(
        f"app:{apps[1]}", {"question": "?"}, ToolCaller(scope, application_id=UUID(apps[1]))
    )
    assert itself.fault is not None
    assert itself.fault.code == "application-asks-itself"
