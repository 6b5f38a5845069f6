"""The JSON of a chat request of Cohere's second wire. Source: https://docs.cohere.com/reference/chat"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx

from refdesk.gateway.calls import CompletionRequest, Message, NamedTool, ToolChoice, ToolSpec
from refdesk.gateway.content import ImagePart, parts_of
from refdesk.gateway.wires.cohere.easing import COHERE_EASING
from refdesk.gateway.wires.cohere.reader import CohereReader
from refdesk.gateway.wires.completer import Reader
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.easing import Easing
from refdesk.gateway.wires.streams import sse_data
from refdesk.gateway.wires.tool_history import arguments_text

_CHOICES: dict[ToolChoice, str] = {"none": "NONE", "required": "REQUIRED"}
_MOST_STOPS = 5


@dataclass(frozen=True, slots=True)
class CohereFormat:
    """`tool_choice` knows no names: a named tool is offered alone and required."""

    stream_type: str = "text/event-stream"
    easing: Easing = COHERE_EASING

    def path(self, model_name: str, *, stream: bool) -> str:
        return "/chat"

    def frames(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return sse_data(response)

    def reader(self, connection: Connection) -> Reader:
        return CohereReader(connection)

    async def body(self, model_name: str, request: CompletionRequest, *, stream: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model_name,
            "messages": [_message(message) for message in request.messages],
            "stream": stream,
        }
        if request.temperature is not None:
            body["temperature"] = min(request.temperature, 1.0)
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        if request.stop:
            body["stop_sequences"] = list(request.stop)[:_MOST_STOPS]
        if request.tools:
            tools, choice = request.tools, request.tool_choice
            if isinstance(choice, NamedTool):
                tools, choice = [tool for tool in tools if tool.name == choice.name], "required"
            body["tools"] = [_tool(tool) for tool in tools]
            if choice in _CHOICES:
                body["tool_choice"] = _CHOICES[choice]
        if request.json_schema is not None:
            body["response_format"] = {"type": "json_object", "json_schema": request.json_schema}
        return body


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _message(message: Message) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role}
    if message.role == "tool":
        return body | {"tool_call_id": message.tool_call_id, "content": message.text}
    if message.tool_calls:
        body["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call)},
            }
            for call in message.tool_calls
        ]
        if message.text:
            body["tool_plan"] = message.text
        return body
    if isinstance(message.content, str):
        return body | {"content": message.content}
    body["content"] = [
        {"type": "image_url", "image_url": {"url": part.as_url}}
        if isinstance(part, ImagePart)
        else {"type": "text", "text": part.text}
        for part in parts_of(message.content)
    ]
    return body
