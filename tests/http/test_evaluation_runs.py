"""Batches and runs over HTTP: their events, what is kept of them, and what a file brings in and out."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from tests.http.access_knowledge import base_of
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.gateway import ModelRepository
from refdesk.kit.sse import EventReader
from refdesk.testing.embedder import HashingEmbedder

API = "/api/v1"


@pytest.fixture(scope="module", autouse=True)
def light_embedder(app: FastAPI) -> Iterator[None]:
    """The embedded model's place, taken by one that needs no loading."""

    async def embedder(scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
        async with app.state.database.transaction() as session:
            await ModelRepository(session, scope).get(model_id)
        return HashingEmbedder(model_id, 384)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.state.gateway, "embedder", embedder)
        yield


def events(response: httpx.Response) -> list[tuple[str, Any]]:
    assert response.is_success, response.text
    reader = EventReader()
    return [(event.name, event.json()) for line in response.text.split("\n") for event in reader.feed(line)]


async def empty_base(world: World) -> str:
    return await base_of(world, world.owner)


async def test_a_batch_streams_a_result_for_each_question_and_then_the_figures(world: World) -> None:
    base_id = await empty_base(world)
    body = {
        "knowledge_base_ids": [base_id],
        "similarity": 0.3,
        "questions": [
            {"question": "refund", "expects_nothing": True},
            {"question": "return", "documents": ["no such.pdf"]},
        ],
    }
    streamed = events(await world.viewer.post(f"{API}/hit-test/batch", json=body))
    assert [name for name, _ in streamed] == ["result", "result", "totals"]
    assert [data["outcome"] for name, data in streamed if name == "result"] == ["refused", "unjudged"]
    assert streamed[1][1]["expected"]["unknown"] == ["no such.pdf"]
    assert streamed[2][1]["refused_when_not"] == 1.0
    assert streamed[2][1]["hit_at_5"] is None


async def test_a_batch_with_a_mode_that_is_not_there_is_refused_before_it_begins(world: World) -> None:
    body = {
        "knowledge_base_ids": [await empty_base(world)],
        "mode": "magic",
        "questions": [{"question": "refund"}],
    }
    refused = await world.viewer.post(f"{API}/hit-test/batch", json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown-search-mode")


async def test_the_figures_of_an_editors_run_are_kept_and_a_viewers_are_not(world: World) -> None:
    base_id = await empty_base(world)
    name = world.new_name("set")
    body = {
        "name": name,
        "knowledge_base_ids": [base_id],
        "questions": [{"question": "refund", "expects_nothing": True}],
    }
    made = ok(await world.editor.post(f"{API}/test-sets", json=body))
    path = f"{API}/test-sets/{made['id']}"
    taken = await world.editor.post(f"{API}/test-sets", json=body)
    assert (taken.status_code, taken.json()["code"]) == (409, "test-set-name-taken")
    assert events(await world.viewer.post(f"{path}/run", json={}))[-1][0] == "totals"
    assert ok(await world.viewer.get(f"{path}/runs"))["total"] == 0
    events(await world.editor.post(f"{path}/run", json={"mode": "keywords", "top_n": 3}))
    (kept,) = ok(await world.viewer.get(f"{path}/runs"))["items"]
    assert kept["settings"]["mode"] == "keywords"
    assert kept["settings"]["knowledge_base_ids"] == [base_id]
    assert kept["totals"]["refused_when_not"] == 1.0
    assert ok(await world.viewer.get(path))["last_run"]["id"] == kept["id"]
    ok(await world.owner.delete(f"{API}/knowledge-bases/{base_id}"))
    gone = await world.editor.post(f"{path}/run", json={})
    assert (gone.status_code, gone.json()["code"]) == (409, "test-set-without-bases")


async def test_questions_go_out_as_a_file_and_come_in_again(world: World) -> None:
    base_id = await empty_base(world)
    document = {"documents": [{"name": "规定.md", "paragraphs": [{"content": "退款"}]}]}
    ok(await world.editor.post(f"{API}/knowledge-bases/{base_id}/documents", json=document))
    body = {"name": world.new_name("set"), "knowledge_base_ids": [base_id]}
    path = f"{API}/test-sets/{ok(await world.editor.post(f'{API}/test-sets', json=body))['id']}"
    content = "问题,期望文档,没有答案\n怎么退款,规定,\n明天天气,,是\n怎么换货,别的.pdf,\n"
    added = ok(await world.editor.post(f"{path}/import", json={"format": "csv", "content": content}))
    assert added == {"added": 3, "unknown": [{"question": "怎么换货", "names": ["别的.pdf"]}]}
    for kind in ("csv", "jsonl"):
        exported = await world.viewer.get(f"{path}/export", params={"format": kind})
        assert "attachment" in exported.headers["content-disposition"]
        content = exported.content.decode()
        assert ok(await world.editor.post(f"{path}/import", json={"format": kind, "content": content})) == {
            "added": 3 if kind == "csv" else 6,
            "unknown": [],
        }
    questions = ok(await world.viewer.get(f"{path}/questions", params={"limit": 5}))
    assert (questions["total"], len(questions["items"]), bool(questions["next_cursor"])) == (12, 5, True)
    assert questions["items"][3]["expected"]["documents"][0]["name"] == "规定.md"
    bad = await world.editor.post(f"{path}/import", json={"format": "csv", "content": "nothing here"})
    assert (bad.status_code, bad.json()["code"]) == (422, "question-file-invalid")


async def test_an_explanation_takes_one_subject_and_hides_what_is_not_there(world: World) -> None:
    base_id = await empty_base(world)
    body: dict[str, Any] = {"query": "refund", "knowledge_base_ids": [base_id]}
    for subject in ({}, {"document_id": str(UUID(int=1)), "paragraph_id": str(UUID(int=2))}):
        refused = await world.viewer.post(f"{API}/hit-test/explain", json=body | subject)
        assert refused.status_code == 422
    answers = [
        (await world.viewer.post(f"{API}/hit-test/explain", json=body | subject)).json()
        for subject in ({"document_id": str(UUID(int=1))}, {"paragraph_id": str(UUID(int=1))})
    ]
    assert {answer["code"] for answer in answers} == {"nothing-to-explain"}
