"""Stage `memory`: what was said before. The last turns whole, older ones in their summary, a person's notes.

They are read at once; any of them that cannot be read is left out, and never fails the answer.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import structlog

from refdesk.chat.choices import StageName
from refdesk.chat.context import RunContext
from refdesk.chat.profile import Turn
from refdesk.chat.sight import MEMORY_STAGE, READ_RUNS
from refdesk.chat.stages.stage import Stage

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Memory:
    """What the answer may know of the conversation: turns oldest first, the summary of those before them,
    and what the person had noted about themselves."""

    turns: tuple[Turn, ...] = ()
    summary: str = ""
    notes: tuple[str, ...] = ()


class LoadMemory(Stage[None, Memory]):
    """Reads the conversation."""

    name: ClassVar[StageName] = MEMORY_STAGE
    warning = (
        "memory-unavailable",
        {
            "zh": "未能读取之前的对话，本次回答没有参考上文。",
            "en": "The conversation so far could not be read; the answer does not know of it.",
        },
    )

    def needed(self, context: RunContext, given: None) -> bool:
        reads = context.completer is not None or not context.begins
        return reads and context.profile.history_turns > 0

    def without(self, context: RunContext, given: None) -> Memory:
        return Memory()

    async def run(self, context: RunContext, given: None, detail: dict[str, Any]) -> Memory:
        if context.begins:
            detail["turns"] = 0
            return Memory()
        history = await context.history.turns(context.profile.history_turns)
        detail["turns"] = len(history)
        detail[READ_RUNS] = [str(turn.run_id) for turn in history if turn.run_id is not None]
        return Memory(tuple(history))
