"""The server killed in the middle of runs: what was written is kept and marked, and asking again works."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx
from tests.e2e.platform.serving import PATIENCE_S, Served, eventually

from refdesk.accounts import issue_setup_token
from refdesk.kit.database import Database
from refdesk.kit.sse import EventReader
from refdesk.testing.scripted_mcp import ScriptedMcp, hangs, says, scripted_mcp
from refdesk.testing.scripted_model import Call, Request, ScriptedModel, Send, Turn, scripted_model
from refdesk.testing.scripted_model import says as model_says

PASSWORD = "a long enough password"
LONG = "Hold the reset button for ten seconds and wait. " * 20
ORDER, RESET = "Where is my order A1?", "How do I reset the router?"


async def _reply(request: Request, send: Send) -> None:
    """Asked of an order it calls the tool, then says what it got; other answers it writes slowly."""
    messages = request.body["messages"]
    if ORDER not in str(messages):
        await model_says(Turn(LONG), delay_s=0.3)(request, send)
    elif messages[-1]["role"] == "tool":
        await model_says(f"It was received: {messages[-1]['content'][:40]}")(request, send)
    else:
        name = next(one["function"]["name"] for one in request.body["tools"] if "order" in str(one))
        call = Call(name, '{"order": "A1"}')
        await model_says(Turn("Let me look.", calls=(call,), finish="tool_calls"))(request, send)


async def _signed_in(served: Served, database_url: str, stack: AsyncExitStack) -> httpx.AsyncClient:
    database = Database(database_url)
    async with database.transaction() as session:
        token = await issue_setup_token(session)
    await database.close()
    client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}", timeout=30)
    await stack.enter_async_context(client)
    person = {"email": "a@example.org", "password": PASSWORD}
    _ok(await client.post("/api/v1/setup", json={"token": token, "name": "A", **person}))
    session = _ok(await client.post("/api/v1/session", json=person))
    client.headers["X-CSRF-Token"] = session["csrf_token"]
    return client


def _ok(response: httpx.Response) -> Any:
    assert response.is_success, f"{response.request.url}: {response.text}"
    return response.json()


async def _application(client: httpx.AsyncClient, model: ScriptedModel, mcp: ScriptedMcp) -> str:
    """An application that answers with an agent, which may ask the order system."""
    connection = {"kind": "LLM", "name": "scripted", "model_name": "scripted-chat", "is_default": True}
    _ok(await client.post("/api/v1/models", json={**connection, "base_url": model.base_url}))
    server = {"name": "orders", "transport": "http", "config": {"url": mcp.url}}
    made = _ok(await client.post("/api/v1/tool-servers", json=server))
    assert _ok(await client.post(f"/api/v1/tool-servers/{made['id']}/check"))["ok"]
    tools = [one["id"] for one in _ok(await client.get("/api/v1/tools"))["items"]]
    tools = [one for one in tools if "order_query" in one]
    assert len(tools) == 1
    base = _ok(await client.post("/api/v1/knowledge-bases", json={"name": "Manuals"}))
    settings = {"answering": "agent", "tools": tools}
    body = {"name": "Desk", "knowledge_base_ids": [base["id"]], "settings": settings}
    return _ok(await client.post("/api/v1/applications", json=body))["id"]


async def _until(client: httpx.AsyncClient, run_id: str, arrived: Callable[[list[Any]], bool]) -> list[Any]:
    """The events of a run until they are enough."""
    reader, events = EventReader(), list[Any]()
    async with client.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
        async for line in response.aiter_lines():
            events.extend(reader.feed(line))
            if arrived(events):
                return events
    raise AssertionError(events)


def _ended(events: list[Any]) -> bool:
    return any(event.name == "run.finished" for event in events)


async def test_runs_of_a_killed_server_are_interrupted_and_asked_again(
    serving: Callable[..., Served], database_url: str
) -> None:
    async with AsyncExitStack() as stack:
        mcp = await stack.enter_async_context(scripted_mcp())
        model = await stack.enter_async_context(scripted_model())
        model.always(_reply)
        order = {"order": {"type": "string"}}
        mcp.add("order_query", hangs(), parameters=order, required=("order",))
        served = serving(environment={"REFDESK_DATABASE_URL": database_url}).start()
        await asyncio.to_thread(served.wait_until_ready)
        client = await _signed_in(served, database_url, stack)
        application = await _application(client, model, mcp)

        async def ask(question: str) -> Any:
            body = {"question": question, "application_id": application}
            return _ok(await client.post("/api/v1/runs", json=body))

        async with asyncio.timeout(PATIENCE_S):
            calling, writing = await ask(ORDER), await ask(RESET)
            await _until(client, writing["id"], lambda events: sum(e.name == "delta" for e in events) > 2)
            await _until(client, calling["id"], lambda events: any(e.name == "tool.call" for e in events))
            while not mcp.calls:  # noqa: ASYNC110 — a plain list
                await asyncio.sleep(0.05)
        await asyncio.sleep(1.0)  # logs are written four times a second
        served.note_family()
        os.kill(served.running.pid, signal.SIGKILL)
        served.running.wait()
        assert await asyncio.to_thread(eventually, served.family_is_gone, PATIENCE_S)

        mcp.add("order_query", says("received on Monday"), parameters=order, required=("order",))
        served.start()
        await asyncio.to_thread(served.wait_until_ready)
        async with asyncio.timeout(PATIENCE_S):  # their leases run out first
            for run in (calling, writing):
                events = await _until(client, run["id"], _ended)
                assert events[-1].name == "run.finished"
        kept = _ok(await client.get(f"/api/v1/runs/{writing['id']}"))
        assert kept["state"] == "interrupted"
        assert len(kept["answer"]) > 10
        assert LONG.startswith(kept["answer"].rstrip())
        assert kept["sentences"]
        lost = _ok(await client.get(f"/api/v1/runs/{calling['id']}"))
        assert (lost["state"], lost["answer"], lost["error"]) == ("interrupted", "", None)

        again = {"conversation_id": calling["conversation_id"], "retry_of": calling["id"]}
        run = _ok(await client.post("/api/v1/runs", json=again))
        async with asyncio.timeout(PATIENCE_S):
            await _until(client, run["id"], _ended)
        answered = _ok(await client.get(f"/api/v1/runs/{run['id']}"))
        assert answered["state"] == "finished"
        assert "received on Monday" in answered["answer"]
        assert len(mcp.calls) == 2
        assert await asyncio.to_thread(served.stop) == 0
