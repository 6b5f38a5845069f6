"""Stage `guidance`: asking back what is meant, where a name means several things."""

from typing import Any, ClassVar

from refdesk.chat.choices import StageName
from refdesk.chat.context import RunContext
from refdesk.chat.guidance import ask_back, may_ask
from refdesk.chat.intents import IntentOutcome
from refdesk.chat.stages.stage import Stage


class AskBack(Stage[IntentOutcome, bool]):
    """Whether the person was asked, which ends the run."""

    name: ClassVar[StageName] = "guidance"
    warning = (
        "guidance-failed",
        {
            "zh": "未能请您确认问题的含义，已按最可能的含义回答。",
            "en": "You could not be asked what is meant; the likeliest meaning was taken.",
        },
    )

    def needed(self, context: RunContext, given: IntentOutcome) -> bool:
        return may_ask(context, given)

    def without(self, context: RunContext, given: IntentOutcome) -> bool:
        return False

    async def run(self, context: RunContext, given: IntentOutcome, detail: dict[str, Any]) -> bool:
        return await ask_back(context, given, detail)
