"""Arguments of a call that is told to a model again: vendors want an object, models write what they like."""

from typing import Any, cast

import orjson

from refdesk.gateway.calls import ToolCall

INVALID = "invalid_json"


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """The arguments as an object. What is none is kept under `invalid_json`, so that the model sees its own
    mistake and no server refuses the whole conversation for it."""
    try:
        parsed = orjson.loads(call.arguments or "{}")
    except orjson.JSONDecodeError:
        return {INVALID: call.arguments}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {INVALID: call.arguments}


def arguments_text(call: ToolCall) -> str:
    """The same as JSON text; valid text stays as the model wrote it."""
    arguments = arguments_of(call)
    if INVALID in arguments:
        return orjson.dumps(arguments).decode()
    return call.arguments or "{}"
