"""Stage `intents`: what each question means, where the application has intents."""

from typing import Any, ClassVar

from refdesk.chat.choices import StageName
from refdesk.chat.context import RunContext
from refdesk.chat.intents import AskedIntents, IntentOutcome, resolve_intents
from refdesk.chat.stages.rewrite import Asked
from refdesk.chat.stages.stage import Stage


class ResolveIntents(Stage[Asked, IntentOutcome]):
    """From the questions alone."""

    name: ClassVar[StageName] = "intents"
    warning = (
        "intents-unresolved",
        {
            "zh": "未能判断问题的意图，已按普通问题处理。",
            "en": "What the question is about could not be decided; it was treated as any other.",
        },
    )

    def needed(self, context: RunContext, given: Asked) -> bool:
        return context.profile.has_intents

    def without(self, context: RunContext, given: Asked) -> IntentOutcome:
        return IntentOutcome(tuple(AskedIntents(text) for text in given.texts))

    async def run(self, context: RunContext, given: Asked, detail: dict[str, Any]) -> IntentOutcome:
        return await resolve_intents(context, given.texts, detail)
