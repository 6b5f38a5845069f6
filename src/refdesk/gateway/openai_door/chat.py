"""A chat completion for a model itself: OpenAI's request to the typed call, and the answer back.

What a stream costs a chunk is counted here, so its frames are put together from parts made once.
"""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, cast
from uuid import uuid4

import orjson

from refdesk.gateway.calls import (
    Completer,
    Completion,
    CompletionEvent,
    CompletionRequest,
    Finished,
    Message,
    Notice,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallReady,
    UsageReport,
)
from refdesk.gateway.invoking.conversation import call_json, choice_of, messages_of, tools_of
from refdesk.gateway.invoking.results import warnings_of
from refdesk.gateway.openai_door.schemas import ChatMessage, ChatRequest
from refdesk.kit.errors import AppError
from refdesk.kit.problem import openai_body

_ANY_OBJECT: dict[str, Any] = {"type": "object"}
_REASONS = {"other": "stop"}


def request_of(body: ChatRequest, request_id: str) -> CompletionRequest:
    """The typed request. Raises `ImageNotUnderstood`."""
    stop = body.stop or ()
    choice = body.tool_choice
    return CompletionRequest(
        [_message(one) for one in body.messages],
        temperature=body.temperature,
        max_tokens=body.max_completion_tokens or body.max_tokens,
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
        tools=tools_of([tool.model_dump() for tool in body.tools]) if body.tools else (),
        tool_choice=choice if choice is None or isinstance(choice, str) else choice_of(choice.model_dump()),
        json_schema=_schema(body),
        request_id=request_id,
    )


def whole(completion: Completion, model: str) -> dict[str, Any]:
    """The answer as OpenAI tells it."""
    message: dict[str, Any] = {"role": "assistant", "content": completion.text or None}
    if completion.reasoning:
        message["reasoning_content"] = completion.reasoning
    if completion.tool_calls:
        message["tool_calls"] = [call_json(call) for call in completion.tool_calls]
    elif not completion.text:
        message["content"] = ""
    reason = _REASONS.get(completion.finish_reason, completion.finish_reason)
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": _usage(completion.usage),
    }


async def begin_stream(
    completer: Completer, request: CompletionRequest
) -> tuple[list[CompletionEvent], AsyncGenerator[CompletionEvent]]:
    """The events up to the first that is no notice, and the rest. Raises `ModelError`s."""
    events = cast("AsyncGenerator[CompletionEvent]", completer.stream(request))
    head: list[CompletionEvent] = []
    async for event in events:
        head.append(event)
        if not isinstance(event, Notice):
            break
    return head, events


async def chunks(
    head: Sequence[CompletionEvent],
    rest: AsyncGenerator[CompletionEvent],
    model: str,
    *,
    with_usage: bool,
) -> AsyncGenerator[bytes]:
    """The frames of a stream; a failure is its last event, as OpenAI's clients expect."""
    frames = _Frames(model)
    usage: UsageReport | None = None
    yield frames.delta({"role": "assistant", "content": ""})
    try:
        async with aclosing(rest):
            for event in head:
                if isinstance(event, UsageReport):
                    usage = event
                elif (made := frames.of(event)) is not None:
                    yield made
            async for event in rest:
                if isinstance(event, UsageReport):
                    usage = event
                elif (made := frames.of(event)) is not None:
                    yield made
    except AppError as error:
        yield b"data: %b\n\n" % orjson.dumps(
            openai_body(error.status, error.code, error.text, error.hint_text)
        )
    else:
        if with_usage:
            yield frames.usage(usage)
    yield b"data: [DONE]\n\n"


def warning_headers(notices: Sequence[object]) -> dict[str, str]:
    """The header of warnings, if there are any."""
    found = warnings_of([one for one in notices if isinstance(one, Notice)], ())
    return {"X-MCP-Warning": ", ".join(found)} if found else {}


class _Frames:
    """The chunks of one answer."""

    __slots__ = ("_calls", "_head")

    def __init__(self, model: str) -> None:
        head = {
            "id": f"chatcmpl-{uuid4().hex}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }
        self._head = b"data: " + orjson.dumps(head)[:-1]
        self._calls = 0

    def of(self, event: CompletionEvent) -> bytes | None:
        match event:
            case TextDelta(text):
                return (
                    b'%b,"choices":[{"index":0,"delta":{"content":%b},"finish_reason":null,'
                    b'"logprobs":null}]}\n\n' % (self._head, orjson.dumps(text))
                )
            case ReasoningDelta(text):
                return self.delta({"reasoning_content": text})
            case ToolCallReady(call):
                self._calls += 1
                return self.delta({"tool_calls": [{"index": self._calls - 1, **call_json(call)}]})
            case Finished(reason):
                return self.delta({}, _REASONS.get(reason, reason))
            case _:
                return None

    def delta(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return b'%b,"choices":[%b]}\n\n' % (self._head, orjson.dumps(choice))

    def usage(self, usage: UsageReport | None) -> bytes:
        return b'%b,"choices":[],"usage":%b}\n\n' % (self._head, orjson.dumps(_usage(usage)))


def _message(given: ChatMessage) -> Message:
    if isinstance(given.content, str) and given.role in ("user", "system") and given.tool_call_id is None:
        return Message("system" if given.role == "system" else "user", given.content)
    [message] = messages_of([given.model_dump(exclude={"tool_calls"})])
    calls = tuple(
        ToolCall(one.id, one.function.name, one.function.arguments) for one in given.tool_calls or ()
    )
    return Message(message.role, message.content, calls, given.tool_call_id)


def _schema(body: ChatRequest) -> dict[str, Any] | None:
    form = body.response_format
    if form is None or form.type == "text":
        return None
    return form.json_schema.schema_ if form.json_schema is not None else _ANY_OBJECT


def _usage(usage: UsageReport | None) -> dict[str, Any]:
    told = usage or UsageReport(0, 0)
    return {
        "prompt_tokens": told.input_tokens,
        "completion_tokens": told.output_tokens,
        "total_tokens": told.input_tokens + told.output_tokens,
        "prompt_tokens_details": {"cached_tokens": told.cached_tokens},
    }
