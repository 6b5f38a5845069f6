"""Stage `answer` with a language model: evidence into the prompt, the stream out, citations checked.

The answer rests on the packed sources alone; what the model cites beyond them is taken out. The text written
so far stays in the record whatever happens.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, cast

from refdesk.chat.citations import CitationStream, Cited, Part, Removed, Text
from refdesk.chat.context import RunContext
from refdesk.chat.errors import AnswerEmpty
from refdesk.chat.evidence import Source
from refdesk.chat.notices import tell
from refdesk.chat.packing import estimated_tokens, pack
from refdesk.chat.profile import Turn
from refdesk.chat.prompts import ANSWER_PROMPTS, SYSTEM_PROMPTS, fenced, fill
from refdesk.chat.searching import section_of
from refdesk.chat.verification import verify
from refdesk.gateway import (
    Completer,
    CompletionEvent,
    CompletionRequest,
    Finished,
    Message,
    ModelInterrupted,
    Notice,
    ReasoningDelta,
    TextDelta,
    UsageReport,
)
from refdesk.retrieval import Hit, SearchResult

# Part of the context kept for the answer, and the least and most of it.
ANSWER_SHARE, ANSWER_LEAST, ANSWER_MOST = 0.25, 256, 4_096
MAX_HISTORY_ANSWER_CHARS = 1_200

type Packed = Sequence[tuple[Hit, str]]


async def write_answer(
    context: RunContext, completer: Completer, query: str, turns: Sequence[Turn], result: SearchResult
) -> None:
    """Stream the model's answer and mark what the evidence does not carry. Raises `ModelError`s."""
    async with context.recorder.stage("answer") as detail:
        request, packed = _request(context, completer, query, turns, result)
        detail |= {
            "model_id": str(completer.model_id),
            "sources": len(packed),
            "left_out": len(result.hits) - len(packed),
            "context_chars": sum(len(text) for _, text in packed),
            "prompt": [{"role": m.role, "content": m.text} for m in request.messages],
        }
        notices: list[Notice] = []
        try:
            detail["finish_reason"] = await _stream(context, completer, request, packed, notices)
        finally:
            if notices:
                detail["notices"] = [{"code": notice.code, **notice.detail} for notice in notices]
        if detail["finish_reason"] == "length":
            context.recorder.warning("answer-truncated", _truncated(context))
        elif detail["finish_reason"] == "content_filter":
            context.recorder.warning("answer-filtered", _filtered(context))
        if not context.recorder.answer.strip():
            raise AnswerEmpty
    await verify(context, sources_of(packed))


def sources_of(packed: Packed) -> list[Source]:
    """What the evidence check compares with: the text as the prompt had it, with its headings."""
    return [Source(text=text, heading=section_of(hit)) for hit, text in packed]


async def _stream(
    context: RunContext,
    completer: Completer,
    request: CompletionRequest,
    packed: Packed,
    notices: list[Notice],
) -> str:
    citations = CitationStream(len(packed))
    reason: str | None = None
    # An explicit close: a cancelled run must close the model's socket now, not when garbage is collected.
    stream = cast("AsyncGenerator[CompletionEvent]", completer.stream(request))
    try:
        async with aclosing(stream) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        _write(context, citations.feed(text), packed)
                    case ReasoningDelta(text):
                        context.recorder.reasoning(text)
                    case UsageReport(input_tokens, output_tokens):
                        context.recorder.add_usage(input_tokens, output_tokens)
                    case Finished(why):
                        reason = why
                    case Notice(code):
                        if code == "restarted":
                            citations = CitationStream(len(packed))
                        if code != "queued":
                            notices.append(event)
                        tell(context.recorder, event, context.language)
                    case _:
                        pass
    finally:
        _write(context, citations.finish(), packed)  # what was held back is kept, whatever ended the stream
    if reason is None:
        raise ModelInterrupted
    return reason


def _write(context: RunContext, parts: Any, packed: Packed) -> None:
    recorder = context.recorder
    part: Part
    for part in parts:
        match part:
            case Text(text):
                recorder.delta(text)
            case Cited(source, n):
                hit, text = packed[source - 1]
                recorder.citation(citation_of(hit, n, text, offset=hit.text_start, source=source))
            case Removed(number):
                recorder.warning("citation-removed", _removed(context, number), each=True)


def citation_of(hit: Hit, n: int, text: str, *, offset: int, source: int) -> dict[str, Any]:
    """A citation as events and records hold it. `source` is the number in the prompt."""
    return {
        "n": n,
        "paragraph_id": str(hit.paragraph_id),
        "document_id": str(hit.document_id),
        "knowledge_base_id": str(hit.knowledge_base_id),
        "document": hit.document_name,
        "page": hit.page,
        "section": section_of(hit),
        "text": text,
        "offset": offset,
        "similarity": round(hit.similarity, 4),
        "source": source,
    }


def _request(
    context: RunContext, completer: Completer, query: str, turns: Sequence[Turn], result: SearchResult
) -> tuple[CompletionRequest, Packed]:
    profile, language = context.profile, context.language
    room = completer.context_tokens
    reserved = profile.max_tokens or int(min(max(room * ANSWER_SHARE, ANSWER_LEAST), ANSWER_MOST))
    # Rules always hold; the application's own prompt is added to them, not put in their place.
    system = SYSTEM_PROMPTS[language]
    if profile.system_prompt:
        system = f"{profile.system_prompt}\n\n{system}"
    template = profile.prompts.knowledge or ANSWER_PROMPTS[language]
    fixed = estimated_tokens(system) + estimated_tokens(template) + estimated_tokens(context.question)
    left = room - reserved - fixed - 64
    history = _history(turns, left // 3)
    left -= sum(estimated_tokens(message.text) for message in history)
    packed = pack(result.hits, max_chars=profile.max_context_chars, max_tokens=max(left, 200))
    data = "\n".join(
        fenced(n, hit.document_name, section_of(hit), hit.page, text)
        for n, (hit, text) in enumerate(packed, 1)
    )
    asked = fill(template, data=data, question=query)
    messages = [Message("system", system), *history, Message("user", context.with_pictures(asked))]
    return (
        CompletionRequest(messages=messages, temperature=profile.temperature, max_tokens=profile.max_tokens),
        packed,
    )


def _history(turns: Sequence[Turn], max_tokens: int) -> list[Message]:
    """The latest turns that fit, oldest first, long answers cut."""
    messages: list[Message] = []
    for turn in reversed(turns):
        answer = turn.answer[:MAX_HISTORY_ANSWER_CHARS]
        max_tokens -= estimated_tokens(turn.question) + estimated_tokens(answer)
        if max_tokens < 0:
            break
        messages[:0] = [Message("user", turn.question), Message("assistant", answer)]
    return messages


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
