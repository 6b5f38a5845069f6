"""Which intent would this be? What a question is taken for, shown to whoever edits the tree."""

import time
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.context import Services, StageModels
from refdesk.chat.intents.resolving import THRESHOLD, classify, outcome_of
from refdesk.chat.intents.schemas import IntentScore, IntentTried, IntentTry
from refdesk.chat.intents.snapshots import SNAPSHOTS
from refdesk.chat.intents.tree import Intent
from refdesk.chat.language import language_of
from refdesk.chat.profile import ApplicationProfiles
from refdesk.gateway import Purpose

MOST_SHOWN = 10


async def try_question(
    services: Services, profiles: ApplicationProfiles, scope: Scope, application_id: UUID, given: IntentTry
) -> IntentTried:
    """Classify one question as a run of the application would."""
    started = time.perf_counter()
    async with services.database.transaction() as session:
        profile = await profiles.profile(session, scope, application_id)
    models = StageModels(services, scope, profile, Purpose("intents", application_id))
    snapshot = await SNAPSHOTS.present(services.database, scope, application_id)
    method, scores = "none", []
    if snapshot.tree.leaves:
        found = await classify(
            models,
            snapshot,
            [given.question],
            language_of(given.question),
            {},
            by_model=given.by == "model",
        )
        outcome = outcome_of([given.question], found.scores, found.method)
        accepted = {intent.id for intent, _ in outcome.asked[0].intents}
        method = found.method
        scores = [_shown(intent, score, intent.id in accepted) for intent, score in found.scores[0]]
    elapsed_ms = round((time.perf_counter() - started) * 1000, 2)
    return IntentTried(scores=scores[:MOST_SHOWN], threshold=THRESHOLD, method=method, elapsed_ms=elapsed_ms)


def _shown(intent: Intent, score: float, accepted: bool) -> IntentScore:
    return IntentScore(
        id=intent.id,
        code=intent.code,
        name=intent.name,
        path=list(intent.path),
        kind=intent.kind.value,  # pyright: ignore[reportArgumentType] — an IntEnum of these three
        score=round(score, 4),
        accepted=accepted,
    )
