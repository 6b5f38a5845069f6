"""A chat model asked by itself over the OpenAI-compatible door: no sources, no run, the gateway's rules only.

Owns the way from the request's messages to the gateway's and back. What the gateway did before the first
token is in the headers; a failure before it has its own status, one after it is the stream's last event.
"""

import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Any, Literal, cast
from uuid import uuid4

import orjson

from refdesk.apps.openai_schemas import (
    AssistantMessage,
    ChatChoice,
    ChatCompletion,
    ChatCompletionRequest,
    CompletionUsage,
)
from refdesk.gateway import (
    Completer,
    CompletionEvent,
    CompletionRequest,
    Finished,
    Message,
    Notice,
    TextDelta,
    UsageReport,
)
from refdesk.kit.errors import AppError

WARNING_HEADER = "X-MCP-Warning"

type Role = Literal["system", "user", "assistant"]
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}


def request_of(body: ChatCompletionRequest) -> CompletionRequest:
    """The gateway's request; parts that are not text are left out."""
    return CompletionRequest(
        messages=[Message(_ROLES[m.role], m.plain()) for m in body.messages if m.role in _ROLES],
        temperature=body.temperature,
        max_tokens=body.max_completion_tokens or body.max_tokens,
    )


async def complete(
    completer: Completer, body: ChatCompletionRequest
) -> tuple[ChatCompletion, dict[str, str]]:
    """The whole answer, and the headers that go with it. Raises `ModelError`s."""
    completion = await completer.complete(request_of(body))
    answer = ChatCompletion(
        id=f"chatcmpl-{uuid4().hex}",
        created=int(time.time()),
        model=body.model,
        choices=[
            ChatChoice(
                message=AssistantMessage(content=completion.text),
                finish_reason="length" if completion.finish_reason == "length" else "stop",
            )
        ],
        usage=_usage(completion.usage),
    )
    return answer, headers_of(completion.notices)


async def stream(
    completer: Completer, body: ChatCompletionRequest
) -> tuple[AsyncGenerator[bytes], dict[str, str]]:
    """The answer's stream, begun: its first token is there. Raises `ModelError`s."""
    events = cast("AsyncGenerator[CompletionEvent]", completer.stream(request_of(body)))
    held: list[CompletionEvent] = []
    try:
        async for event in events:
            held.append(event)
            if not isinstance(event, Notice):
                break
    except BaseException:  # also a cancel: the model's socket must close now
        await events.aclose()
        raise
    with_usage = body.stream_options is not None and body.stream_options.include_usage
    notices = [event for event in held if isinstance(event, Notice)]
    return _chunks(held, events, body.model, with_usage), headers_of(notices)


def headers_of(notices: Iterable[Notice]) -> dict[str, str]:
    """`X-MCP-Warning: context_truncated_to_2048` where the input was cut."""
    cut = [notice.detail["tokens"] for notice in notices if notice.code == "context-truncated"]
    return {WARNING_HEADER: f"context_truncated_to_{cut[-1]}"} if cut else {}


async def _chunks(
    held: list[CompletionEvent], events: AsyncGenerator[CompletionEvent], model: str, with_usage: bool
) -> AsyncGenerator[bytes]:
    head = orjson.dumps(
        {
            "id": f"chatcmpl-{uuid4().hex}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }
    )[:-1]

    def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = orjson.dumps({"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None})
        return b'data: %b,"choices":[%b]}\n\n' % (head, choice)

    usage: UsageReport | None = None
    yield chunk({"role": "assistant", "content": ""})
    try:
        async with aclosing(events):
            for event in held:
                if isinstance(event, TextDelta):
                    yield chunk({"content": event.text})
                elif isinstance(event, Finished):
                    yield chunk({}, _reason(event))
            async for event in events:
                match event:
                    case TextDelta(text):
                        yield chunk({"content": text})
                    case UsageReport():
                        usage = event
                    case Finished():
                        yield chunk({}, _reason(event))
                    case _:
                        pass
    except AppError as error:
        told = {"message": error.text, "type": "server_error", "param": None, "code": error.code}
        yield b"data: %b\n\n" % orjson.dumps({"error": told})
    else:
        if with_usage:
            yield b'data: %b,"choices":[],"usage":%b}\n\n' % (
                head,
                orjson.dumps(_usage(usage).model_dump()),
            )
    yield b"data: [DONE]\n\n"


def _reason(event: Finished) -> str:
    return "length" if event.reason == "length" else "stop"


def _usage(usage: UsageReport | None) -> CompletionUsage:
    if usage is None:
        return CompletionUsage()
    return CompletionUsage(
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        total_tokens=usage.input_tokens + usage.output_tokens,
    )
