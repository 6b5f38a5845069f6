"""Caches: the same is computed once, and nothing is given to whom it does not belong."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import func, select
from tests.service.gateway.governed import Governed, eventually, governed

from refdesk.gateway.caching.tables import (
    CachedEmbedding,
    CachedResponse,
    EmbeddingCacheFigures,
    ResponseCachePolicy,
)
from refdesk.gateway.calibration import Calibration
from refdesk.gateway.calls import Completion, CompletionRequest, Message, ToolSpec, UsageReport, Vectors
from refdesk.gateway.controls import Controls
from refdesk.gateway.embedded import CALIBRATION
from refdesk.gateway.gates import DEFAULT_GATES, Gates
from refdesk.gateway.tables import Model
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings

QUESTION = CompletionRequest([Message("user", "What is the limit?")], temperature=0.2, timeout_s=5)
ANSWER = Completion("100", "stop", usage=UsageReport(10, 1))


@pytest.fixture
async def desk(database: Database) -> Governed:
    return await governed(database)


@pytest.fixture
async def controls(database: Database) -> AsyncIterator[Controls]:
    made = Controls(Settings(), database)
    yield made
    await made.close()


async def allow(desk: Governed, **more: object) -> UUID:
    application = new_id()
    values = {"ttl_s": 3600, "max_bytes": 10**6, "with_tools": False} | more
    async with desk.database.transaction() as session:
        session.add(
            ResponseCachePolicy(
                application_id=application, workspace_id=desk.scope.workspace_id, hits=0, misses=0, **values
            )
        )
    return application


async def ask(desk: Governed, controls: Controls, application: UUID, request: CompletionRequest) -> bool:
    """As the flow does: ask the cache, else keep the answer. Whether it was known."""
    purpose = replace(desk.purpose, application_id=application)
    slot = await controls.responses.slot(desk.scope, purpose, desk.model, request)
    assert slot is not None
    known = await controls.responses.get(slot)
    if known is None:
        controls.responses.put(slot, ANSWER)
        await asyncio.gather(*controls.responses._tasks)
        return False
    assert known == ANSWER
    return True


async def test_the_same_question_is_answered_from_the_cache(desk: Governed, controls: Controls) -> None:
    application = await allow(desk)
    assert not await ask(desk, controls, application, QUESTION)
    assert await ask(desk, controls, application, replace(QUESTION, timeout_s=9))
    for other in (
        replace(QUESTION, temperature=0.3),
        replace(QUESTION, messages=[Message("system", "What is the limit?")]),
        replace(QUESTION, json_schema={"type": "object"}),
        replace(QUESTION, max_tokens=10),
    ):
        assert not await ask(desk, controls, application, other)
    (figures,) = await desk.values(
        select(ResponseCachePolicy.hits, ResponseCachePolicy.misses).where(
            ResponseCachePolicy.application_id == application
        )
    )
    assert tuple(figures) == (1, 5)


async def test_a_changed_model_answers_anew(desk: Governed, controls: Controls) -> None:
    application = await allow(desk)
    await ask(desk, controls, application, QUESTION)
    desk.model.updated_at += timedelta(microseconds=1)
    assert not await ask(desk, controls, application, QUESTION)


async def test_an_old_answer_is_not_given(desk: Governed, controls: Controls) -> None:
    application = await allow(desk, ttl_s=1)
    await ask(desk, controls, application, QUESTION)
    await asyncio.sleep(1.1)
    purpose = replace(desk.purpose, application_id=application)
    slot = await controls.responses.slot(desk.scope, purpose, desk.model, QUESTION)
    assert slot is not None
    assert await controls.responses.get(slot) is None


async def test_only_applications_that_want_it_and_only_without_tools(
    desk: Governed, controls: Controls, database: Database
) -> None:
    application = await allow(desk)
    with_tools = replace(QUESTION, tools=[ToolSpec("t", "d", {})])

    async def slot(of: Governed, to: UUID | None, request: CompletionRequest) -> object:
        purpose = replace(of.purpose, application_id=to)
        return await controls.responses.slot(of.scope, purpose, of.model, request)

    assert await slot(desk, application, QUESTION) is not None
    assert await slot(desk, application, with_tools) is None
    assert await slot(desk, None, QUESTION) is None
    assert await slot(desk, new_id(), QUESTION) is None
    assert await slot(await governed(database), application, QUESTION) is None
    assert await slot(desk, await _known(desk, controls, with_tools=True), with_tools) is not None


async def _known(desk: Governed, controls: Controls, **more: object) -> UUID:
    application = await allow(desk, **more)

    async def is_known() -> bool:
        purpose = replace(desk.purpose, application_id=application)
        return await controls.responses.slot(desk.scope, purpose, desk.model, QUESTION) is not None

    await eventually(is_known, 1.5)
    return application


async def test_the_oldest_answers_go_when_there_are_too_many(
    desk: Governed, controls: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refdesk.gateway.caching.responses._TRIM_EVERY", 2)
    application = await allow(desk, max_bytes=1000)
    for number in range(12):
        await ask(desk, controls, application, replace(QUESTION, max_tokens=100 + number))
    rows = await desk.values(
        select(func.sum(CachedResponse.size)).where(CachedResponse.application_id == application)
    )
    assert rows[0][0] < 1300
    assert await ask(desk, controls, application, replace(QUESTION, max_tokens=111))


async def test_a_broken_or_empty_answer_is_not_kept(desk: Governed, controls: Controls) -> None:
    application = await allow(desk)
    purpose = replace(desk.purpose, application_id=application)
    slot = await controls.responses.slot(desk.scope, purpose, desk.model, QUESTION)
    assert slot is not None
    for answer in (Completion("half", "other"), Completion("", "stop"), Completion("x", "content_filter")):
        controls.responses.put(slot, answer)
    assert not controls.responses._tasks
    assert await controls.responses.get(slot) is None


@dataclass
class CountingEmbedder:
    model_id: UUID
    asked: list[str] = field(default_factory=list)
    dimensions: int = 4
    calibration: Calibration = CALIBRATION
    gates: Gates = DEFAULT_GATES
    max_batch: int = 32

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return np.array([[len(text), 1, 2, 3] for text in texts], dtype=np.float32)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return -await self.embed_queries(texts)


async def test_equal_passages_are_embedded_once_even_by_another_process(
    desk: Governed, controls: Controls, database: Database
) -> None:
    embedder = CountingEmbedder(desk.model.id)
    first = controls.embeddings.wrap(embedder, "e5")
    made = await first.embed_passages(["a", "bb", "a"])
    assert embedder.asked == ["a", "bb"]
    other = Controls(Settings(), database)
    again = await other.embeddings.wrap(embedder, "e5").embed_passages(["bb", "ccc", "a"])
    await other.close()
    assert embedder.asked == ["a", "bb", "ccc"]
    np.testing.assert_array_equal(made, [[-1, -1, -2, -3], [-2, -1, -2, -3], [-1, -1, -2, -3]])
    np.testing.assert_array_equal(again[:, 0], [-2, -3, -1])
    assert again.dtype == np.float32
    (figures,) = await desk.values(
        select(EmbeddingCacheFigures.hits, EmbeddingCacheFigures.misses).where(
            EmbeddingCacheFigures.model_id == desk.model.id
        )
    )
    assert tuple(figures) == (3, 3)


async def test_what_changes_the_vectors_changes_the_key(desk: Governed, controls: Controls) -> None:
    embedder = CountingEmbedder(desk.model.id)
    await controls.embeddings.wrap(embedder, "prefix: passage").embed_passages(["a"])
    await controls.embeddings.wrap(embedder, "prefix: other").embed_passages(["a"])
    assert embedder.asked == ["a", "a"]


async def test_queries_and_passages_are_kept_apart(desk: Governed, controls: Controls) -> None:
    embedder = CountingEmbedder(desk.model.id)
    cached = controls.embeddings.wrap(embedder, "e5")
    passages = await cached.embed_passages(["a"])
    for _ in range(2):
        np.testing.assert_array_equal(await cached.embed_queries(["a"]), -passages)
    assert embedder.asked == ["a", "a"]


async def test_without_bytes_for_it_nothing_is_kept(desk: Governed, database: Database) -> None:
    controls = Controls(Settings(embedding_cache_bytes=0), database)
    embedder = CountingEmbedder(desk.model.id)
    assert controls.embeddings.wrap(embedder, "e5") is embedder
    await controls.close()


async def test_vectors_of_a_deleted_model_go_with_it(desk: Governed, controls: Controls) -> None:
    await controls.embeddings.wrap(CountingEmbedder(desk.model.id), "e5").embed_passages(["a"])
    count = select(func.count()).where(CachedEmbedding.model_id == desk.model.id)
    assert (await desk.values(count))[0][0] == 1
    async with desk.database.transaction() as session:
        await session.delete(await session.get_one(Model, desk.model.id))
    assert (await desk.values(count))[0][0] == 0
