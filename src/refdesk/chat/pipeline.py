"""The way of a question through its stages, in one place to read.

Each stage is a function with a typed input and output that writes its own events. A new stage (intents,
guidance, tools) is a new line here; an agent or a workflow is another function beside `answer_question`.
"""

from refdesk.chat.answering import write_answer
from refdesk.chat.context import RunContext
from refdesk.chat.direct import direct_hit, return_directly
from refdesk.chat.emptiness import reply_empty
from refdesk.chat.memory import recall
from refdesk.chat.quoting import quote_answer
from refdesk.chat.rewriting import complete_question
from refdesk.chat.searching import retrieve


async def answer_question(context: RunContext) -> None:
    """Answer from the evidence, or say that there is none. Raises `AppError`s; text written so far stays."""
    turns = await recall(context)
    query = await complete_question(context, turns)
    context.recorder.standalone_question = query if query != context.question else None
    result = await retrieve(context, query)
    if not result.found:
        await reply_empty(context, result)
    elif (hit := direct_hit(result)) is not None:
        await return_directly(context, hit, result)
    elif context.completer is None:
        await quote_answer(context, query, result)
    else:
        await write_answer(context, context.completer, query, turns, result)
