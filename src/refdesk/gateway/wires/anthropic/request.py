"""The JSON of a Messages request.

What differs from OpenAI's: the system's words stand apart, roles alternate, results of tools are the user's,
`max_tokens` has to be said, and thinking goes back with the calls that followed it.
Source: https://docs.anthropic.com/en/api/messages
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast

import httpx
import orjson

from refdesk.gateway.calls import CompletionRequest, Message, NamedTool, ToolChoice
from refdesk.gateway.content import ImagePart, parts_of
from refdesk.gateway.wires.anthropic.easing import ANTHROPIC_EASING
from refdesk.gateway.wires.anthropic.reader import STATE, AnthropicReader
from refdesk.gateway.wires.completer import Reader
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.easing import Easing
from refdesk.gateway.wires.streams import sse_data
from refdesk.gateway.wires.tool_history import arguments_of, plain_id

DEFAULT_MAX_TOKENS = 4096
"""The most that every model of this vendor takes; a model's own `max_tokens` replaces it."""
_CHOICES: dict[ToolChoice, str] = {"auto": "auto", "none": "none", "required": "any"}
# Constraints that the vendor's structured output refuses. The model's answer is judged by whoever asked.
_REFUSED = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    | {"minLength", "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties"}
)
# Members whose values are schemas by name: there a `minimum` is somebody's property.
_BY_NAME = frozenset({"properties", "$defs", "definitions"})


@dataclass(frozen=True, slots=True)
class AnthropicFormat:
    stream_type: str = "text/event-stream"
    easing: Easing = ANTHROPIC_EASING

    def path(self, model_name: str, *, stream: bool) -> str:
        return "/messages"

    def frames(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return sse_data(response)

    def reader(self, connection: Connection) -> Reader:
        return AnthropicReader(connection)

    async def body(self, model_name: str, request: CompletionRequest, *, stream: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model_name,
            "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
            "messages": _turns(request),
        }
        if stream:
            body["stream"] = True
        if system := "\n\n".join(m.text for m in request.messages if m.role == "system" and m.text):
            body["system"] = system
        if request.temperature is not None:
            body["temperature"] = min(request.temperature, 1.0)
        if stops := [stop for stop in request.stop if stop.strip()]:  # white space alone is refused
            body["stop_sequences"] = stops
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
            match request.tool_choice:
                case None:
                    pass
                case NamedTool(name):
                    body["tool_choice"] = {"type": "tool", "name": name}
                case choice:
                    body["tool_choice"] = {"type": _CHOICES[choice]}
        if request.json_schema is not None:
            schema = closed(request.json_schema)
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return body


def closed(schema: Any) -> Any:
    """The schema as the vendor's structured output takes it: every object closed, no constraints of size."""
    if isinstance(schema, list):
        return [closed(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast("dict[str, Any]", schema)
    taken = {
        name: {key: closed(one) for key, one in cast("dict[str, Any]", value).items()}
        if name in _BY_NAME and isinstance(value, dict)
        else closed(value)
        for name, value in members.items()
        if name not in _REFUSED
    }
    if members.get("type") == "object":
        taken["additionalProperties"] = False
    return taken


def _turns(request: CompletionRequest) -> list[dict[str, Any]]:
    """Messages with what one role says in a row joined; empty ones are left out, for they are refused."""
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        if message.role == "system" or not (blocks := _blocks(message)):
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"].extend(blocks)
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [
            {
                "type": "tool_result",
                "tool_use_id": plain_id(message.tool_call_id),
                "content": message.text or "(empty)",
            }
        ]
    blocks: list[dict[str, Any]] = []
    for call in message.tool_calls:
        if call.state.startswith(STATE):
            blocks.extend(orjson.loads(call.state.removeprefix(STATE)))
    for part in parts_of(message.content):
        if isinstance(part, ImagePart):
            blocks.append({"type": "image", "source": _source(part)})
        elif part.text.strip():
            blocks.append({"type": "text", "text": part.text})
    blocks.extend(
        {"type": "tool_use", "id": plain_id(call.id), "name": call.name, "input": arguments_of(call)}
        for call in message.tool_calls
    )
    return blocks


def _source(image: ImagePart) -> dict[str, Any]:
    if image.url is not None:
        return {"type": "url", "url": image.url}
    return {"type": "base64", "media_type": image.media_type, "data": image.base64}
