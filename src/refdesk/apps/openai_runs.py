"""Between OpenAI's messages and a run, both ways."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

import orjson

from refdesk.apps.errors import MessagesInvalid
from refdesk.apps.openai_models import Target
from refdesk.apps.openai_schemas import (
    AssistantMessage,
    ChatChoice,
    ChatCompletion,
    ChatCompletionRequest,
    ChatMessage,
    CompletionUsage,
    NothingFound,
    Source,
)
from refdesk.chat import RunEvent, RunOut, RunSubmission, Turn
from refdesk.gateway import Notice, warning_headers
from refdesk.kit.errors import AppError

# Statuses of failures that clients treat in their own way; everything else is the model's side (502).
_STATUSES = {
    "limit-reached": 429,
    "limits-unavailable": 503,
    "model-queue-timeout": 503,
    "model-rate-limited": 429,
    "model-quota": 429,
    "model-timeout": 504,
    "run-timeout": 504,
    "internal": 500,
}


class RunFailed(AppError):
    """The run behind a completion failed; `code` in the answer is the run's own."""

    code = "run-failed"
    status = 502
    message = "The answer could not be written."


def submission_of(request: ChatCompletionRequest, target: Target) -> RunSubmission:
    """The run of a request: the last user message, earlier turns, system messages as added instructions."""
    messages = [message for message in request.messages if message.role in ("user", "assistant")]
    if not messages or messages[-1].role != "user" or not messages[-1].plain().strip():
        raise MessagesInvalid
    system = "\n\n".join(
        text for m in request.messages if m.role in ("system", "developer") and (text := m.plain().strip())
    )
    overrides: dict[str, Any] = {}
    if request.temperature is not None:
        overrides["temperature"] = request.temperature
    max_tokens = request.max_completion_tokens or request.max_tokens
    if max_tokens is not None:
        overrides["max_tokens"] = max_tokens
    base = target.knowledge_base_id
    return RunSubmission(
        question=messages[-1].plain(),
        application_id=target.application_id,
        knowledge_base_ids=(base,) if base is not None else None,
        history=tuple(_turns(messages[:-1])),
        system_prompt=system or None,
        may_restart=not request.stream,  # what a client has of a stream cannot be taken back
        overrides=overrides,
    )


def _turns(messages: list[ChatMessage]) -> Iterator[Turn]:
    """Pairs of a question and its answer; a user message without one is left out."""
    question: str | None = None
    for message in messages:
        if message.role == "user":
            question = message.plain()
        elif question is not None:
            yield Turn(question, message.plain())
            question = None


async def as_completion(
    events: AsyncIterator[RunEvent], run: RunOut, model: str
) -> tuple[ChatCompletion, dict[str, str]]:
    """The whole answer and its headers. Raises `RunFailed` with the run's own code if there is none."""
    finished: dict[str, Any] | None = None
    async for event in events:
        if event.name == "run.finished":
            finished = event.json()["run"]
    if finished is None or finished["state"] != "finished":
        raise _failure(finished)
    answer = ChatCompletion(
        id=f"chatcmpl-{run.id}",
        created=int(run.created_at.timestamp()),
        model=model,
        choices=[
            ChatChoice(
                message=AssistantMessage(content=finished["answer"]), finish_reason=_finish_reason(finished)
            )
        ],
        usage=_usage(finished),
        sources=[_source(citation) for citation in finished["citations"]],
        nothing_found=_nothing_found(finished),
    )
    told = [notice for stage in finished["stages"] for notice in stage["detail"].get("notices", ())]
    return answer, warning_headers([Notice(one["code"], one) for one in told])


async def as_chunks(
    events: AsyncIterator[RunEvent], run: RunOut, model: str, with_usage: bool
) -> AsyncIterator[bytes]:
    """The answer as OpenAI's stream. The last chunk of the choice carries `sources`."""
    head = {
        "id": f"chatcmpl-{run.id}",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": model,
    }

    def chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _data({**head, "choices": [choice], **more})

    yield chunk({"role": "assistant", "content": ""})
    finished: dict[str, Any] | None = None
    async with aclosing(events):  # pyright: ignore[reportArgumentType]
        async for event in events:
            if event.name == "delta":
                yield chunk({"content": event.json()["text"]})
            elif event.name == "run.finished":
                finished = event.json()["run"]
    if finished is None or finished["state"] != "finished":
        failure = _failure(finished)
        code = failure.details.get("run_code", failure.code)
        yield _data({"error": {"message": failure.text, "type": "server_error", "param": None, "code": code}})
    else:
        sources = [_source(citation).model_dump() for citation in finished["citations"]]
        more: dict[str, Any] = {"sources": sources}
        if (nothing := _nothing_found(finished)) is not None:
            more["nothing_found"] = nothing.model_dump()
        yield chunk({}, _finish_reason(finished), **more)
        if with_usage:
            yield _data({**head, "choices": [], "usage": _usage(finished).model_dump()})
    yield b"data: [DONE]\n\n"


def _failure(run: dict[str, Any] | None) -> RunFailed:
    if run is None or not run.get("error"):
        return RunFailed(f"The run ended as {run['state'] if run else 'deleted'}.")
    error = run["error"]
    more = {"retry_after_s": error["retry_after_s"]} if error.get("retry_after_s") else {}
    failure = RunFailed(error["message"], hint=error.get("hint"), run_code=error["code"], **more)
    # One case's own code and status; the class keeps the defaults.
    failure.code = error["code"]  # pyright: ignore[reportAttributeAccessIssue]
    failure.status = _STATUSES.get(error["code"], 502)  # pyright: ignore[reportAttributeAccessIssue]
    return failure


def _finish_reason(run: dict[str, Any]) -> Any:
    truncated = any(warning["code"] == "answer-truncated" for warning in run["warnings"])
    return "length" if truncated else "stop"


def _usage(run: dict[str, Any]) -> CompletionUsage:
    given, written = run["usage"]["input_tokens"], run["usage"]["output_tokens"]
    return CompletionUsage(prompt_tokens=given, completion_tokens=written, total_tokens=given + written)


def _source(citation: dict[str, Any]) -> Source:
    return Source.model_validate({key: citation[key] for key in Source.model_fields if key in citation})


def _nothing_found(run: dict[str, Any]) -> NothingFound | None:
    retrieval: dict[str, Any] = run.get("retrieval") or {}
    decision = retrieval.get("decision")
    if decision is None:
        return None
    return NothingFound(**decision, best=retrieval["best"], candidates=retrieval["candidates"])


def _data(payload: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(payload) + b"\n\n"
