"""The JSON of a chat completion's request, in the spellings of its many servers."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal

import httpx
import orjson

from refdesk.gateway.calls import CompletionRequest, Message, NamedTool, ToolChoice
from refdesk.gateway.content import TextPart
from refdesk.gateway.wires.completer import Reader
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.easing import Easing
from refdesk.gateway.wires.images import with_images_fetched
from refdesk.gateway.wires.openai.easing import OPENAI_EASING
from refdesk.gateway.wires.openai.reader import DONE, OpenAIReader
from refdesk.gateway.wires.streams import sse_data
from refdesk.gateway.wires.tool_history import arguments_text, nine_id
from refdesk.gateway.wires.wording import in_words

_REASONING = re.compile(r"^(?:o\d|gpt-5(?!.*chat))")

_END = orjson.dumps({"choices": [{"index": 0, "finish_reason": DONE}]})


@dataclass(frozen=True, slots=True)
class OpenAIFormat:
    """The OpenAI-compatible format. The members are what its servers differ in.

    `structured` tells how an answer of a JSON form is asked for: by schema, or, where a server knows only
    "some JSON", by that and the schema in words. `stream_usage` asks for usage at the end of a stream, which
    a few old servers refuse. `image_urls` is False where images are taken as data only.
    `reasoning_refuses_sampling` leaves temperature and stops out for models that reason by their name: they
    answer with an error instead of passing them over. `nine_digit_ids` is Mistral's form of ids of calls.
    `done_is_end` takes a stream's `[DONE]` for its end where no reason is ever given (elsewhere it is not
    one: proxies write it behind an answer that broke off).
    """

    structured: Literal["json_schema", "json_object"] = "json_schema"
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    required_word: Literal["required", "any"] = "required"
    stream_usage: bool = True
    image_urls: bool = True
    reasoning_refuses_sampling: bool = False
    nine_digit_ids: bool = False
    done_is_end: bool = False
    chat_path: str = "/chat/completions"
    stream_type: str = "text/event-stream"
    easing: Easing = OPENAI_EASING

    def path(self, model_name: str, *, stream: bool) -> str:
        return self.chat_path

    def frames(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return _ended(sse_data(response)) if self.done_is_end else sse_data(response)

    def reader(self, connection: Connection) -> Reader:
        return OpenAIReader(connection)

    async def body(self, model_name: str, request: CompletionRequest, *, stream: bool) -> dict[str, Any]:
        if not self.image_urls:
            request = await with_images_fetched(request)
        body: dict[str, Any] = {
            "model": model_name,
            "messages": [self._message(message) for message in request.messages],
        }
        if stream:
            body["stream"] = True
            if self.stream_usage:
                body["stream_options"] = {"include_usage": True}
        samples = not (self.reasoning_refuses_sampling and _REASONING.search(model_name))
        if request.temperature is not None and samples:
            body["temperature"] = request.temperature
        if request.max_tokens is not None:
            body[self.max_tokens_name] = request.max_tokens
        if request.stop and samples:
            body["stop"] = list(request.stop)
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.tools
            ]
            if request.tool_choice is not None:
                body["tool_choice"] = self._choice(request.tool_choice)
        if request.json_schema is not None:
            self._ask_for_json(body, request.json_schema)
        return body

    def _choice(self, choice: ToolChoice) -> Any:
        if isinstance(choice, NamedTool):
            return {"type": "function", "function": {"name": choice.name}}
        return self.required_word if choice == "required" else choice

    def _ask_for_json(self, body: dict[str, Any], schema: dict[str, Any]) -> None:
        if self.structured == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema},
            }
            return
        body["response_format"] = {"type": "json_object"}
        body["messages"].append({"role": "system", "content": in_words(schema)})

    def _message(self, message: Message) -> dict[str, Any]:
        body: dict[str, Any] = {"role": message.role}
        if isinstance(message.content, str):
            # With calls and no words, null: several servers refuse an empty text.
            body["content"] = message.content or (None if message.tool_calls else "")
        else:
            body["content"] = [
                {"type": "text", "text": part.text}
                if isinstance(part, TextPart)
                else {"type": "image_url", "image_url": {"url": part.as_url}}
                for part in message.content
            ]
        if message.tool_calls:
            body["tool_calls"] = [
                {
                    "id": self._id(call.id),
                    "type": "function",
                    "function": {"name": call.name, "arguments": arguments_text(call)},
                }
                for call in message.tool_calls
            ]
        if message.tool_call_id is not None:
            body["tool_call_id"] = self._id(message.tool_call_id)
        return body

    def _id(self, call_id: str | None) -> str | None:
        return nine_id(call_id) if self.nine_digit_ids else call_id


async def _ended(frames: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for data in frames:
        yield _END if data == b"[DONE]" else data
