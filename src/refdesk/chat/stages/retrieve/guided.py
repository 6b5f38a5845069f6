"""What intents say of one question, as the retrieve stage needs it."""

from dataclasses import dataclass
from typing import Self
from uuid import UUID

from refdesk.chat.intents import AskedIntents, IntentKind


@dataclass(frozen=True, slots=True)
class Guided:
    """`matched`: at least one intent was recognised. `base_ids` are those its KB intents point to, none for
    all; `tools` are tools by id with what their intent says of the parameters; `rules` are what intents ask
    of the answer; `documents` what the person chose where several bear one name."""

    matched: bool = False
    reads: bool = False
    base_ids: tuple[UUID, ...] = ()
    tools: tuple[tuple[str, str | None], ...] = ()
    rules: tuple[str, ...] = ()
    documents: tuple[UUID, ...] = ()
    top_k: int | None = None

    @classmethod
    def of(cls, asked: AskedIntents) -> Self:
        """From the intents of one sub-question. SYSTEM intents set rules only: another part is answered."""
        intents = [intent for intent, _ in asked.intents]
        reading = [intent for intent in intents if intent.kind is IntentKind.KB]
        tools = {
            intent.tool_id: intent.parameter_prompt or None
            for intent in intents
            if intent.kind is IntentKind.MCP and intent.tool_id
        }
        bases = [base for intent in reading for base in intent.knowledge_base_ids]
        # One that may stand anywhere makes the search one of all bases.
        anywhere = any(not intent.knowledge_base_ids for intent in reading)
        depths = [intent.top_k for intent in reading if intent.top_k]
        return cls(
            matched=bool(intents),
            reads=bool(reading),
            base_ids=() if anywhere else tuple(dict.fromkeys(bases)),
            tools=tuple(tools.items()),
            rules=tuple(dict.fromkeys(intent.answer_rule for intent in intents if intent.answer_rule)),
            documents=asked.document_ids,
            top_k=max(depths, default=None),
        )
