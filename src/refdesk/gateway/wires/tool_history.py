"""Calls that are told to a model again, perhaps another than the one that made them.

Vendors want arguments to be an object where models write what they like, and ids in a form of their own: what
one vendor calls `functions.search:0` another refuses. Both are made to fit here, the same way each time.
"""

import hashlib
import re
from typing import Any, cast

import orjson

from refdesk.gateway.calls import ToolCall

INVALID = "invalid_json"
_PLAIN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NINE = re.compile(r"[a-zA-Z0-9]{9}")


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


def plain_id(call_id: str | None) -> str:
    """An id of letters, digits, `_` and `-`, which every vendor but Mistral takes."""
    call_id = call_id or ""
    return call_id if _PLAIN.fullmatch(call_id) else f"call_{_hashed(call_id)[:24]}"


def nine_id(call_id: str | None) -> str:
    """An id of nine letters and digits, as Mistral wants it."""
    call_id = call_id or ""
    return call_id if _NINE.fullmatch(call_id) else _hashed(call_id)[:9]


def _hashed(call_id: str) -> str:
    return hashlib.sha256(call_id.encode()).hexdigest()
