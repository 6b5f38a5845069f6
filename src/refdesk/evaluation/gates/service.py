"""Calibrating the gates of a model: which questions, the searches, the fit, and keeping what is better."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.evaluation.cases import Searcher
from refdesk.evaluation.errors import (
    CalibrationModelUnclear,
    CalibrationOneSided,
    CalibrationTooSmall,
    CalibrationWithoutBases,
)
from refdesk.evaluation.expectations import Library
from refdesk.evaluation.gates.fitting import fit_embedder, fit_reranker, halves
from refdesk.evaluation.gates.looks import Look, Question, Unanswerable, look_up
from refdesk.evaluation.gates.schemas import (
    CalibratedModel,
    CalibrationProgress,
    CalibrationRequest,
    CalibrationResult,
)
from refdesk.evaluation.gates.splitting import LEAST_SCORES
from refdesk.evaluation.service import TestSets
from refdesk.gateway import (
    GateFit,
    GateRecord,
    Gates,
    GatesView,
    ModelRepository,
    WrongModelKind,
    least_score_of,
    store_gates,
)
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.knowledge import KnowledgeBase, KnowledgeBaseRepository


@dataclass(frozen=True, slots=True)
class Plan:
    """A calibration that can be run. `left_aside` counts questions that cannot be used."""

    set_name: str
    test_set_id: UUID | None
    questions: tuple[Question, ...]
    left_aside: int
    base_ids: tuple[UUID, ...]
    model_id: UUID
    reranker_id: UUID | None
    unanswerable: Unanswerable
    dry_run: bool


async def plan_of(session: AsyncSession, scope: Scope, body: CalibrationRequest) -> Plan:
    """What is to be run. Raises `CalibrationTooSmall`, `CalibrationOneSided`, `CalibrationWithoutBases`,
    `CalibrationModelUnclear`, `UnknownModel`, `WrongModelKind`, and what reading a test set raises."""
    sets = TestSets(session, scope)
    name = body.set_name or "–"
    if body.test_set_id is not None:
        name = (await sets.get(body.test_set_id)).name
        base_ids = body.knowledge_base_ids or await sets.bases_of(body.test_set_id)
        bases = await KnowledgeBaseRepository(session, scope).get_many(base_ids)
        cases, library = await sets.cases(body.test_set_id)
        questions = [Question.of(case) for case in cases]
    else:
        given = body.questions or []
        bases = await KnowledgeBaseRepository(session, scope).get_many(body.knowledge_base_ids or ())
        library = await Library.of_given(session, scope, [base.id for base in bases], given)
        questions = [Question(one.id, one.question, library.of_input(one)) for one in given]
    model_id = body.model_id or _only_model(bases)
    await _require_kind(session, scope, model_id, "EMBEDDING")
    if body.reranker_id is not None:
        await _require_kind(session, scope, body.reranker_id, "RERANKER")
    searched = tuple(base.id for base in bases if base.embedding_model_id == model_id)
    if not searched:
        raise CalibrationWithoutBases(model_id=str(model_id))
    usable = [one for one in questions if _is_usable(one, library, searched)]
    kind = _kind_of(body, usable)
    asked = tuple(one for one in usable if kind == "named" or not one.expected.is_unanswerable)
    left_aside = len(questions) - len(usable)
    plan = Plan(
        name,
        body.test_set_id,
        asked,
        left_aside,
        searched,
        model_id,
        body.reranker_id,
        kind,
        body.dry_run,
    )
    _require_enough(plan)
    return plan


async def calibrate(
    database: Database, searcher: Searcher, scope: Scope, plan: Plan
) -> AsyncGenerator[CalibrationProgress | CalibrationResult]:
    """Run the searches, fit, and store what is better than before. Holds no transaction while searching."""
    looks: list[Look] = []
    async for look in look_up(searcher, scope, plan.questions, plan.base_ids, reranker_id=plan.reranker_id):
        looks.append(look)
        yield CalibrationProgress(done=len(looks), total=len(plan.questions))
    async with database.transaction() as session:
        before = Gates.from_json((await ModelRepository(session, scope).get(plan.model_id)).gates)
        least = None
        if plan.reranker_id is not None:
            least = least_score_of((await ModelRepository(session, scope).get(plan.reranker_id)).gates)
    try:
        fitted = await asyncio.to_thread(fit_embedder, looks, plan.unanswerable, before)
        of_reranker = None
        if plan.reranker_id is not None:
            of_reranker = await asyncio.to_thread(fit_reranker, looks, plan.unanswerable, least)
    except ValueError as error:
        raise CalibrationTooSmall(reason=str(error)) from error
    gates: dict[str, Any] | None = fitted.gates.to_json() if any(f.is_better for f in fitted.fits) else None
    async with database.transaction() as session:
        embedder = await _keep(session, scope, plan, plan.model_id, gates, fitted.fits)
        reranker = None
        if plan.reranker_id is not None and of_reranker is not None:
            kept = {"kind": "reranker", "least_score": of_reranker.after} if of_reranker.is_better else None
            reranker = await _keep(session, scope, plan, plan.reranker_id, kept, (of_reranker,))
    yield CalibrationResult(
        embedder=embedder,
        reranker=reranker,
        dry_run=plan.dry_run,
        unanswerable=plan.unanswerable,
        questions=len(plan.questions),
        left_aside=plan.left_aside,
        fits=[*fitted.fits, *([of_reranker] if of_reranker is not None else [])],
    )


async def _keep(
    session: AsyncSession,
    scope: Scope,
    plan: Plan,
    model_id: UUID,
    gates: dict[str, Any] | None,
    fits: Sequence[GateFit],
) -> CalibratedModel:
    """Store the gates with where they come from; None, or a dry run, leaves the model as it is."""
    model = await ModelRepository(session, scope).get(model_id)
    stored = False
    if gates is not None and not plan.dry_run:
        stored = True
        record = GateRecord(
            set_name=plan.set_name,
            test_set_id=plan.test_set_id,
            fitted_at=now(),
            unanswerable=plan.unanswerable,
            questions=len(plan.questions),
            fits=list(fits),
        )
        model = await store_gates(
            session, scope, model_id, gates | {"record": record.model_dump(mode="json")}
        )
    view = GatesView.model_validate(model.gates) if model.gates is not None else None
    return CalibratedModel(id=model.id, name=model.name, stored=stored, gates=view)


def _only_model(bases: Sequence[KnowledgeBase]) -> UUID:
    models = {base.embedding_model_id for base in bases}
    if len(models) != 1:
        raise CalibrationModelUnclear(model_ids=sorted(map(str, models)))
    return models.pop()


async def _require_kind(session: AsyncSession, scope: Scope, model_id: UUID, kind: str) -> None:
    model = await ModelRepository(session, scope).get(model_id)
    if model.kind != kind:
        raise WrongModelKind(needed=kind, found=model.kind)


def _is_usable(question: Question, library: Library, base_ids: Sequence[UUID]) -> bool:
    """Whether it is known what the question should find, and all of it lies in the bases searched."""
    expected = question.expected
    if expected.is_unanswerable:
        return True
    if not expected.is_judged or expected.unavailable or expected.unknown:
        return False
    documents = set(expected.document_ids)
    documents |= {library.paragraphs[key].document_id for key in expected.paragraph_ids}
    return all(library.documents[key].knowledge_base_id in base_ids for key in documents)


def _kind_of(body: CalibrationRequest, questions: Sequence[Question]) -> Unanswerable:
    if body.unanswerable != "auto":
        return body.unanswerable
    return "named" if any(one.expected.is_unanswerable for one in questions) else "left-out"


def _require_enough(plan: Plan) -> None:
    """Refuse before a search is made what cannot be fitted after it."""
    looks = [Look(one.key, not one.expected.is_unanswerable, ()) for one in plan.questions]

    def counts(of: Sequence[Look]) -> tuple[int, int]:
        answerable = sum(look.has_answer for look in of)
        return answerable, answerable if plan.unanswerable == "left-out" else len(of) - answerable

    answerable, unanswerable = counts(looks)
    told: dict[str, Any] = {
        "answerable": answerable,
        "unanswerable": unanswerable,
        "left_aside": plan.left_aside,
    }
    if not answerable or not unanswerable:
        raise CalibrationOneSided(**told)
    if any(min(counts(half)) < LEAST_SCORES for half in halves(looks)):
        raise CalibrationTooSmall(**told, needed_in_each_half=LEAST_SCORES)
