"""The JSON of a Converse request, one form for all models that Bedrock serves.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx
import orjson

from refdesk.gateway.calls import CompletionRequest, Message, NamedTool
from refdesk.gateway.content import ImagePart, parts_of
from refdesk.gateway.wires.bedrock.easing import BEDROCK_EASING
from refdesk.gateway.wires.bedrock.frames import event_frames
from refdesk.gateway.wires.bedrock.reader import STATE, BedrockReader
from refdesk.gateway.wires.completer import Reader
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.easing import Easing
from refdesk.gateway.wires.images import with_images_fetched
from refdesk.gateway.wires.tool_history import arguments_of, plain_id


@dataclass(frozen=True, slots=True)
class BedrockFormat:
    stream_type: str = "application/vnd.amazon.eventstream"
    easing: Easing = BEDROCK_EASING

    def path(self, model_name: str, *, stream: bool) -> str:
        return f"/model/{quote(model_name, safe='')}/{'converse-stream' if stream else 'converse'}"

    def frames(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return event_frames(response)

    def reader(self, connection: Connection) -> Reader:
        return BedrockReader(connection)

    async def body(self, model_name: str, request: CompletionRequest, *, stream: bool) -> dict[str, Any]:
        request = await with_images_fetched(request)
        body: dict[str, Any] = {"messages": _turns(request)}
        if system := [{"text": m.text} for m in request.messages if m.role == "system" and m.text]:
            body["system"] = system
        inference: dict[str, Any] = {}
        if request.temperature is not None:
            inference["temperature"] = min(request.temperature, 1.0)
        if request.max_tokens is not None:
            inference["maxTokens"] = request.max_tokens
        if stops := [stop for stop in request.stop if stop.strip()]:
            inference["stopSequences"] = stops
        if inference:
            body["inferenceConfig"] = inference
        # There is no way to forbid tools that are offered: they are left out, unless the conversation holds
        # calls, whose tools have to be told.
        called = any(message.tool_calls for message in request.messages)
        if request.tools and (request.tool_choice != "none" or called):
            body["toolConfig"] = _tools(request)
        if request.json_schema is not None:
            schema = orjson.dumps(request.json_schema).decode()
            body["outputConfig"] = {
                "textFormat": {
                    "type": "json_schema",
                    "structure": {"jsonSchema": {"name": "answer", "schema": schema}},
                }
            }
        return body


def _tools(request: CompletionRequest) -> dict[str, Any]:
    config: dict[str, Any] = {
        "tools": [
            {
                "toolSpec": {
                    "name": tool.name,
                    "description": tool.description or tool.name,  # an empty one is refused
                    "inputSchema": {"json": tool.parameters},
                }
            }
            for tool in request.tools
        ]
    }
    match request.tool_choice:
        case NamedTool(name):
            config["toolChoice"] = {"tool": {"name": name}}
        case "required":
            config["toolChoice"] = {"any": {}}
        case "auto":
            config["toolChoice"] = {"auto": {}}
        case _:
            pass
    return config


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
        result = {
            "toolUseId": plain_id(message.tool_call_id),
            "content": [{"text": message.text or "(empty)"}],
        }
        return [{"toolResult": result}]
    blocks: list[dict[str, Any]] = []
    for call in message.tool_calls:
        if call.state.startswith(STATE):
            blocks.extend(orjson.loads(call.state.removeprefix(STATE)))
    for part in parts_of(message.content):
        if isinstance(part, ImagePart):
            form = part.media_type.partition("/")[2]
            blocks.append({"image": {"format": form, "source": {"bytes": part.base64}}})
        elif part.text.strip():
            blocks.append({"text": part.text})
    blocks.extend(
        {"toolUse": {"toolUseId": plain_id(call.id), "name": call.name, "input": arguments_of(call)}}
        for call in message.tool_calls
    )
    return blocks
