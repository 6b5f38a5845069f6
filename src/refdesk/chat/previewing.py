"""The exact messages a model would get for a sample question, made without asking a model anything.

Goes the way of a run (stages, plan, search, request) with the same functions, but without a conversation,
with no model to complete, split or choose, and with no tool called: what a tool would answer is a sample. So
it cannot drift from what is sent, and costs one search.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from refdesk.accounts import Scope
from refdesk.chat.asking import answer_request, situation_of
from refdesk.chat.choices import SituationPrompts, StageName
from refdesk.chat.context import GivenHistory, RunContext, Services, StageModels
from refdesk.chat.journal import RunJournal
from refdesk.chat.language import Language, language_of
from refdesk.chat.profile import RunProfile
from refdesk.chat.prompts import VARIABLES, Situation, variables_of
from refdesk.chat.recorder import RunRecorder
from refdesk.chat.stages.intents import ResolveIntents
from refdesk.chat.stages.memory import Memory
from refdesk.chat.stages.retrieve.fetching import fetch
from refdesk.chat.stages.retrieve.found import Found, PartFound, ToolAnswer
from refdesk.chat.stages.retrieve.guided import Guided
from refdesk.chat.stages.retrieve.planning import make_plan
from refdesk.chat.stages.rewrite import Rewrite
from refdesk.chat.stages.stage import perform
from refdesk.gateway import Completer, Message, Purpose
from refdesk.kit.ids import new_id
from refdesk.tools import Toolbox, ToolResult

# Where no model is connected, the room that most of them have at least.
ASSUMED_CONTEXT_TOKENS = 8_000

SAMPLE_RESULTS: dict[Language, tuple[str, str]] = {
    "zh": ("订单查询", '{"order": "20260042", "state": "退货已收到，等待退款", "updated": "2026-03-02"}'),
    "en": ("Order status", '{"order": "20260042", "state": "return received, refund pending"}'),
}


@dataclass(frozen=True, slots=True)
class PromptFault:
    """What is wrong with a template: variables that are `missing`, or that are `unknown` there."""

    template: Situation
    code: Literal["missing", "unknown"]
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """`messages` are empty where no model would be asked. `context_tokens` is the model's room, assumed where
    `has_model` is false. `situation` is the one shown, `actual` the one that the question came to."""

    situation: Situation
    actual: Situation
    language: Language
    messages: Sequence[Message]
    sources: int
    left_out: int
    context_tokens: int
    has_model: bool


class _NoModels(StageModels):
    """No stage has a model."""

    async def of(self, stage: StageName) -> Completer | None:
        return None


def prompt_faults(templates: SituationPrompts) -> list[PromptFault]:
    """What is wrong with templates; an empty one stands for the built-in one and is right."""
    faults: list[PromptFault] = []
    for situation, known in VARIABLES.items():
        template: str = getattr(templates, situation)
        if not template.strip():
            continue
        used = variables_of(template)
        if missing := known - used:
            faults.append(PromptFault(situation, "missing", tuple(sorted(missing))))
        if unknown := used - known:
            faults.append(PromptFault(situation, "unknown", tuple(sorted(unknown))))
    return faults


async def preview(
    services: Services,
    scope: Scope,
    profile: RunProfile,
    question: str,
    *,
    situation: Situation | None = None,
    tool_text: str = "",
) -> Preview:
    """The request for `question` in the situation it comes to, or in the one that is wanted. `tool_text` is
    what a tool is taken to answer. Raises the search's errors."""
    language: Language = profile.language if profile.language in ("zh", "en") else language_of(question)  # pyright: ignore[reportAssignmentType]
    context = _context(services, scope, profile, question, language)
    found = await _found(context)
    actual = situation_of(found)
    shown = _in_situation(found, situation or actual, language, tool_text)
    shown_situation = situation_of(shown)
    completer = await services.completer(scope, profile.model_id, Purpose("answer"), profile.purpose)
    asked = answer_request(
        profile,
        language,
        shown,
        Memory(),
        context_tokens=completer.context_tokens if completer is not None else ASSUMED_CONTEXT_TOKENS,
    )
    # Without a prompt of its own an empty result is answered without a model.
    silent = profile.answering == "quoting" or (shown_situation == "empty" and not profile.prompts.empty)
    return Preview(
        situation=shown_situation,
        actual=actual,
        language=language,
        messages=() if silent else asked.request.messages,
        sources=len(asked.pieces),
        left_out=asked.left_out,
        context_tokens=completer.context_tokens if completer is not None else ASSUMED_CONTEXT_TOKENS,
        has_model=completer is not None,
    )


async def _found(context: RunContext) -> Found:
    asked = await perform(Rewrite(), context, Memory())
    outcome = await perform(ResolveIntents(), context, asked)
    guided = [replace(Guided.of(one), tools=()) for one in outcome.asked]
    nothing = Toolbox()
    return await fetch(context, nothing, await make_plan(context, nothing, asked, guided, ()))


def _in_situation(found: Found, situation: Situation, language: Language, tool_text: str) -> Found:
    """What was found as it would be in a situation: documents taken away, a sample of a tool added."""
    parts = found.parts
    if situation in ("tools", "empty"):
        parts = tuple(replace(part, search=None) for part in parts)
    if situation in ("tools", "both"):
        title, sample = SAMPLE_RESULTS[language]
        answer = ToolAnswer("sample", "sample_tool", title, {}, ToolResult(tool_text.strip() or sample))
        parts = (PartFound(parts[0].question, parts[0].search, (answer,)), *parts[1:])
    return replace(found, parts=parts)


def _context(
    services: Services, scope: Scope, profile: RunProfile, question: str, language: Language
) -> RunContext:
    run_id = new_id()
    purpose = Purpose("answer", profile.application_id)
    return RunContext(
        scope=scope,
        profile=profile,
        question=question,
        language=language,
        recorder=RunRecorder(RunJournal(run_id)),
        searcher=services.retriever,
        embedders=services,
        history=GivenHistory(()),
        database=services.database,
        run_id=run_id,
        conversation_id=new_id(),
        request_id=run_id.hex,
        completer=None,
        models=_NoModels(services, scope, profile, purpose),
        begins=True,
    )
