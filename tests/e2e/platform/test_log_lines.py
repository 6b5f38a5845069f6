"""X17: every log line of a real server and its worker tells request and model, and the id of a request
arrives at the model's server, also where a job makes the call."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
from tests.e2e.platform.serving import Served

from refdesk.accounts import load_operator_key
from refdesk.testing.scripted_model import Request, answer, embeddings, hashed_vector, scripted_model

TEXT = "Refunds are paid within fourteen days of the return of the goods."
RUN, UPLOAD = "run-of-the-test", "upload-of-the-test"


def ids(requests: list[Request]) -> set[str]:
    return {one.headers.get("x-request-id", "") for one in requests}


async def test_every_line_of_a_run_names_request_and_model(
    serving: Callable[..., Served], database_url: str
) -> None:
    environment = {"REFDESK_LOG_JSON": "1", "REFDESK_DATABASE_URL": database_url}
    served = serving(environment=environment).start()
    await asyncio.to_thread(served.wait_until_ready)
    async with scripted_model() as chat, scripted_model() as vectors:
        chat.always(answer("Within fourteen days [1]."))
        vectors.always(embeddings(hashed_vector))
        headers = {"Authorization": f"Bearer {load_operator_key(served.data_dir)}"}
        base = f"http://127.0.0.1:{served.port}"
        async with httpx.AsyncClient(base_url=base, headers=headers, timeout=60) as client:
            llm = await _connect(client, "LLM", chat.base_url)
            embedder = await _connect(client, "EMBEDDING", vectors.base_url)
            measured = len(vectors.requests)
            body = {"name": "Rules", "embedding_model_id": embedder}
            made = (await client.post("/api/v1/knowledge-bases", json=body)).raise_for_status().json()
            document = {"name": "refunds", "paragraphs": [{"title": "Refunds", "content": TEXT}]}
            path = f"/api/v1/knowledge-bases/{made['id']}/documents"
            upload = {"X-Request-ID": UPLOAD}
            (await client.post(path, json={"documents": [document]}, headers=upload)).raise_for_status()
            await _until(client, path, lambda one: one["items"][0]["state"] == "ready")
            assert ids(vectors.requests[measured:]) == {UPLOAD}, "the worker's call carries the upload's id"
            before = len(vectors.requests)
            asked = {"question": "When are refunds paid?", "knowledge_base_ids": [made["id"]]}
            run = await client.post("/api/v1/runs", json=asked, headers={"X-Request-ID": RUN})
            run_id = run.raise_for_status().json()["id"]
            await _until(client, f"/api/v1/runs/{run_id}", lambda one: one["state"] == "finished")
            assert ids(chat.requests) == {RUN}
            assert ids(vectors.requests[before:]) == {RUN}
    assert await asyncio.to_thread(served.stop) == 0
    lines = [json.loads(line) for line in served.log.read_text().splitlines() if line.startswith("{")]
    assert all({"request_id", "model_id"} <= line.keys() for line in lines)
    own = [line for line in lines if line["request_id"] == RUN]
    calls = {line["path"]: line["model_id"] for line in own if line["event"] == "model.call"}
    assert calls["answer"] == llm
    assert calls["search"] == embedder
    assert all(line["model_id"] for line in own if line["event"] != "request")
    indexing = [line for line in lines if line["request_id"] == UPLOAD and line["event"] == "model.call"]
    assert {(line["model_id"], line["job"]) for line in indexing} == {(embedder, "process-document")}


async def _connect(client: httpx.AsyncClient, kind: str, base_url: str) -> str:
    draft = {"kind": kind, "name": f"the {kind}", "model_name": "scripted", "base_url": base_url}
    made = await client.post("/api/v1/models", json=draft | {"is_default": True})
    return str(made.raise_for_status().json()["id"])


async def _until(client: httpx.AsyncClient, path: str, reached: Callable[[Any], bool]) -> None:
    async with asyncio.timeout(60):
        while not reached((await client.get(path)).raise_for_status().json()):  # noqa: ASYNC110
            await asyncio.sleep(0.2)
