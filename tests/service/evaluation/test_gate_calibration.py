"""Calibrating on real searches: what is fitted, what is kept with the model, and whom it concerns."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from refdesk.evaluation import TestSets
from refdesk.evaluation.errors import (
    CalibrationModelUnclear,
    CalibrationOneSided,
    CalibrationTooSmall,
    CalibrationWithoutBases,
    RerankerSilent,
)
from refdesk.evaluation.gates import (
    CalibrationProgress,
    CalibrationRequest,
    CalibrationResult,
    calibrate,
    plan_of,
)
from refdesk.evaluation.schemas import NewTestSet, QuestionInput
from refdesk.gateway import (
    Gates,
    Gateway,
    ModelRepository,
    ModelUnavailable,
    Scale,
    UnknownModel,
    WrongModelKind,
    store_gates,
)
from refdesk.gateway.schemas import ModelChange
from refdesk.gateway.service import ModelService
from refdesk.gateway.tables import Model
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.retrieval import RerankChoice
from refdesk.testing.library import Library, ShelvedBase
from refdesk.testing.reranker import ScriptedReranker

COUNT = 60


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


@dataclass(frozen=True)
class Shelf:
    base: ShelvedBase
    set_id: UUID


async def shelf(library: Library, *, named: int = 0, count: int = COUNT) -> Shelf:
    """A base of machines, and a test set that asks for each of them; `named` ask for what is not there."""
    base = await library.base(await library.embedder())
    documents = [
        await library.add(base, [f"machine m{n} takes oil grade{n} and filter f{n} every winter"])
        for n in range(count)
    ]
    questions = [
        QuestionInput(question=f"oil and filter of machine m{n}", documents=[str(document.id)])
        for n, document in enumerate(documents)
    ]
    questions += [
        QuestionInput(question=f"the price of ticket t{n} to town{n}", expects_nothing=True)
        for n in range(named)
    ]
    body = NewTestSet(name=f"set {new_id()}", knowledge_base_ids=[base.id], questions=questions)
    async with library.database.transaction() as session:
        return Shelf(base, (await TestSets(session, library.scope).create(body)).id)


async def run(library: Library, **body: object) -> tuple[list[CalibrationProgress], CalibrationResult]:
    async with library.database.transaction() as session:
        plan = await plan_of(session, library.scope, CalibrationRequest(**body))  # type: ignore[arg-type]
    events = [event async for event in calibrate(library.database, library.retriever, library.scope, plan)]
    *steps, result = events
    assert isinstance(result, CalibrationResult)
    return [step for step in steps if isinstance(step, CalibrationProgress)], result


async def row_of(library: Library, model_id: UUID) -> Model:
    async with library.database.transaction() as session:
        return await ModelRepository(session, library.scope).get(model_id)


async def add_reranker(library: Library) -> ScriptedReranker:
    reranker = ScriptedReranker()
    library.rerankers.append(reranker)
    async with library.database.transaction() as session:
        session.add(
            Model(
                id=reranker.model_id,
                workspace_id=library.workspace_id,
                kind="RERANKER",
                provider="openai-compatible",
                name=f"reranker {reranker.model_id}",
                model_name="reranker",
                base_url="http://127.0.0.1:9",
                parameters={},
            )
        )
    return reranker


async def test_gates_are_fitted_judged_and_kept_with_the_model(library: Library) -> None:
    made = await shelf(library, named=COUNT)
    steps, result = await run(library, test_set_id=made.set_id)
    assert [step.done for step in steps] == list(range(1, 2 * COUNT + 1))
    assert {step.total for step in steps} == {2 * COUNT}
    assert result.unanswerable == "named"
    assert result.embedder.stored
    both = next(fit for fit in result.fits if fit.gate == "both")
    assert both.auroc > 0.95
    assert both.balanced_after >= both.balanced_before
    model = await row_of(library, made.base.embedder.model_id)
    assert model.gates is not None
    assert model.gates["record"]["test_set_id"] == str(made.set_id)
    gates = Gates.from_json(model.gates)
    assert gates.both.balance == (both.after if both.is_better else 0.45)


async def test_a_dry_run_keeps_nothing_and_left_out_answers_make_the_other_kind(library: Library) -> None:
    made = await shelf(library)
    _, result = await run(library, test_set_id=made.set_id, dry_run=True)
    assert result.unanswerable == "left-out"
    assert not result.embedder.stored
    both = next(fit for fit in result.fits if fit.gate == "both")
    assert both.fitted[0] == both.fitted[1]
    assert both.fitted[0] + both.judged[0] == COUNT
    assert (await row_of(library, made.base.embedder.model_id)).gates is None


async def test_a_second_calibration_starts_from_the_same_scores_and_from_the_gates_in_force(
    library: Library,
) -> None:
    made = await shelf(library)
    _, first = await run(library, test_set_id=made.set_id, dry_run=True)
    made.base.embedder.gates = Gates(both=Scale(0.7), meaning=Scale(0.6))
    async with library.database.transaction() as session:
        await store_gates(
            session, library.scope, made.base.embedder.model_id, made.base.embedder.gates.to_json()
        )
    async with library.database.transaction() as session:
        plan = await plan_of(
            session, library.scope, CalibrationRequest(test_set_id=made.set_id, dry_run=False)
        )
    (*_, again) = [
        event async for event in calibrate(library.database, library.retriever, library.scope, plan)
    ]
    assert isinstance(again, CalibrationResult)
    one, other = (next(fit for fit in each.fits if fit.gate == "both") for each in (first, again))
    assert (one.before, other.before) == (0.45, 0.7)
    assert one.after == pytest.approx(other.after)


async def test_stored_gates_change_what_is_found_for_that_embedder_only(library: Library) -> None:
    """One request over two bases: the same text, the same question, two embedders, one of them fitted."""
    one = await library.base(await library.embedder(64))
    other = await library.base(await library.embedder(64))
    for base in (one, other):
        await library.add(base, ["the lamp of the harbour is lit at dusk by the keeper"])
    asked = "who lights the harbour lamp"
    plain = await library.search(asked, one, other, mode="embedding")
    assert len(plain.hits) == 2
    assert plain.hits[0].similarity == pytest.approx(plain.hits[1].similarity)
    one.embedder.gates = Gates(meaning=Scale(0.85))
    both = await library.search(asked, one, other, mode="embedding")
    assert [hit.knowledge_base_id for hit in both.hits] == [other.id]
    assert both.hits[0].similarity == plain.hits[0].similarity
    assert [why for _, why in both.dropped] == ["below_threshold"]
    assert both.found
    alone = await library.search(asked, one, mode="embedding")
    assert alone.decision is not None
    assert alone.decision.gate == "absolute"
    assert alone.decision.score == alone.best < 0.45
    assert alone.decision.below == alone.candidates == 1
    # Gates of meaning alone say nothing of words, nor of both together.
    assert (await library.search(asked, one, mode="keywords")).best == (
        await library.search(asked, other, mode="keywords")
    ).best
    assert (await library.search(asked, one)).best == (await library.search(asked, other)).best


async def test_the_gate_of_a_reranker_holds_unless_a_request_names_another(library: Library) -> None:
    made = await shelf(library, named=COUNT)
    reranker = await add_reranker(library)
    _, result = await run(library, test_set_id=made.set_id, reranker_id=reranker.model_id)
    assert result.reranker is not None
    assert result.reranker.stored
    assert result.reranker.gates is not None
    least = result.reranker.gates.least_score
    assert least is not None
    assert (await row_of(library, reranker.model_id)).gates is not None
    reranker.least_score = 2.0  # above all that it ever gives
    asked, choice = "oil and filter of machine m7", RerankChoice(reranker.model_id)
    held = await library.search(asked, made.base, rerank=choice)
    assert held.decision is not None
    assert (held.decision.gate, held.decision.threshold) == ("rerank", 2.0)
    named = RerankChoice(reranker.model_id, min_score=0.0)
    assert (await library.search(asked, made.base, rerank=named)).found


async def test_another_model_behind_a_reranker_has_no_gate_of_the_former(library: Library) -> None:
    reranker = await add_reranker(library)
    async with library.database.transaction() as session:
        await store_gates(session, library.scope, reranker.model_id, {"kind": "reranker", "least_score": 0.4})
        service = ModelService(session, library.scope, Cipher(b"k" * 32))
        kept = await service.change(reranker.model_id, ModelChange(name=f"renamed {new_id()}"))
        assert kept.gates is not None
        assert (await service.change(reranker.model_id, ModelChange(model_name="other"))).gates is None


async def test_a_reranker_that_fails_ends_the_calibration(library: Library) -> None:
    made = await shelf(library)
    reranker = await add_reranker(library)
    reranker.fail_with = ModelUnavailable()
    with pytest.raises(RerankerSilent):
        await run(library, test_set_id=made.set_id, reranker_id=reranker.model_id)


async def test_what_cannot_be_fitted_is_refused_before_a_search(library: Library) -> None:
    small = await shelf(library, count=12)
    small.base.embedder.calls.clear()
    with pytest.raises(CalibrationTooSmall):
        await run(library, test_set_id=small.set_id)
    with pytest.raises(CalibrationOneSided):
        await run(library, test_set_id=small.set_id, unanswerable="named")
    assert small.base.embedder.calls == []
    with pytest.raises(UnknownModel):
        await run(library, test_set_id=small.set_id, model_id=new_id())
    with pytest.raises(WrongModelKind):
        await run(library, test_set_id=small.set_id, reranker_id=small.base.embedder.model_id)
    with pytest.raises(CalibrationWithoutBases):
        await run(library, test_set_id=small.set_id, model_id=(await library.embedder()).model_id)
    other = await library.base(await library.embedder())
    with pytest.raises(CalibrationModelUnclear):
        await run(library, test_set_id=small.set_id, knowledge_base_ids=[small.base.id, other.id])


async def test_of_several_models_only_the_bases_and_questions_of_the_one_take_part(library: Library) -> None:
    mine, theirs = await shelf(library), await shelf(library)
    ids = [mine.base.id, theirs.base.id]
    model_id = mine.base.embedder.model_id
    _, result = await run(library, test_set_id=mine.set_id, knowledge_base_ids=ids, model_id=model_id)
    assert (result.questions, result.left_aside) == (COUNT, 0)
    theirs.base.embedder.calls.clear()
    with pytest.raises(CalibrationOneSided) as refused:
        await run(library, test_set_id=theirs.set_id, knowledge_base_ids=ids, model_id=model_id)
    assert refused.value.details["left_aside"] == COUNT
    assert theirs.base.embedder.calls == []


async def test_the_gateway_hands_out_stored_gates_at_once(library: Library) -> None:
    """A model's client is kept until its row changes; storing gates changes it."""
    made = await library.embedder()
    async with library.database.transaction() as session:
        model = await ModelRepository(session, library.scope).get(made.model_id)
        model.provider, model.base_url = "openai-compatible", "http://127.0.0.1:9"
    gateway = Gateway(Settings(), library.database, Cipher(b"k" * 32))
    try:
        assert (await gateway.embedder(library.scope, made.model_id)).gates == Gates()
        fitted = Gates(both=Scale(0.6, 0.1), meaning=Scale(0.5))
        async with library.database.transaction() as session:
            await store_gates(session, library.scope, made.model_id, fitted.to_json())
        assert (await gateway.embedder(library.scope, made.model_id)).gates == fitted
        async with library.database.transaction() as session:
            await store_gates(session, library.scope, made.model_id, None)
        assert (await gateway.embedder(library.scope, made.model_id)).gates == Gates()
    finally:
        await gateway.close()


async def test_leaving_a_calibration_ends_its_searches_and_changes_nothing(library: Library) -> None:
    made = await shelf(library)
    async with library.database.transaction() as session:
        plan = await plan_of(session, library.scope, CalibrationRequest(test_set_id=made.set_id))
    made.base.embedder.calls.clear()
    events = calibrate(library.database, library.retriever, library.scope, plan)
    async for event in events:
        assert isinstance(event, CalibrationProgress)
        if event.done == 3:
            break
    await events.aclose()
    assert len(made.base.embedder.calls) == 3
    assert (await row_of(library, made.base.embedder.model_id)).gates is None
    assert library.database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
