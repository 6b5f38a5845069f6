"""From the result of an MCP call to a `ToolResult`: text for whoever reads it, data where there is any.

Pictures, sounds and other bytes are told by kind and size; their content goes nowhere.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson

from refdesk.tools.spec import ToolFault, ToolResult

_FAULT_CHARS = 500


def result_of(raw: Any, details: Mapping[str, Any]) -> ToolResult:
    """`raw` is a `CallToolResult` of the SDK."""
    texts: list[str] = []
    media: list[dict[str, Any]] = []
    for block in cast("Sequence[Any]", raw.content):
        text, medium = _block(block)
        texts.append(text)
        if medium is not None:
            media.append(medium)
    data: Any = raw.structured_content
    if data is not None and not any(text.strip() for text in texts):
        texts = [orjson.dumps(data).decode()]
    text = "\n\n".join(texts)
    told = dict(details) | ({"media": media} if media else {})
    if raw.is_error:
        message = text.strip()[:_FAULT_CHARS] or "The tool reported an error without saying which."
        return ToolResult(text, data, ToolFault("tool-error", message), details=told)
    return ToolResult(text, data if data is not None else _json_of(texts), details=told)


def _json_of(texts: Sequence[str]) -> Any:
    """Many servers give JSON as the one text: then it is the data too."""
    if len(texts) != 1 or texts[0].lstrip()[:1] not in ("{", "["):
        return None
    try:
        return orjson.loads(texts[0])
    except orjson.JSONDecodeError:
        return None


def _block(block: Any) -> tuple[str, dict[str, Any] | None]:
    kind = block.type
    if kind == "text":
        return block.text, None
    if kind in ("image", "audio"):
        return _medium(kind, block.mime_type, block.data)
    if kind == "resource_link":
        return f"[{block.title or block.name}]({block.uri})", None
    resource = block.resource
    if getattr(resource, "text", None) is not None:
        return resource.text, None
    return _medium("file", resource.mime_type or "application/octet-stream", resource.blob)


def _medium(kind: str, mime_type: str, encoded: str) -> tuple[str, dict[str, Any]]:
    size = len(encoded) * 3 // 4
    return f"[{kind}: {mime_type}, {max(1, size // 1024)} KB]", {
        "kind": kind,
        "type": mime_type,
        "bytes": size,
    }
