"""Before and at first set-up."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx
import pytest
from fastapi import FastAPI
from tests.http.world import BASE_URL, PASSWORD, ok, problem

from refdesk.accounts import issue_setup_token, load_operator_key
from refdesk.kit.settings import Settings

BODY = {"email": "first@example.org", "name": "First", "password": PASSWORD, "locale": "zh-CN"}


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with AsyncExitStack() as stack:
        transport = httpx.ASGITransport(app=app)
        yield await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url=BASE_URL))


async def test_only_health_setup_and_the_api_description_answer_until_the_first_administrator_exists(
    client: httpx.AsyncClient,
) -> None:
    assert (await client.get("/healthz")).status_code == 200
    assert (await client.get("/readyz")).status_code == 200
    assert ok(await client.get("/api/v1/setup")) == {"required": True}
    assert "/api/v1/session" in ok(await client.get("/api/v1/openapi.json"))["paths"]
    for path in ("/api/v1/session", "/api/v1/users", "/v1/models", "/metrics"):
        problem(await client.get(path), 503, "setup-required")
    problem(await client.post("/api/v1/session", json={}), 503, "setup-required")


async def test_the_operator_works_before_the_first_administrator(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    key = load_operator_key(settings.data_dir)
    headers = {"Authorization": f"Bearer {key}"}
    assert ok(await client.get("/api/v1/users", headers=headers))["total"] == 0
    problem(
        await client.get("/api/v1/users", headers={"Authorization": f"Bearer {key}x"}), 503, "setup-required"
    )


async def test_a_new_setup_token_makes_the_older_one_worthless_and_works_once(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    async with app.state.database.transaction() as session:
        older = await issue_setup_token(session)
    async with app.state.database.transaction() as session:
        token = await issue_setup_token(session)
    problem(await client.post("/api/v1/setup", json=BODY | {"token": older}), 403, "setup-token-wrong")
    weak = BODY | {"token": token, "password": "short"}
    problem(await client.post("/api/v1/setup", json=weak), 422, "password-unsuitable")
    session_view = ok(await client.post("/api/v1/setup", json=BODY | {"token": token}))
    assert session_view["user"]["is_administrator"]
    assert [w["role"] for w in session_view["workspaces"]] == ["owner"]
    problem(await client.post("/api/v1/setup", json=BODY | {"token": token}), 409, "setup-done")
    assert ok(await client.get("/api/v1/session"))["user"]["email"] == BODY["email"]
    async with app.state.database.transaction() as session:
        assert await issue_setup_token(session) is None
