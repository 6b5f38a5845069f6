"""Stage `answer` with a language model: evidence into the prompt, the stream out, citations checked.

The answer rests on the sources of its prompt alone; what the model cites beyond them is taken out. The text
written so far stays in the record whatever happens.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, cast

from refdesk.chat.asking import answer_request
from refdesk.chat.citations import CitationStream, Cited, Part, Removed, Text
from refdesk.chat.context import RunContext
from refdesk.chat.errors import AnswerEmpty
from refdesk.chat.notices import tell
from refdesk.chat.stages.memory import Memory
from refdesk.chat.stages.retrieve.found import Found, Piece, sources_of
from refdesk.chat.verification import verify
from refdesk.gateway import (
    Completer,
    CompletionEvent,
    CompletionRequest,
    Finished,
    ModelInterrupted,
    Notice,
    ReasoningDelta,
    TextDelta,
    UsageReport,
)


async def write_answer(context: RunContext, completer: Completer, found: Found, memory: Memory) -> None:
    """Stream the model's answer and mark what the evidence does not carry. Raises `ModelError`s."""
    async with context.recorder.stage("answer") as detail:
        asked = answer_request(
            context.profile,
            context.language,
            found,
            memory,
            context_tokens=completer.context_tokens,
            pictures=context.pictures,
        )
        detail |= {
            "model_id": str(completer.model_id),
            "situation": asked.situation,
            "sources": len(asked.pieces),
            "left_out": asked.left_out,
            "context_chars": sum(len(piece.text) for piece in asked.pieces),
        }
        await stream_answer(context, completer, asked.request, asked.pieces, detail)
    await verify(context, sources_of(asked.pieces))


async def stream_answer(
    context: RunContext,
    completer: Completer,
    request: CompletionRequest,
    pieces: Sequence[Piece],
    detail: dict[str, Any],
) -> None:
    """Write what the model answers, with its citations of `pieces`. Raises `ModelError`s, `AnswerEmpty`."""
    detail["prompt"] = [{"role": m.role, "content": m.text} for m in request.messages]
    notices: list[Notice] = []
    try:
        detail["finish_reason"] = await _stream(context, completer, request, pieces, notices)
    finally:
        if notices:
            detail["notices"] = [{"code": notice.code, **notice.detail} for notice in notices]
    if detail["finish_reason"] == "length":
        context.recorder.warning("answer-truncated", _truncated(context))
    elif detail["finish_reason"] == "content_filter":
        context.recorder.warning("answer-filtered", _filtered(context))
    if not context.recorder.answer.strip():
        raise AnswerEmpty


async def _stream(
    context: RunContext,
    completer: Completer,
    request: CompletionRequest,
    pieces: Sequence[Piece],
    notices: list[Notice],
) -> str:
    citations = CitationStream(len(pieces))
    reason: str | None = None
    # An explicit close: a cancelled run must close the model's socket now, not when garbage is collected.
    stream = cast("AsyncGenerator[CompletionEvent]", completer.stream(request))
    try:
        async with aclosing(stream) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        _write(context, citations.feed(text), pieces)
                    case ReasoningDelta(text):
                        context.recorder.reasoning(text)
                    case UsageReport(input_tokens, output_tokens):
                        context.recorder.add_usage(input_tokens, output_tokens)
                    case Finished(why):
                        reason = why
                    case Notice(code):
                        if code == "restarted":
                            citations = CitationStream(len(pieces))
                        if code != "queued":
                            notices.append(event)
                        tell(context.recorder, event, context.language)
                    case _:
                        pass
    finally:
        _write(context, citations.finish(), pieces)  # what was held back is kept, whatever ended the stream
    if reason is None:
        raise ModelInterrupted
    return reason


def _write(context: RunContext, parts: Any, pieces: Sequence[Piece]) -> None:
    recorder = context.recorder
    part: Part
    for part in parts:
        match part:
            case Text(text):
                recorder.delta(text)
            case Cited(source, n):
                recorder.citation(pieces[source - 1].citation(n, source))
            case Removed(number):
                recorder.warning("citation-removed", _removed(context, number), each=True)


def _removed(context: RunContext, number: int) -> str:
    if context.language == "zh":
        return f"回答引用了资料中没有的编号 {number}，该引用已删除。"
    return f"The answer cited number {number}, which was not among the sources; the citation was removed."


def _truncated(context: RunContext) -> str:
    if context.language == "zh":
        return "回答达到模型的长度上限，未写完。"
    return "The answer reached the model's length limit and is not complete."


def _filtered(context: RunContext) -> str:
    if context.language == "zh":
        return "回答被供应商的内容过滤中断，未写完。"
    return "The vendor's content filter cut the answer off; it is not complete."
