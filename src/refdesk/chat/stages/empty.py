"""Stage `empty`: nothing relevant was found, and the answer says so instead of guessing."""

import asyncio
from typing import Any

from refdesk.chat.answering import stream_answer
from refdesk.chat.asking import answer_request
from refdesk.chat.context import RunContext
from refdesk.chat.emptiness import DEFAULT_REPLIES, NOTHING, why
from refdesk.chat.searching import decision_of
from refdesk.chat.stages.memory import Memory
from refdesk.chat.stages.retrieve.found import Found
from refdesk.chat.stages.stage import FAILURES, code_of


async def reply_empty(context: RunContext, found: Found, memory: Memory) -> None:
    """Write the configured reply, or the built-in one with the reason; the reason is a warning as well.

    An application with a prompt for this situation and a model has the reply written; that has no sources, so
    whatever it cites is taken out. Where the model fails, the reply is the one without a model.
    """
    choice, result = context.profile.stages.empty, found.search
    async with context.recorder.stage("empty") as detail:
        reason = why(result, context.language) if result is not None else NOTHING[context.language]
        if result is not None:
            detail |= {"best": round(result.best, 4), "threshold": result.threshold}
            detail["decision"] = decision_of(result)
        context.recorder.warning("nothing-found", reason)
        if context.profile.prompts.empty and choice.on and await _written(context, found, memory, detail):
            return
        configured = context.profile.empty_reply
        if configured:
            context.recorder.delta(configured)
        elif context.language == "zh":
            context.recorder.delta(f"{DEFAULT_REPLIES['zh']}。{reason}")
        else:
            context.recorder.delta(f"{DEFAULT_REPLIES['en']}. {reason}")


async def _written(context: RunContext, found: Found, memory: Memory, detail: dict[str, Any]) -> bool:
    """Let a model write the reply, if there is one that does."""
    try:
        completer = await context.model("empty")
        if completer is None:
            return False
        asked = answer_request(
            context.profile, context.language, found, memory, context_tokens=completer.context_tokens
        )
        async with asyncio.timeout(context.profile.stages.empty.deadline_s):
            await stream_answer(context, completer, asked.request, (), detail)
    except FAILURES as error:
        detail["failed"] = code_of(error)
        context.recorder.restart()
        return False
    return True
