"""The loop (A1–A5): ask the model, make its calls, give it their results, until it answers.

One list of messages, one agent. Retrieval has a number of rounds, other tools one of their own; when neither
is left, or a ceiling of tokens or money is near, the model is asked once more without tools. Adding a tool
changes nothing here. Knows no application, no database and no kind of tool but whether it reads the corpus.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from refdesk.chat.agent.calling import CallDesk, Planned, plan
from refdesk.chat.agent.compaction import KEPT_ROUNDS, messages_of, tokens_of
from refdesk.chat.agent.policy import nudge
from refdesk.chat.agent.transcript import Called, PastTurn, Round
from refdesk.chat.agent.writing import AnswerWriter
from refdesk.chat.errors import AnswerEmpty
from refdesk.chat.language import Language
from refdesk.chat.notices import tell
from refdesk.chat.recorder import RunRecorder
from refdesk.gateway import (
    Completer,
    CompletionEvent,
    CompletionRequest,
    Content,
    Finished,
    Message,
    ModelInterrupted,
    Notice,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallReady,
    UsageReport,
)
from refdesk.gateway import ToolSpec as OfferedTool
from refdesk.tools import ToolSpec

type Price = Callable[[int, int], float | None]
"""What so many tokens in and out cost; None where no price is known."""

CORPUS = frozenset(
    (
        "builtin:search_documents",
        "builtin:read_section",
        "builtin:get_document_meta",
        "builtin:list_documents",
        "builtin:route_libraries",
        "builtin:find_paths",
    )
)
# Of the model's context, kept for its answer.
ANSWER_SHARE, ANSWER_MOST = 0.2, 4_096
# Of a result, told with the stage; the trace has more of it.
TOLD_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Limits:
    """`retrieval_rounds` and `other_rounds`: rounds with a call that reads the corpus, and with any other.
    `max_tokens` (in and out) and `max_cost` are ceilings of one run, None for none."""

    retrieval_rounds: int = 3
    other_rounds: int = 10
    max_tokens: int | None = None
    max_cost: float | None = None


@dataclass(slots=True)
class Waiting:
    """A round that waits for a person's agreement: its message, and the results that are there already."""

    text: str
    planned: list[Planned]
    done: list[Called | None]

    @property
    def place(self) -> int:
        """Which call the person is asked about."""
        return self.done.index(None)


@dataclass(slots=True)
class _Said:
    calls: list[ToolCall]
    reason: str


@dataclass(slots=True)
class AgentLoop:
    """One run of the loop over the messages so far."""

    completer: Completer
    desk: CallDesk
    recorder: RunRecorder
    writer: AnswerWriter
    language: Language
    system: str
    question: Content
    turns: Sequence[PastTurn] = ()
    limits: Limits = Limits()
    temperature: float | None = None
    max_answer_tokens: int | None = None
    price: Price | None = None
    kept_rounds: int | None = KEPT_ROUNDS
    after_round: Callable[[], None] = lambda: None
    rounds: list[Round] = field(default_factory=list[Round])
    tokens: tuple[int, int] = (0, 0)
    answer: str = ""
    _offers: dict[str, OfferedTool] = field(default_factory=dict[str, OfferedTool])

    async def run(self) -> Waiting | None:
        """To the answer, which is then written; or to a call that waits for agreement.

        Raises `ModelError`s and `AnswerEmpty`; what was written so far stays.
        """
        fell_silent = False
        while True:
            offered = () if fell_silent else self._offered()
            said = await self._ask(offered, last=not offered and (fell_silent or bool(self.rounds)))
            if said.calls and offered:
                waiting = await self._work(
                    self.writer.raw, [plan(one, self.desk.toolbox, offered) for one in said.calls]
                )
                if waiting is not None:
                    return waiting
                continue
            if not self.writer.raw.strip():
                if fell_silent:
                    raise AnswerEmpty
                # Some models say nothing behind a result, or call what they were not offered: asked once more
                # without tools, they speak.
                fell_silent = True
                continue
            self.answer = self.writer.raw
            self._tell_ending(said.reason)
            return None

    async def go_on(self, waiting: Waiting, *, approve: bool) -> Waiting | None:
        """After a person's word on the call that waited: the rest of its round, then on to the answer."""
        place = waiting.place
        async with self.recorder.stage("tools") as detail:
            waiting.done[place] = await self.desk.agreed(waiting.planned[place], approve=approve)
            detail["calls"] = _told(waiting.planned[place : place + 1], waiting.done[place : place + 1])
        if None in waiting.done:
            return waiting
        self._finish_round(waiting.text, cast("list[Called]", waiting.done))
        return await self.run()

    async def _work(self, text: str, planned: list[Planned]) -> Waiting | None:
        async with self.recorder.stage("tools") as detail:
            done = await self.desk.make(planned)
            detail["calls"] = _told(planned, done)
        if None in done:
            return Waiting(text, planned, done)
        self._finish_round(text, cast("list[Called]", done))
        return None

    def _finish_round(self, text: str, done: list[Called]) -> None:
        self.rounds.append(Round(tuple(done), text))
        self.after_round()

    def _offered(self) -> tuple[ToolSpec, ...]:
        specs = self.desk.toolbox.specs
        by_name = {spec.name: spec.id for spec in specs}
        ids = [{by_name.get(call.name, "") for call in one.calls} for one in self.rounds]
        searching = sum(bool(one & CORPUS) for one in ids) < self.limits.retrieval_rounds
        acting = sum(bool(one - CORPUS) for one in ids) < self.limits.other_rounds
        offered = tuple(spec for spec in specs if (searching if spec.id in CORPUS else acting))
        return () if offered and self._is_near_a_ceiling(offered) else offered

    def _is_near_a_ceiling(self, offered: Sequence[ToolSpec]) -> bool:
        """Whether another request with tools could pass a ceiling; the answer itself still has to be paid."""
        if not self.rounds or (self.limits.max_tokens is None and self.limits.max_cost is None):
            return False
        used, written = self.tokens
        coming = tokens_of(self._messages(last=False))
        if self.limits.max_tokens is not None and used + written + 2 * coming > self.limits.max_tokens:
            self.recorder.warning("agent-ceiling", _CEILING[self.language]["tokens"])
            return True
        if self.limits.max_cost is not None and self.price is not None:
            cost = self.price(used + 2 * coming, written)
            if cost is not None and cost > self.limits.max_cost:
                self.recorder.warning("agent-ceiling", _CEILING[self.language]["money"])
                return True
        return False

    def _messages(self, *, last: bool) -> list[Message]:
        """The request's messages; of what does not fit the oldest turns go first, then the older round."""
        room = int(self.completer.context_tokens * (1 - ANSWER_SHARE))
        room = max(room, self.completer.context_tokens - ANSWER_MOST)
        turns, kept = list(self.turns), self.kept_rounds
        searches = frozenset(spec.name for spec in self.desk.toolbox.specs if spec.id in CORPUS)
        while True:
            messages = messages_of(
                self.system, turns, self.question, self.rounds, self.language, kept=kept, searches=searches
            )
            if last:
                messages.append(Message("user", nudge(self.language)))
            if tokens_of(messages) <= room or (not turns and kept == 1):
                return messages
            if turns:
                turns.pop(0)
            else:
                kept = 1

    async def _ask(self, offered: Sequence[ToolSpec], *, last: bool) -> _Said:
        messages = self._messages(last=last)
        request = CompletionRequest(
            messages=messages,
            temperature=self.temperature,
            max_tokens=self.max_answer_tokens,
            tools=[self._offer(spec) for spec in offered],
        )
        async with self.recorder.stage("decide") as detail:
            detail |= {
                "step": len(self.rounds) + 1,
                "model_id": str(self.completer.model_id),
                "tools": [spec.name for spec in offered],
                "prompt": [_recorded(message) for message in messages],
            }
            notices: list[Notice] = []
            said = await self._stream(request, may_call=bool(offered), notices=notices)
            detail |= {
                "decision": "call" if said.calls and offered else "answer",
                "finish_reason": said.reason,
                "calls": [{"tool": call.name, "arguments": call.arguments} for call in said.calls],
            }
            if notices:
                detail["notices"] = [{"code": notice.code, **notice.detail} for notice in notices]
            if said.calls and offered and self.writer.raw.strip():
                detail["said"] = self.writer.raw
        return said

    def _offer(self, spec: ToolSpec) -> OfferedTool:
        offer = self._offers.get(spec.name)
        if offer is None:
            offer = OfferedTool(spec.name, spec.description, dict(spec.parameters))
            self._offers[spec.name] = offer
        return offer

    async def _stream(self, request: CompletionRequest, *, may_call: bool, notices: list[Notice]) -> _Said:
        writer, calls = self.writer, list[ToolCall]()
        reason: str | None = None
        writer.begin(may_call=may_call)
        # An explicit close: a cancelled run must close the model's socket now, not when garbage is collected.
        stream = cast("AsyncGenerator[CompletionEvent]", self.completer.stream(request))
        try:
            async with aclosing(stream) as events:
                async for event in events:
                    match event:
                        case TextDelta(text):
                            writer.feed(text)
                        case ReasoningDelta(text):
                            self.recorder.reasoning(text)
                        case ToolCallReady(call):
                            calls.append(_identified(call, calls, len(self.rounds)))
                        case UsageReport(input_tokens, output_tokens):
                            self.recorder.add_usage(input_tokens, output_tokens)
                            self.tokens = (self.tokens[0] + input_tokens, self.tokens[1] + output_tokens)
                        case Finished(why):
                            reason = why
                        case Notice(code):
                            if code == "restarted":
                                calls.clear()
                            if code != "queued":
                                notices.append(event)
                            tell(self.recorder, event, self.language)
                            if code == "restarted":
                                writer.restart()
        finally:
            if calls and may_call:
                writer.take_back()
            else:
                writer.finish()  # what was held back is kept, whatever ended the stream
        if reason is None:
            raise ModelInterrupted
        return _Said(calls, reason)

    def _tell_ending(self, reason: str) -> None:
        if reason == "length":
            self.recorder.warning("answer-truncated", _ENDINGS[self.language]["length"])
        elif reason == "content_filter":
            self.recorder.warning("answer-filtered", _ENDINGS[self.language]["filter"])


def _told(planned: Sequence[Planned], done: Sequence[Called | None]) -> list[dict[str, Any]]:
    """Calls with what they gave, as the person sees them beside the answer."""
    return [
        {
            "id": one.call.id,
            "tool": one.call.name,
            "title": (one.spec.title if one.spec is not None else "") or one.call.name,
            "arguments": dict(one.arguments),
            "result": called.result[:TOLD_CHARS] if called is not None else None,
            "ok": called.ok if called is not None else None,
        }
        for one, called in zip(planned, done, strict=True)
    ]


def _identified(call: ToolCall, before: Sequence[ToolCall], rounds: int) -> ToolCall:
    """A call with an id of its own: some vendors send none, or the same for two."""
    if call.id and call.id not in [one.id for one in before]:
        return call
    return ToolCall(f"call_{rounds + 1}_{len(before) + 1}", call.name, call.arguments, call.state)


def _recorded(message: Message) -> dict[str, Any]:
    """A message as the trace shows it."""
    shown: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        shown["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        shown["tool_call_id"] = message.tool_call_id
    return shown


_CEILING: dict[Language, dict[Literal["tokens", "money"], str]] = {
    "zh": {
        "tokens": "已接近本次回答的 token 上限，未再使用工具。",
        "money": "已接近本次回答的费用上限，未再使用工具。",
    },
    "en": {
        "tokens": "The ceiling of tokens for one answer was near; no more tools were used.",
        "money": "The ceiling of cost for one answer was near; no more tools were used.",
    },
}
_ENDINGS: dict[Language, dict[Literal["length", "filter"], str]] = {
    "zh": {
        "length": "回答达到模型的长度上限，未写完。",
        "filter": "回答被供应商的内容过滤中断，未写完。",
    },
    "en": {
        "length": "The answer reached the model's length limit and is not complete.",
        "filter": "The vendor's content filter cut the answer off; it is not complete.",
    },
}
