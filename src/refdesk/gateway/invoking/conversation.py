"""Messages, tools and choices between OpenAI's form, which both doors take, and the typed calls."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from refdesk.gateway.calls import Message, NamedTool, ToolCall, ToolChoice, ToolSpec
from refdesk.gateway.content import Content, ContentPart, ImagePart, TextPart
from refdesk.kit.border_types import clean_text

type Json = Mapping[str, Any]

_ROLES = {"developer": "system", "function": "tool"}


def messages_of(given: Sequence[Json]) -> list[Message]:
    """The messages. Raises `ImageNotUnderstood`."""
    return [
        Message(
            cast(Any, _ROLES.get(str(one["role"]), one["role"])),
            _content(one.get("content")),
            tuple(_call(call) for call in one.get("tool_calls") or ()),
            one.get("tool_call_id"),
        )
        for one in given
    ]


def tools_of(given: Sequence[Json]) -> list[ToolSpec]:
    return [
        ToolSpec(
            tool["function"]["name"],
            tool["function"].get("description") or "",
            tool["function"].get("parameters") or {"type": "object", "properties": {}},
        )
        for tool in given
    ]


def choice_of(given: Any) -> ToolChoice | None:
    """`auto`, `none`, `required`, or the tool that is named."""
    if isinstance(given, dict):
        return NamedTool(str(cast("Json", given)["function"]["name"]))
    return given


def call_json(call: ToolCall) -> dict[str, Any]:
    """A call as OpenAI tells it."""
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _content(given: Any) -> Content:
    if given is None:
        return ""
    if isinstance(given, str):
        return clean_text(given)
    parts: list[ContentPart] = []
    for part in cast("Sequence[Json]", given):
        if part["type"] == "image_url":
            image = cast("Json", part.get("image_url") or {})
            parts.append(ImagePart.of_url(str(image.get("url", ""))))
        else:
            parts.append(TextPart(clean_text(str(part.get("text", "")))))
    if all(isinstance(part, TextPart) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return tuple(parts)


def _call(given: Json) -> ToolCall:
    return ToolCall(str(given["id"]), str(given["function"]["name"]), str(given["function"]["arguments"]))
