"""From the sub-questions of a run to the intents they mean.

A model chooses where one is connected, else the examples do; whatever fails, the next way is tried, and the
last is that no intent is known, with which the answer goes on. Never reads retrieved text or tool results.
"""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.exc import SQLAlchemyError

from refdesk.chat.context import RunContext
from refdesk.chat.intents.asking_model import ModelAnswerUnusable, ask_model
from refdesk.chat.intents.snapshots import SNAPSHOTS, Ranking, Snapshot
from refdesk.chat.intents.tree import MOST_INTENTS_A_QUESTION, AskedIntents, Intent, IntentOutcome, IntentTree
from refdesk.gateway import Embedder, Purpose
from refdesk.kit.errors import AppError, NotFound

log = structlog.get_logger(__name__)

THRESHOLD = 0.35
# With more leaves than this a model sees those that the examples prefer.
MOST_SHOWN_TO_MODEL = 40
SHORTLIST = 24
# Intents that come this close to the best are told beside the accepted ones, for the guidance.
NEAR = 0.7
# The embeddings' part; on a cold process the examples of a new tree may have to be embedded first.
EXAMPLES_DEADLINE_S = 10.0


async def resolve_intents(
    context: RunContext, questions: Sequence[str], detail: dict[str, Any] | None = None
) -> IntentOutcome:
    """The intents of each sub-question, at most three in all. Does not raise but on database faults while
    reading the tree; `detail` gets the record."""
    nothing = IntentOutcome(tuple(AskedIntents(question) for question in questions))
    application_id = context.profile.application_id
    if application_id is None:
        return nothing
    snapshot = await SNAPSHOTS.present(context.database, context.scope, application_id)
    tree = snapshot.tree
    if not tree.leaves:
        return nothing
    chosen = _chosen(context, tree)
    outcome = chosen or await _resolve(context, snapshot, questions, detail)
    if detail is not None:
        detail |= record_of(outcome)
    return outcome


async def _resolve(
    context: RunContext, snapshot: Snapshot, questions: Sequence[str], detail: dict[str, Any] | None
) -> IntentOutcome:
    completer = await context.model("intents")
    tree, ranked = snapshot.tree, None
    if completer is None or len(tree.leaves) > MOST_SHOWN_TO_MODEL:
        ranked = await _by_examples(context, snapshot, questions, detail)
    if completer is not None:
        shown = _shortlist(tree, ranked)
        try:
            scored, usage = await ask_model(completer, shown, questions, context.language)
        except (AppError, ModelAnswerUnusable) as error:
            reason = error.code if isinstance(error, AppError) else "model-bad-response"
            log.warning("chat.intents-model-failed", error=reason)
            if detail is not None:
                detail["model_failed"] = reason
            ranked = ranked or await _by_examples(context, snapshot, questions, detail)
        else:
            if usage is not None:
                context.recorder.add_usage(*usage)
            return outcome_of(questions, scored, "model")
    if ranked is None:
        return IntentOutcome(tuple(AskedIntents(question) for question in questions))
    return outcome_of(questions, [one.scores for one in ranked], "examples")


async def _by_examples(
    context: RunContext, snapshot: Snapshot, questions: Sequence[str], detail: dict[str, Any] | None
) -> list[Ranking] | None:
    try:
        async with asyncio.timeout(EXAMPLES_DEADLINE_S):
            embedder = await _embedder(context)
            return await snapshot.rank(embedder, questions) if embedder is not None else None
    except (AppError, TimeoutError, SQLAlchemyError, OSError) as error:
        reason = error.code if isinstance(error, AppError) else type(error).__name__
        log.warning("chat.intents-examples-failed", error=reason)
        if detail is not None:
            detail["examples_failed"] = reason
        return None


async def _embedder(context: RunContext) -> Embedder | None:
    """The model of the first base: it embeds the question for the search anyway, and a vector is kept."""
    for base_id in context.profile.knowledge_base_ids[:1]:
        try:
            return await context.embedders.embedder(context.scope, base_id)
        except NotFound:
            break
    gateway, purpose = context.models.services.gateway, "intents"
    model_id = await gateway.default_model(context.scope, "EMBEDDING", purpose)
    if model_id is None:
        return None
    return await gateway.embedder(context.scope, model_id, Purpose(purpose, context.profile.application_id))


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
        near = tuple(one for one in scores[count : count + 6] if one[1] >= NEAR * best) if count else ()
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
