"""After an answer: whether there is something to be kept of it, as a job for the background."""

import re
from typing import Any

import structlog

from refdesk.chat.context import RunContext
from refdesk.chat.remembering import NOTE, SUMMARISE
from refdesk.chat.stages.memory import Memory
from refdesk.chat.stages.stage import FAILURES, code_of
from refdesk.jobs import enqueue

log = structlog.get_logger(__name__)

_ABOUT_SELF = re.compile(
    r"我|本人|咱|记住|\b(?:i|i'm|i've|my|me|mine|we|our|us|remember)\b",
    re.IGNORECASE,
)


async def remember(context: RunContext, memory: Memory) -> None:
    """Ask for a newer summary where turns fall out of those told whole, and for notes of what the person said
    about themselves. Two jobs of one conversation never run at once. Failing costs the job only."""
    profile = context.profile
    full = context.stored and 0 < profile.history_turns <= len(memory.turns)
    summarises = profile.stages.memory.on and profile.summary_chars > 0 and full
    takes_note = memory.notes is not None and _ABOUT_SELF.search(context.question) is not None
    if context.completer is None or not (summarises or takes_note):
        return
    shared: dict[str, Any] = {
        "workspace_id": str(context.scope.workspace_id),
        "model_id": str(profile.stages.memory.model_id or profile.model_id or ""),
        "language": context.language,
    }
    try:
        async with context.database.transaction() as session:
            if summarises:
                await enqueue(
                    session,
                    SUMMARISE,
                    lock=f"summary:{context.conversation_id}",
                    unique=True,
                    conversation_id=str(context.conversation_id),
                    window=profile.history_turns,
                    chars=profile.summary_chars,
                    **shared,
                )
            if takes_note:
                await enqueue(
                    session,
                    NOTE,
                    lock=f"notes:{context.scope.user_id}:{profile.application_id}",
                    user_id=str(context.scope.user_id),
                    application_id=str(profile.application_id),
                    said=context.question,
                    **shared,
                )
    except FAILURES as error:
        log.warning("chat.not-remembered", error=code_of(error))
