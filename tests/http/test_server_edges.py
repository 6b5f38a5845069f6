"""What the server itself refuses and logs, whatever the route."""

import asyncio

import httpx
import pytest
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
