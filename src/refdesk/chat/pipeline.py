"""The way of a question through its stages, in one place to read.

memory → rewrite and split → intents → guidance → system-only → retrieve (documents and tools at once) →
empty → answer. Three of them can be the end: guidance asks back, system-only answers by itself, empty says
that nothing was found. A call that needs the person ends the run too, and the reply goes on with its plan.
"""

import asyncio

from refdesk.chat.agent import run_agent
from refdesk.chat.answering import write_answer
from refdesk.chat.context import RunContext
from refdesk.chat.direct import direct_hit, return_directly
from refdesk.chat.faults import reason_of
from refdesk.chat.intents import kept_questions
from refdesk.chat.language import Language
from refdesk.chat.quoting import quote_answer
from refdesk.chat.stages.empty import reply_empty
from refdesk.chat.stages.guidance import AskBack
from refdesk.chat.stages.intents import ResolveIntents
from refdesk.chat.stages.memory import LoadMemory, Memory
from refdesk.chat.stages.remember import remember
from refdesk.chat.stages.retrieve.fetching import fetch
from refdesk.chat.stages.retrieve.forms import answered_plan, ask_person, waiting_plan
from refdesk.chat.stages.retrieve.found import Found
from refdesk.chat.stages.retrieve.guided import Guided
from refdesk.chat.stages.retrieve.offering import offered_tools
from refdesk.chat.stages.retrieve.planning import make_plan
from refdesk.chat.stages.rewrite import Asked, Rewrite
from refdesk.chat.stages.stage import perform
from refdesk.chat.stages.system import answer_alone, system_only
from refdesk.gateway import ModelError

_QUOTED: dict[Language, str] = {
    "zh": "语言模型没有回答（{reason}），以下为文档和工具结果的原文。",
    "en": "The language model did not answer ({reason}); these are the words of documents and tools.",
}


async def answer_question(context: RunContext) -> None:
    """Answer from the evidence, or say that there is none. Raises `AppError`s; text written so far stays."""
    if context.profile.answering == "agent" and context.completer is not None:
        return await run_agent(context, context.completer)
    memory = await perform(LoadMemory(), context, None)
    waiting = waiting_plan(context.resumed)
    if context.resumed is not None and waiting is not None:
        toolbox = await offered_tools(context, [call.tool_id for call in waiting.calls])
        plan = answered_plan(waiting, context.resumed, toolbox)
    else:
        kept = kept_questions(context)
        if kept is not None:
            asked = Asked.of(context.question, kept)
        else:
            asked = await perform(Rewrite(), context, memory)
        context.recorder.standalone_question = asked.question if asked.question != context.question else None
        outcome = await perform(ResolveIntents(), context, asked)
        if await perform(AskBack(), context, outcome):
            return None
        alone = system_only(outcome) if context.profile.stages.system.on else None
        if alone is not None and await answer_alone(context, alone, memory):
            return None
        guided = [Guided.of(one) for one in outcome.asked]
        toolbox = await offered_tools(context, [tool for one in guided for tool, _ in one.tools])
        said = [turn.question for turn in memory.turns]
        plan = await make_plan(context, toolbox, asked, guided, said)
    if await ask_person(context, toolbox, plan):
        return None
    await _answer(context, await fetch(context, toolbox, plan), memory)
    return await remember(context, memory)


async def _answer(context: RunContext, found: Found, memory: Memory) -> None:
    """The last stage: as little between the evidence and the reader as the application allows."""
    alone = len(found.parts) == 1 and not found.answers
    if not found.anything:
        await reply_empty(context, found, memory)
    elif alone and (hit := direct_hit(found)) is not None:
        await return_directly(context, hit, found)
    elif context.completer is None or direct_hit(found) is not None:
        await quote_answer(context, found)
    else:
        try:
            async with asyncio.timeout(context.profile.stages.answer.deadline_s):
                await write_answer(context, context.completer, found, memory)
        except ModelError as error:
            # Once something was written, two answers in one would be worse than half of one.
            if context.profile.when_model_fails != "quote" or context.recorder.answer.strip():
                raise
            reason = reason_of(error.code, error.text, context.language)
            context.recorder.warning("model-failed", _QUOTED[context.language].format(reason=reason))
            await quote_answer(context, found)
