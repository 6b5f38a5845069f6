"""What each kind of model takes and gives through `/mcp/invoke`, as JSON Schema draft 7.

A model without schemas of its own has these. Schemas of its own narrow them: an input is held against both,
since what is sent on is made from the fields below and nothing else.
"""

from typing import Any

from refdesk.gateway.descriptors.json_schema import DRAFT_7

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1}
_BASE64: dict[str, Any] = {"type": "string", "minLength": 1, "contentEncoding": "base64"}
_NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "number"}}
_USAGE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "input_tokens": {"type": "integer"},
        "output_tokens": {"type": "integer"},
        "cached_tokens": {"type": "integer"},
    },
}
_PART: dict[str, Any] = {
    "type": "object",
    "properties": {
        "type": {"enum": ["text", "image_url"]},
        "text": {"type": "string"},
        "image_url": {
            "type": "object",
            "properties": {"url": _TEXT, "detail": {"type": "string"}},
            "required": ["url"],
        },
    },
    "required": ["type"],
    "additionalProperties": False,
}
_CALL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "properties": {"name": _TEXT, "arguments": {"type": "string"}},
            "required": ["name", "arguments"],
        },
    },
    "required": ["id", "function"],
}
_MESSAGE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "role": {"enum": ["system", "developer", "user", "assistant", "tool"]},
        "content": {"type": ["string", "array", "null"], "items": _PART},
        "tool_calls": {"type": "array", "items": _CALL},
        "tool_call_id": {"type": "string"},
        "name": {"type": "string"},
    },
    "required": ["role"],
    "additionalProperties": False,
    "allOf": [
        {
            "if": {"properties": {"role": {"enum": ["system", "developer", "user"]}}},
            "then": {"required": ["content"]},
        },
        {
            "if": {"properties": {"role": {"const": "tool"}}},
            "then": {"required": ["content", "tool_call_id"]},
        },
    ],
}
_TOOL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "properties": {
                "name": _TEXT,
                "description": {"type": "string"},
                "parameters": {"type": "object"},
                "strict": {"type": ["boolean", "null"]},
            },
            "required": ["name"],
        },
    },
    "required": ["function"],
}


def _object(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {
        "$schema": DRAFT_7,
        "type": "object",
        "properties": properties,
        **({"required": list(required)} if required else {}),
        **more,
    }


def _taken(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return _object(properties, *required, additionalProperties=False, **more)


_FILM_IN: dict[str, Any] = {
    "prompt": {"type": "string"},
    "size": _TEXT,
    "seconds": {"type": "integer", "minimum": 1, "maximum": 120},
}
_FILM_OUT = _object({"film_id": _TEXT, "stage": {"type": "string"}}, "film_id", "stage")

INPUT_SCHEMAS: dict[str, dict[str, Any]] = {
    "LLM": _taken(
        {
            "prompt": _TEXT,
            "messages": {"type": "array", "minItems": 1, "maxItems": 2_000, "items": _MESSAGE},
            "temperature": {"type": "number", "minimum": 0, "maximum": 2},
            "max_tokens": _COUNT,
            "stop": {"type": "array", "items": _TEXT, "maxItems": 16},
            "tools": {"type": "array", "items": _TOOL, "maxItems": 512},
            "tool_choice": {
                "anyOf": [
                    {"enum": ["auto", "none", "required"]},
                    {"type": "object", "required": ["function"]},
                ]
            },
            "json_schema": {"type": "object"},
        },
        oneOf=[{"required": ["prompt"]}, {"required": ["messages"]}],
    ),
    "EMBEDDING": _taken(
        {
            "texts": {"type": "array", "minItems": 1, "maxItems": 2_048, "items": _TEXT},
            "input_type": {"enum": ["query", "passage"]},
        },
        "texts",
    ),
    "RERANKER": _taken(
        {"query": _TEXT, "texts": {"type": "array", "minItems": 1, "maxItems": 1_000, "items": _TEXT}},
        "query",
        "texts",
    ),
    "STT": _taken(
        {
            "data": _BASE64,
            "media_type": _TEXT,
            "name": _TEXT,
            "language": _TEXT,
            "prompt": {"type": "string"},
        },
        "data",
    ),
    "TTS": _taken(
        {
            "text": _TEXT,
            "voice": _TEXT,
            "format": {"enum": ["mp3", "wav", "opus", "flac", "pcm"]},
            "speed": {"type": "number", "minimum": 0.25, "maximum": 4},
        },
        "text",
    ),
    "IMAGE": _taken(
        {
            "question": _TEXT,
            "pictures": {"type": "array", "minItems": 1, "maxItems": 16, "items": _BASE64},
            "max_tokens": _COUNT,
        },
        "question",
        "pictures",
    ),
    "TTI": _taken(
        {
            "prompt": _TEXT,
            "size": _TEXT,
            "count": {"type": "integer", "minimum": 1, "maximum": 4},
            "negative_prompt": {"type": "string"},
            "seed": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
        },
        "prompt",
    ),
    "TTV": _taken(_FILM_IN, "prompt"),
    "ITV": _taken(_FILM_IN | {"picture": _BASE64}, "picture"),
}

OUTPUT_SCHEMAS: dict[str, dict[str, Any]] = {
    "LLM": _object(
        {
            "text": {"type": "string"},
            "finish_reason": {"enum": ["stop", "length", "tool_calls", "content_filter", "other"]},
            "reasoning": {"type": "string"},
            "tool_calls": {"type": "array", "items": _CALL},
            "usage": _USAGE,
        },
        "text",
        "finish_reason",
    ),
    "EMBEDDING": _object(
        {"embeddings": {"type": "array", "items": _NUMBERS}, "dimensions": _COUNT}, "embeddings"
    ),
    "RERANKER": _object({"scores": _NUMBERS}, "scores"),
    "STT": _object(
        {"text": {"type": "string"}, "language": {"type": "string"}, "duration_s": {"type": "number"}}, "text"
    ),
    "TTS": _object({"data": _BASE64, "media_type": {"type": "string"}}, "data", "media_type"),
    "IMAGE": _object({"text": {"type": "string"}, "usage": _USAGE}, "text"),
    "TTI": _object(
        {
            "pictures": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"data": _BASE64, "media_type": {"type": "string"}},
                },
            }
        },
        "pictures",
    ),
    "TTV": _FILM_OUT,
    "ITV": _FILM_OUT,
}
