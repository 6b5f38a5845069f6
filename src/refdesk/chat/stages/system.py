"""Stage `system`: what the desk answers by itself, without a document or a tool, where an intent says so.

The intent's reply as it stands, or what a model writes by the intent's prompt. It has no sources: whatever it
cites is taken out.
"""

import asyncio
from typing import Any

from refdesk.chat.answering import stream_answer
from refdesk.chat.asking import history_messages
from refdesk.chat.context import RunContext
from refdesk.chat.intents import Intent, IntentKind, IntentOutcome
from refdesk.chat.stages.memory import Memory
from refdesk.chat.stages.stage import FAILURES, code_of
from refdesk.gateway import CompletionRequest, Message

HISTORY_TOKENS = 1_500


def system_only(outcome: IntentOutcome) -> Intent | None:
    """The SYSTEM intent that is all the question means, if it means one alone."""
    best = [asked.intents[0][0] if asked.intents else None for asked in outcome.asked]
    first = best[0] if best else None
    if first is None or any(one is None or one.kind is not IntentKind.SYSTEM for one in best):
        return None
    return first


async def answer_alone(context: RunContext, intent: Intent, memory: Memory) -> bool:
    """Write the answer; False where there is neither a reply nor a model to write one."""
    async with context.recorder.stage("system") as detail:
        detail |= {"intent": intent.code, "name": intent.name}
        if intent.system_prompt and await _written(context, intent, memory, detail):
            return True
        if not intent.reply:
            return False
        context.recorder.delta(intent.reply)
        return True


async def _written(context: RunContext, intent: Intent, memory: Memory, detail: dict[str, Any]) -> bool:
    """Let a model answer. Raises what it raises where the intent has no reply instead."""
    try:
        completer = await context.model("system")
        if completer is None:
            return False
        request = CompletionRequest(
            messages=[
                Message("system", intent.system_prompt),
                *history_messages(memory.turns, HISTORY_TOKENS),
                Message("user", context.with_pictures(context.question)),
            ],
            temperature=context.profile.temperature,
            max_tokens=context.profile.max_tokens,
        )
        async with asyncio.timeout(context.profile.stages.system.deadline_s):
            await stream_answer(context, completer, request, (), detail)
    except FAILURES as error:
        detail["failed"] = code_of(error)
        if not intent.reply:
            raise
        context.recorder.restart()
        return False
    return True
