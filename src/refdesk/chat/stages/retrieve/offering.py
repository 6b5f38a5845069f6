"""The tools of a run: those the application chose and those its intents name."""

import asyncio
from collections.abc import Sequence

import structlog

from refdesk.chat.context import RunContext
from refdesk.chat.language import Language
from refdesk.chat.stages.stage import FAILURES, code_of
from refdesk.tools import Toolbox

log = structlog.get_logger(__name__)

# Connecting to the servers of the tools; what takes longer is left out.
DEADLINE_S = 10.0

_LEFT_OUT: dict[Language, str] = {
    "zh": "部分工具暂时无法使用：{names}。",
    "en": "Some tools cannot be used at the moment: {names}.",
}


async def offered_tools(context: RunContext, named: Sequence[str]) -> Toolbox:
    """The toolbox, empty where nothing is chosen or nothing can be reached; what is missing is warned of."""
    choice = context.profile.stages.tools
    chosen = list(dict.fromkeys([*context.profile.tools, *named]))
    if context.tools is None or not chosen or not choice.on:
        return Toolbox()
    try:
        async with asyncio.timeout(min(DEADLINE_S, choice.deadline_s)):
            toolbox = await context.tools.toolbox(context.scope, chosen)
    except FAILURES as error:
        log.warning("chat.tools-unavailable", error=code_of(error))
        context.recorder.warning(
            "tools-unavailable", _LEFT_OUT[context.language].format(names=", ".join(chosen[:5]))
        )
        return Toolbox()
    if toolbox.problems:
        names = ", ".join(dict.fromkeys(problem.name for problem in toolbox.problems))
        context.recorder.warning("tools-unavailable", _LEFT_OUT[context.language].format(names=names))
    return toolbox
