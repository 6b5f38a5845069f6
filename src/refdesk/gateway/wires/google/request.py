"""The JSON of a `generateContent` request.

What differs from OpenAI's: the model's name is in the path, results of tools go by the tool's name, and calls
carry a signature that newer models want back. Images that lie elsewhere are fetched here, for the vendor
takes only addresses of its own.
Source: https://ai.google.dev/api/generate-content
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from refdesk.gateway.calls import CompletionRequest, Message, NamedTool, ToolChoice
from refdesk.gateway.content import ImagePart, parts_of
from refdesk.gateway.wires.completer import Reader
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.easing import Easing
from refdesk.gateway.wires.google.easing import GOOGLE_EASING
from refdesk.gateway.wires.google.reader import STATE, GoogleReader
from refdesk.gateway.wires.images import with_images_fetched
from refdesk.gateway.wires.streams import sse_data
from refdesk.gateway.wires.tool_history import arguments_of

_MODES: dict[ToolChoice, str] = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
_MOST_STOPS = 5


@dataclass(frozen=True, slots=True)
class GoogleFormat:
    stream_type: str = "text/event-stream"
    easing: Easing = GOOGLE_EASING

    def path(self, model_name: str, *, stream: bool) -> str:
        call = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"/{resource(model_name)}:{call}"

    def frames(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return sse_data(response)

    def reader(self, connection: Connection) -> Reader:
        return GoogleReader(connection)

    async def body(self, model_name: str, request: CompletionRequest, *, stream: bool) -> dict[str, Any]:
        request = await with_images_fetched(request)
        body: dict[str, Any] = {"contents": _turns(request)}
        if system := "\n\n".join(m.text for m in request.messages if m.role == "system" and m.text):
            body["systemInstruction"] = {"parts": [{"text": system}]}
        generation: dict[str, Any] = {}
        if request.temperature is not None:
            generation["temperature"] = request.temperature
        if request.max_tokens is not None:
            generation["maxOutputTokens"] = request.max_tokens
        if request.stop:
            generation["stopSequences"] = list(request.stop)[:_MOST_STOPS]
        if request.json_schema is not None:
            generation["responseMimeType"] = "application/json"
            generation["responseJsonSchema"] = request.json_schema
        if generation:
            body["generationConfig"] = generation
        if request.tools:
            body["tools"] = [
                {
                    "functionDeclarations": [
                        {
                            "name": tool.name,
                            "description": tool.description,
                            "parametersJsonSchema": tool.parameters,
                        }
                        for tool in request.tools
                    ]
                }
            ]
            match request.tool_choice:
                case None:
                    pass
                case NamedTool(name):
                    body["toolConfig"] = _config({"mode": "ANY", "allowedFunctionNames": [name]})
                case choice:
                    body["toolConfig"] = _config({"mode": _MODES[choice]})
        return body


def resource(model_name: str) -> str:
    """A model's name as it stands in paths: tuned models bring their own collection."""
    name = model_name if "/" in model_name else f"models/{model_name}"
    return quote(name, safe="/")


def _config(calling: dict[str, Any]) -> dict[str, Any]:
    return {"functionCallingConfig": calling}


def _turns(request: CompletionRequest) -> list[dict[str, Any]]:
    """Messages with what one role says in a row joined; empty ones are left out, for they are refused."""
    names = {call.id: call.name for message in request.messages for call in message.tool_calls}
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        if message.role == "system" or not (parts := _parts(message, names)):
            continue
        role = "model" if message.role == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["parts"].extend(parts)
        else:
            turns.append({"role": role, "parts": parts})
    return turns


def _parts(message: Message, names: dict[str, str]) -> list[dict[str, Any]]:
    if message.role == "tool":
        call_id = message.tool_call_id or ""
        # An id of our own making is not the vendor's to know.
        answer: dict[str, Any] = {"name": names.get(call_id, call_id), "response": {"result": message.text}}
        return [{"functionResponse": answer}]
    parts: list[dict[str, Any]] = []
    for part in parts_of(message.content):
        if isinstance(part, ImagePart):
            parts.append({"inlineData": {"mimeType": part.media_type, "data": part.base64}})
        elif part.text:
            parts.append({"text": part.text})
    for call in message.tool_calls:
        made: dict[str, Any] = {"functionCall": {"name": call.name, "args": arguments_of(call)}}
        if call.state.startswith(STATE):
            made["thoughtSignature"] = call.state.removeprefix(STATE)
        parts.append(made)
    return parts
