"""From the sub-questions of a run to the intents they mean.

A model chooses where one is connected, else the examples do; whatever fails, the next way is tried, and the
last is that no intent is known, with which the answer goes on. Never reads retrieved text or tool results.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.exc import SQLAlchemyError

from refdesk.chat.context import RunContext, StageModels
from refdesk.chat.intents.asking_model import ModelAnswerUnusable, ask_model
from refdesk.chat.intents.snapshots import SNAPSHOTS, Ranking, Snapshot
from refdesk.chat.intents.tree import MOST_INTENTS_A_QUESTION, AskedIntents, Intent, IntentOutcome, IntentTree
from refdesk.chat.language import Language
from refdesk.gateway import Embedder, Purpose
from refdesk.kit.errors import AppError, NotFound

log = structlog.get_logger(__name__)

THRESHOLD = 0.35
# With more leaves than this a model sees those that the examples prefer.
MOST_SHOWN_TO_MODEL = 40
SHORTLIST = 24
# Intents that come this close to the best are told beside the accepted ones, for the guidance; one of the
# same name elsewhere in the tree need not come as close, since its examples are of another domain.
NEAR, NEAR_NAMESAKE = 0.7, 0.25
# The embeddings' part; on a cold process the examples of a new tree may have to be embedded first.
EXAMPLES_DEADLINE_S = 10.0


async def resolve_intents(
    context: RunContext, questions: Sequence[str], detail: dict[str, Any] | None = None
) -> IntentOutcome:
    """The intents of each sub-question, at most three in all; `detail` gets the record. Raises database
    faults while reading the tree; a model that fails is done without."""
    nothing = IntentOutcome(tuple(AskedIntents(question) for question in questions))
    application_id = context.profile.application_id
    if application_id is None:
        return nothing
    snapshot = await SNAPSHOTS.present(context.database, context.scope, application_id)
    if not snapshot.tree.leaves:
        return nothing
    outcome = _chosen(context, snapshot.tree)
    if outcome is None:
        detail = {} if detail is None else detail
        found = await classify(context.models, snapshot, questions, context.language, detail)
        if found.tokens is not None:
            context.recorder.add_usage(*found.tokens)
        outcome = outcome_of(questions, found.scores, found.method)
    if detail is not None:
        detail |= record_of(outcome)
    return outcome


@dataclass(frozen=True, slots=True)
class Classification:
    """The scores of each question, best first; `tokens` are those of the model's call, in and out."""

    scores: Sequence[Sequence[tuple[Intent, float]]]
    method: str
    tokens: tuple[int, int] | None = None


async def classify(
    models: StageModels,
    snapshot: Snapshot,
    questions: Sequence[str],
    language: Language,
    detail: dict[str, Any],
    *,
    by_model: bool = True,
) -> Classification:
    """Score all leaves for each question: by the stage's model, else by the examples, else not at all.
    `detail` tells what failed."""
    tree, ranked = snapshot.tree, None
    completer = await models.of("intents") if by_model else None
    if completer is None or len(tree.leaves) > MOST_SHOWN_TO_MODEL:
        ranked = await _by_examples(models, snapshot, questions, detail)
    if completer is not None:
        shown = _shortlist(tree, ranked)
        try:
            scored, tokens = await ask_model(completer, shown, questions, language)
        except (AppError, ModelAnswerUnusable) as error:
            reason = error.code if isinstance(error, AppError) else "model-bad-response"
            log.warning("chat.intents-model-failed", error=reason)
            detail["model_failed"] = reason
            ranked = ranked or await _by_examples(models, snapshot, questions, detail)
        else:
            return Classification(scored, "model", tokens)
    if ranked is None:
        return Classification([[] for _ in questions], "none")
    return Classification([one.scores for one in ranked], "examples")


async def _by_examples(
    models: StageModels, snapshot: Snapshot, questions: Sequence[str], detail: dict[str, Any]
) -> list[Ranking] | None:
    try:
        async with asyncio.timeout(EXAMPLES_DEADLINE_S):
            embedder = await _embedder(models)
            return await snapshot.rank(embedder, questions) if embedder is not None else None
    except (AppError, TimeoutError, SQLAlchemyError, OSError) as error:
        reason = error.code if isinstance(error, AppError) else type(error).__name__
        log.warning("chat.intents-examples-failed", error=reason)
        detail["examples_failed"] = reason
        return None


async def _embedder(models: StageModels) -> Embedder | None:
    """The model of the first base: it embeds the question for the search anyway, and a vector is kept."""
    services, scope = models.services, models.scope
    for base_id in models.profile.knowledge_base_ids[:1]:
        try:
            return await services.embedder(scope, base_id)
        except NotFound:
            break
    purpose = Purpose("intents", models.profile.application_id)
    model_id = await services.gateway.default_model(scope, "EMBEDDING", purpose.path)
    return await services.gateway.embedder(scope, model_id, purpose) if model_id is not None else None


def _shortlist(tree: IntentTree, ranked: list[Ranking] | None) -> tuple[Intent, ...]:
    """What a model is shown: all leaves, or of many those that any of the questions comes close to."""
    if ranked is None or len(tree.leaves) <= MOST_SHOWN_TO_MODEL:
        return tree.leaves[:MOST_SHOWN_TO_MODEL]
    each = max(1, SHORTLIST // len(ranked))
    wanted = {intent.id for one in ranked for intent, _ in one.scores[:each]}
    return tuple(leaf for leaf in tree.leaves if leaf.id in wanted)


def outcome_of(
    questions: Sequence[str], scored: Sequence[Sequence[tuple[Intent, float]]], method: str
) -> IntentOutcome:
    """What is accepted: scores from the threshold up, at most three over all questions. Each question keeps
    its best before another one gets a second."""
    places = sorted(
        (rank, -score, number)
        for number, scores in enumerate(scored)
        for rank, (_, score) in enumerate(scores)
        if score >= THRESHOLD and rank < MOST_INTENTS_A_QUESTION
    )[:MOST_INTENTS_A_QUESTION]
    kept = [0] * len(questions)
    for _, _, number in places:
        kept[number] += 1
    asked: list[AskedIntents] = []
    for question, scores, count in zip(questions, scored, kept, strict=True):
        best = scores[0][1] if scores else 0.0
        name = scores[0][0].name.casefold() if count else ""
        near = tuple(
            (intent, score)
            for intent, score in scores[count:]
            if count and score >= best * (NEAR_NAMESAKE if intent.name.casefold() == name else NEAR)
        )
        asked.append(AskedIntents(question, tuple(scores[:count]), near))
    return IntentOutcome(tuple(asked), method)


def _chosen(context: RunContext, tree: IntentTree) -> IntentOutcome | None:
    """What was resolved before the person was asked, with the choice in its place."""
    resumed = context.resumed
    if resumed is None or resumed.pending.kind != "guidance":
        return None
    state = resumed.pending.state
    option = next((one for one in state.get("options", ()) if one["value"] == resumed.option), None)
    if option is None or "asked" not in state:
        return None
    asked: list[AskedIntents] = []
    for number, kept in enumerate(state["asked"]):
        found = [(tree.find(UUID(intent_id)), score) for intent_id, score in kept["intents"]]
        intents = tuple((intent, score) for intent, score in found if intent is not None)
        documents = tuple(UUID(id_) for id_ in kept.get("document_ids", ()))
        settled = bool(kept["settled"])
        if number == state["index"]:
            settled = True
            if option.get("intent_id"):
                intent = tree.find(UUID(option["intent_id"]))
                intents = ((intent, 1.0),) if intent is not None else ()
            documents = tuple(UUID(id_) for id_ in option.get("document_ids", ())) or documents
        asked.append(AskedIntents(kept["question"], intents, (), settled, documents))
    return IntentOutcome(tuple(asked), "person")


def kept_questions(context: RunContext) -> tuple[str, ...] | None:
    """The sub-questions as they were when the person was asked; None where nothing was asked of that kind."""
    resumed = context.resumed
    if resumed is None or resumed.pending.kind != "guidance":
        return None
    return tuple(kept["question"] for kept in resumed.pending.state.get("asked", ())) or None


def record_of(outcome: IntentOutcome) -> dict[str, Any]:
    """The outcome as the trace shows it."""
    return {
        "method": outcome.method,
        "threshold": THRESHOLD,
        "questions": [
            {
                "question": one.question,
                "intents": [_shown(intent, score) for intent, score in one.intents],
                "near": [_shown(intent, score) for intent, score in one.near],
            }
            for one in outcome.asked
        ],
    }


def _shown(intent: Intent, score: float) -> dict[str, Any]:
    return {"id": str(intent.id), "code": intent.code, "name": intent.name, "score": round(score, 3)}
