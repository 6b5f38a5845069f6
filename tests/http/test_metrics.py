"""`/metrics`: who may read it, and that it tells what happened."""

import re
from typing import Any

from pydantic import SecretStr
from tests.http.world import World, ok, problem

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model


def value_of(text: str, name: str, **labels: str) -> float | None:
    for line in text.splitlines():
        found = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if found is None or found[1] != name:
            continue
        told = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or ""))
        if labels.items() <= told.items():
            return float(found[3])
    return None


async def test_calls_tokens_breakers_queues_runs_and_jobs_are_told(world: World) -> None:
    async with scripted_model() as server:
        name = world.new_name("模型")
        draft: dict[str, Any] = {"kind": "LLM", "name": name, "model_name": "m", "base_url": server.base_url}
        draft |= {"concurrency": 4, "health_check": {"failure_threshold": 1, "open_ms": 600_000}}
        ok(await world.owner.post("/api/v1/models", json=draft))
        body = {"model_id": name, "input": {"prompt": "Hello"}}
        ok(await world.viewer.post("/mcp/invoke", json=body))
        server.then(script.refuses(503, "down"))
        assert (await world.viewer.post("/mcp/invoke", json=body)).status_code == 503
        answer = await world.administrator.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = answer.text
    calls = {"model": name, "kind": "LLM", "path": "gateway"}
    assert value_of(text, "refdesk_model_calls_total", **calls, code="ok") == 1
    assert value_of(text, "refdesk_model_calls_total", **calls, code="model-unavailable") == 1
    assert value_of(text, "refdesk_model_tokens_total", model=name, direction="input") == 10
    assert value_of(text, "refdesk_model_tokens_total", model=name, direction="output") == 5
    assert value_of(text, "refdesk_model_call_seconds_bucket", model=name, le="+Inf") == 1
    assert value_of(text, "refdesk_model_first_token_seconds_count", model=name) == 1
    assert value_of(text, "refdesk_model_breaker", model=name, state="open") == 1
    assert value_of(text, "refdesk_model_breaker", model=name, state="closed") == 0
    assert value_of(text, "refdesk_model_queue_length", model=name) == 0
    assert value_of(text, "refdesk_model_concurrency", model=name) == 4
    assert value_of(text, "refdesk_runs", state="running") == 0
    assert value_of(text, "refdesk_jobs", state="queued") is not None
    assert value_of(text, "refdesk_database_up") == 1


async def test_strangers_owners_and_keys_may_not_read_it_and_the_token_may(world: World) -> None:
    nobody = world.nobody
    problem(await nobody.get("/metrics"), 401, "unauthenticated")
    problem(await world.owner.get("/metrics"), 403, "forbidden")
    key = await world.make_key(world.owner, "read", "manage")
    problem(await key.get("/metrics"), 403, "not-by-api-key")
    token = "scrape-me-0123456789"
    bearer = {"Authorization": f"Bearer {token}"}
    problem(await nobody.get("/metrics", headers=bearer), 401, "invalid-api-key")  # no token is set
    settings = world.app.state.settings
    world.app.state.settings = settings.model_copy(update={"metrics_token": SecretStr(token)})
    try:
        assert (await nobody.get("/metrics", headers=bearer)).status_code == 200
        problem(
            await nobody.get("/metrics", headers={"Authorization": "Bearer other"}), 401, "invalid-api-key"
        )
    finally:
        world.app.state.settings = settings
