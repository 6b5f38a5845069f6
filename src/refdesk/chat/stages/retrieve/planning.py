"""What to search and to call for each question, decided from the questions alone.

Intents name their tools. Where tools were chosen and no intent was recognised, a model chooses among them by
a native tool call. Nothing here ever sees a document or a tool's answer: what the conversation's answers
said is left out too, since they repeat documents.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog

from refdesk.chat.context import RunContext
from refdesk.chat.language import Language
from refdesk.chat.stages.retrieve.guided import Guided
from refdesk.chat.stages.retrieve.plan import CallState, Plan, PlannedCall, PlannedPart
from refdesk.chat.stages.rewrite import Asked, SubQuestion
from refdesk.gateway import Completer, CompletionRequest, Message, ModelError, ToolCall, ToolSpec
from refdesk.kit.errors import AppError
from refdesk.tools import Toolbox
from refdesk.tools import ToolSpec as Offered
from refdesk.tools.arguments import Checked, check_arguments, extract_arguments, read_arguments

log = structlog.get_logger(__name__)

MOST_CALLS = 6
MAX_TOKENS = 600

SEARCH = ToolSpec(
    "search_documents",
    "Search the organisation's documents: rules, manuals, how to do something, what something is.",
    {"type": "object", "properties": {}, "additionalProperties": False},
)

_CHOOSE: dict[Language, str] = {
    "zh": "判断回答用户的问题需要哪些工具，只发出所需的调用，不要回答问题。"
    "需要查阅文档时调用 search_documents；只需要某个工具的实时数据时，只调用那个工具；两者都需要就都调用。"
    "参数只取自用户的话，没有说出的一律不填，不得编造。",
    "en": "Decide which tools are needed to answer the user's question and make those calls only; do not "
    "answer it. Call search_documents where documents have to be looked up; where only a tool's live data is "
    "needed, call that tool alone; call both where both are needed. Take arguments from the user's words "
    "only; leave out what was not said and never make anything up.",
}
_NOT_CHOSEN: dict[Language, str] = {
    "zh": "未能判断需要哪些工具，本次只检索了文档。",
    "en": "Which tools to use could not be decided; only the documents were searched.",
}


@dataclass(frozen=True, slots=True)
class _Planner:
    context: RunContext
    toolbox: Toolbox
    said: Sequence[str]
    completer: Completer | None

    @property
    def turns(self) -> list[Message]:
        return [Message("user", words) for words in self.said]

    async def part(self, asked: SubQuestion, guided: Guided) -> PlannedPart:
        bases = self.context.profile.knowledge_base_ids
        directed = tuple(base for base in guided.base_ids if base in bases)
        calls: tuple[PlannedCall, ...] = ()
        searches = True
        if guided.tools:
            calls = await self._by_intents(asked, guided)
            # A tool that is gone leaves its question to the documents.
            searches = guided.reads or not calls
        elif not guided.matched and self.completer is not None and self.toolbox.specs:
            calls, searches = await self._by_model(asked, self.completer)
        return PlannedPart(
            question=asked.text,
            search=asked.search,
            searches=searches and bool(bases) and self.context.profile.stages.retrieve.on,
            base_ids=directed,
            documents=guided.documents,
            top_k=guided.top_k,
            calls=calls,
            rules=guided.rules,
        )

    async def _by_intents(self, asked: SubQuestion, guided: Guided) -> tuple[PlannedCall, ...]:
        named = [(self.toolbox.find(tool_id), prompt) for tool_id, prompt in guided.tools]
        offered = {spec.id: (spec, prompt) for spec, prompt in named if spec is not None}
        return tuple(
            await asyncio.gather(*(self._call(spec, asked, prompt, {}) for spec, prompt in offered.values()))
        )

    async def _by_model(
        self, asked: SubQuestion, completer: Completer
    ) -> tuple[tuple[PlannedCall, ...], bool]:
        recorder, language = self.context.recorder, self.context.language
        offered = [
            ToolSpec(spec.name, spec.description, dict(spec.parameters)) for spec in self.toolbox.specs
        ]
        request = CompletionRequest(
            messages=[Message("system", _CHOOSE[language]), *self.turns, Message("user", asked.text)],
            temperature=0.0,
            max_tokens=MAX_TOKENS,
            tools=[*offered, SEARCH],
            tool_choice="auto",
        )
        async with recorder.span("choose-tools") as detail:
            detail["prompt"] = [{"role": m.role, "content": m.text} for m in request.messages]
            try:
                completion = await completer.complete(request)
            except ModelError as error:
                detail["failed"] = error.code
                recorder.warning("tools-not-chosen", _NOT_CHOSEN[language])
                return (), True
            if completion.usage is not None:
                recorder.add_usage(completion.usage.input_tokens, completion.usage.output_tokens)
            detail["chosen"] = [call.name for call in completion.tool_calls]
        wanted = [call for call in completion.tool_calls if call.name != SEARCH.name]
        read = await asyncio.gather(*(self._read(call, asked) for call in wanted[:MOST_CALLS]))
        calls = tuple(call for call in read if call is not None)
        return calls, not calls or len(wanted) < len(completion.tool_calls)

    async def _read(self, call: ToolCall, asked: SubQuestion) -> PlannedCall | None:
        """A model's call. What was not offered is no call."""
        spec = self.toolbox.find(call.name)
        if spec is None:
            log.info("chat.tool-not-offered", tool=call.name[:64])
            return None
        read = read_arguments(call.arguments, spec.parameters)
        return await self._call(spec, asked, None, _told(read.values, [*self.said, asked.text]))

    async def _call(
        self, spec: Offered, asked: SubQuestion, prompt: str | None, written: Mapping[str, Any]
    ) -> PlannedCall:
        """A call with its arguments: those a model has written, else what the person's words hold."""
        call = PlannedCall(spec.id, spec.name, spec.title or spec.name, prompt=prompt)
        checked = check_arguments(written, spec.parameters)
        if written and checked.ok:
            return with_values(call, spec, checked)
        found = await extract_arguments(
            self.completer,
            spec,
            asked.text,
            self.turns,
            self.context.language,
            prompt,
            known=checked.values,
        )
        if found.usage is not None:
            self.context.recorder.add_usage(found.usage.input_tokens, found.usage.output_tokens)
        if found.status == "success":
            return replace(call, arguments=dict(found.values), state=_state_of(spec))
        if found.status == "needs_clarification":
            wanted = tuple(one.name for one in found.fields)
            return replace(call, arguments=dict(found.values), state="missing", wanted=wanted)
        reason = "; ".join(fault.message for fault in found.faults)
        return replace(call, state="impossible", reason=reason)


def with_values(call: PlannedCall, spec: Offered, checked: Checked) -> PlannedCall:
    """The call with checked values: made possible, or lacking what the check misses."""
    call = replace(call, arguments=dict(checked.values))
    if checked.ok:
        return replace(call, state=_state_of(spec), wanted=())
    wanted = dict.fromkeys([*checked.missing, *(fault.name for fault in checked.faults if fault.name)])
    if not wanted:
        return replace(call, state="impossible", reason="; ".join(one.message for one in checked.faults))
    return replace(call, state="missing", wanted=tuple(wanted))


def _state_of(spec: Offered) -> CallState:
    return "unapproved" if spec.ask_first else "ready"


def _told(values: Mapping[str, Any], said: Sequence[str]) -> dict[str, Any]:
    """Without texts with a number in them that the person never wrote: models make identifiers up."""
    words = _bare(" ".join(said))
    return {
        name: value
        for name, value in values.items()
        if not (isinstance(value, str) and any(c.isdigit() for c in value) and _bare(value) not in words)
    }


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


async def make_plan(
    context: RunContext, toolbox: Toolbox, asked: Asked, guided: Sequence[Guided], said: Sequence[str]
) -> Plan:
    """The plan of a run. `said`: what the person asked before, oldest first; `guided` goes with the parts."""
    planner = _Planner(context, toolbox, said, await _model(context))
    parts = await asyncio.gather(
        *(planner.part(part, hint) for part, hint in zip(asked.parts, guided, strict=True))
    )
    return Plan(asked.question, _bounded(parts))


async def _model(context: RunContext) -> Completer | None:
    try:
        return await context.model("tools")
    except AppError as error:  # a model that is gone: rules do what they can
        log.warning("chat.no-model-for-tools", code=error.code)
        return None


def _bounded(parts: Sequence[PlannedPart]) -> tuple[PlannedPart, ...]:
    """At most so many calls a run, the first questions' first."""
    left = MOST_CALLS
    kept: list[PlannedPart] = []
    for part in parts:
        kept.append(replace(part, calls=part.calls[:left]))
        left -= len(kept[-1].calls)
    return tuple(kept)
