"""Rows of the access table: conversations as they change, traces, running again, previews of prompts."""

import httpx
from tests.http.access_asking import CONVERSATION, RUN, asked, conversation, run
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import base_of
from tests.http.world import World


async def changed_run(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path={"run_id": (await asked(world, client))["id"]}, json={"top_n": 2})


async def sample_question(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(json={"knowledge_base_ids": [base_id], "question": "What is the refund period?"})


PIPELINE = (
    Row("POST", "/api/v1/applications/preview", "editor", sample_question, 422),
    Row("GET", f"{CONVERSATION}/events", "viewer", conversation, 404, private=True, streams=True),
    Row("GET", f"{RUN}/trace", "viewer", run, 404, private=True),
    Row("POST", f"{RUN}/again", "editor", changed_run, 404, private=True),
)
