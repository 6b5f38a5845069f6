"""What is not tokens has its price too, and tokens of vectors and scores are counted: in the record and
against budgets."""

from collections.abc import AsyncIterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from tests.service.gateway.governed import eventually
from tests.service.gateway.routed import Routed, routed_workspace

from refdesk.accounts import Scope
from refdesk.gateway import ModelRefused, Purpose, create_workspace_models
from refdesk.gateway.limits.tables import ModelLimit
from refdesk.gateway.media import PictureRequest, Recording, SpeechRequest, TranscriptionRequest
from refdesk.gateway.tables import Model
from refdesk.gateway.usage.tables import ModelCall, ModelPrice
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import ScriptedModel, scripted_model

BUDGET = Decimal(100)


@pytest.fixture
async def world(database: Database, tmp_path: Path) -> AsyncIterator[Routed]:
    async with routed_workspace(database, tmp_path) as made:
        yield made


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as running:
        yield running


async def priced(world: Routed, server: ScriptedModel, kind: str, **more: Any) -> UUID:
    """A model at 2 USD a unit and 1 USD a million tokens, in a workspace with a budget."""
    model_id = await world.model(server.base_url, kind=kind, **more)
    workspace_id = world.scope.workspace_id
    price = ModelPrice(
        id=new_id(),
        workspace_id=workspace_id,
        model_id=model_id,
        valid_from=date(2020, 1, 1),
        currency="USD",
        input_per_million=Decimal(1),
        per_unit=Decimal(2),
    )
    limit = ModelLimit(
        id=new_id(),
        workspace_id=workspace_id,
        name="Budget",
        measure="money",
        amount=BUDGET,
        currency="USD",
        window_kind="month",
        per=[],
    )
    async with world.database.transaction() as session:
        session.add_all([price, limit])
    return model_id


async def recorded(world: Routed, model_id: UUID) -> ModelCall:
    gateway = world.gateways[-1]
    await gateway.controls.usage.flush()
    async with world.database.transaction() as session:
        return (await session.scalars(select(ModelCall).where(ModelCall.model_id == model_id))).one()


async def spent(world: Routed, amount: str) -> None:
    """Wait until so much of the budget is used."""
    controls = world.gateways[-1].controls
    (rule,) = (await controls.rules.get())[world.scope.workspace_id]

    async def is_so_much() -> bool:
        return [one.used for one in await controls.counters.standing(rule)] == [Decimal(amount)]

    await eventually(is_so_much, 5)


async def test_pictures_cost_by_their_number(world: Routed, server: ScriptedModel) -> None:
    model_id = await priced(world, server, "TTI")
    painter = await world.gateway().painter(world.scope, model_id, Purpose("try"))
    pictures = await painter.paint(PictureRequest("Sea", count=3))
    call = await recorded(world, model_id)
    assert (call.units, call.cost, call.currency) == (len(pictures), 2 * len(pictures), "USD")
    assert call.units > 0


async def test_speech_costs_by_its_characters_and_a_recording_by_its_seconds(
    world: Routed, server: ScriptedModel
) -> None:
    speaks = await priced(world, server, "TTS")
    speaker = await world.gateway().speaker(world.scope, speaks, Purpose("try"))
    async with speaker.speak(SpeechRequest("早上好!")) as stream:
        assert b"".join([part async for part in stream.parts])
    call = await recorded(world, speaks)
    assert (call.units, call.cost) == (4, 8)
    hears = await world.model(server.base_url, "ears", kind="STT")
    server.then(script.body({"text": "Good morning", "language": "en", "duration": 2.5}))
    transcriber = await world.gateways[-1].transcriber(world.scope, hears, Purpose("try"))
    await transcriber.transcribe(TranscriptionRequest(Recording(b"RIFF")))
    assert (await recorded(world, hears)).units == Decimal("2.5")


async def test_vectors_cost_the_tokens_the_vendor_tells_also_against_a_budget(
    world: Routed, server: ScriptedModel
) -> None:
    model_id = await priced(world, server, "EMBEDDING", dimensions=2)
    rows = [{"index": at, "embedding": [1.0, 0.0]} for at in range(2)]
    server.then(script.body({"data": rows, "usage": {"prompt_tokens": 4_000_000, "total_tokens": 4_000_000}}))
    embedder = await world.gateway().embedder(world.scope, model_id, Purpose("index"))
    await embedder.embed_passages(["one", "two"])
    call = await recorded(world, model_id)
    assert (call.input_tokens, call.cost, call.code) == (4_000_000, 4, "ok")
    await spent(world, "4")


async def test_vectors_whose_vendor_tells_no_tokens_are_counted_by_their_length(
    world: Routed, server: ScriptedModel
) -> None:
    model_id = await priced(world, server, "EMBEDDING", dimensions=2)
    server.then(script.body({"data": [{"index": at, "embedding": [1.0, 0.0]} for at in range(2)]}))
    embedder = await world.gateway().embedder(world.scope, model_id, Purpose("index"))
    await embedder.embed_passages(["保修期多久", "a" * 30])
    call = await recorded(world, model_id)
    assert (call.input_tokens, call.code) == (5 + 10, "ok")
    assert call.cost == Decimal("0.000015")
    await spent(world, "0.000015")


async def test_scores_cost_by_documents_and_tokens(world: Routed, server: ScriptedModel) -> None:
    model_id = await priced(world, server, "RERANKER", parameters={"shape": "jina"})
    results = [{"index": at, "relevance_score": 0.5} for at in range(3)]
    server.then(script.body({"results": results, "usage": {"total_tokens": 1_000_000}}))
    reranker = await world.gateway().reranker(world.scope, model_id, Purpose("search"))
    await reranker.rerank("warranty", ["a", "b", "c"], timeout_s=5)
    call = await recorded(world, model_id)
    assert (call.units, call.input_tokens, call.cost) == (3, 1_000_000, 7)
    await spent(world, "7")


async def test_a_call_that_failed_costs_no_units(world: Routed, server: ScriptedModel) -> None:
    model_id = await priced(world, server, "TTI")
    server.always(script.error(400, "no such size"))
    painter = await world.gateway().painter(world.scope, model_id, Purpose("try"))
    with pytest.raises(ModelRefused):
        await painter.paint(PictureRequest("Sea", count=3))
    await spent(world, "0")
    assert (await recorded(world, model_id)).units == 0


async def test_calls_of_the_embedded_model_are_recorded_and_limited_by_nothing(world: Routed) -> None:
    async with world.database.transaction() as session:
        await create_workspace_models(session, Scope.system(world.scope.workspace_id))
    async with world.database.transaction() as session:
        statement = select(Model.id).where(Model.workspace_id == world.scope.workspace_id)
        model_id = (await session.scalars(statement)).one()
        closed = ModelLimit(
            id=new_id(),
            workspace_id=world.scope.workspace_id,
            name="Nothing",
            measure="requests",
            amount=Decimal(0),
            window_kind="day",
            per=[],
        )
        session.add(closed)
    embedder = await world.gateway().embedder(world.scope, model_id, Purpose("search", request_id="r-9"))
    assert (await embedder.embed_queries(["How long is the warranty?"])).shape == (1, embedder.dimensions)
    call = await recorded(world, model_id)
    assert (call.kind, call.path, call.code, call.request_id) == ("EMBEDDING", "search", "ok", "r-9")
    assert call.input_tokens == 9  # 25 characters, by their number
