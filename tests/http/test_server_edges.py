"""What the server itself refuses and logs, whatever the route."""

import asyncio
import logging

import httpx
import pytest
from starlette.types import Message, Scope
from structlog.testing import CapturingLogger
from tests.http.world import World, ok

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model


@pytest.mark.parametrize(
    "content_type", ["application/json", "multipart/form-data; boundary=x", "text/plain"]
)
async def test_a_body_over_the_limit_is_refused_whatever_it_says_it_is(world: World, content_type: str):
    async def endless():
        for _ in range(64):
            yield b"x" * 65536

    answer = await world.nobody.post(
        "/api/v1/session", content=endless(), headers={"Content-Type": content_type}
    )
    assert answer.status_code == 413
    assert answer.json()["code"] == "too-large"


async def test_the_secret_of_an_invitation_is_not_logged(world: World, monkeypatch: pytest.MonkeyPatch):
    log = CapturingLogger()
    monkeypatch.setattr("refdesk.server.middleware.log", log)
    await world.nobody.get("/api/v1/invitations/top-secret-token")
    assert "/api/v1/invitations/{token}" in str(log.calls)
    assert "top-secret-token" not in str(log.calls)


async def test_testing_models_that_hang_leaves_the_database_to_the_others(world: World):
    async with scripted_model() as remote:
        remote.always(script.hang())
        draft = {"kind": "LLM", "name": "slow", "model_name": "m", "base_url": remote.base_url}
        checks = [
            asyncio.create_task(world.owner.post("/api/v1/models/check", json=draft)) for _ in range(30)
        ]
        while len(remote.requests) < 30:  # noqa: ASYNC110 — they are on their way
            await asyncio.sleep(0.05)
        answer: httpx.Response = await asyncio.wait_for(world.viewer.get("/api/v1/knowledge-bases"), 20)
        assert ok(answer)["items"] is not None
        for check in checks:
            check.cancel()
        await asyncio.gather(*checks, return_exceptions=True)


@pytest.mark.parametrize("route", ["/api/v1/session", "/v1/chat/completions", "/apps/{application}/mcp"])
async def test_a_client_that_leaves_while_its_body_is_read_is_no_error_of_the_server(
    world: World, route: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log, problems = CapturingLogger(), CapturingLogger()
    monkeypatch.setattr("refdesk.server.middleware.log", log)
    monkeypatch.setattr("refdesk.server.problems.log", problems)
    body = {"name": world.new_name("left")}
    application = ok(await world.editor.post("/api/v1/applications", json=body))["id"]
    log.calls.clear()
    path = route.format(application=application)
    headers = {
        "host": "127.0.0.1",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "authorization": world.operator.headers["Authorization"],
    }
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    arriving: list[Message] = [
        {"type": "http.request", "body": b'{"jsonrpc"', "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        return arriving.pop(0) if len(arriving) > 1 else arriving[0]

    async def send(_message: Message) -> None:
        pass

    with caplog.at_level(logging.WARNING):
        await world.app(scope, receive, send)
    assert [call.kwargs["status"] for call in log.calls] == [499]
    assert not problems.calls
    assert not [record for record in caplog.records if record.exc_info]


async def test_the_log_line_of_a_request_has_its_status_as_a_plain_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"name": world.new_name("plain")}
    application = ok(await world.editor.post("/api/v1/applications", json=body))["id"]
    log = CapturingLogger()
    monkeypatch.setattr("refdesk.server.middleware.log", log)
    headers = {"Host": "127.0.0.1", "Accept": "application/json, text/event-stream"}
    path = f"/apps/{application}/mcp"
    answer = await world.editor.post(path, json={"no": "message"}, headers=headers)
    assert answer.status_code == 400
    assert repr(log.calls[-1].kwargs["status"]) == "400"


@pytest.mark.parametrize(
    "path", ["/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/ask%00", "/a/..%2fb", "/assets/a%00"]
)
async def test_a_path_that_no_page_can_have_is_not_found(world: World, path: str) -> None:
    answer = await world.nobody.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
