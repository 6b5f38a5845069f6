"""What a tool server offers, checked: its tools, resources and prompts.

A server may send anything. What is no usable tool is left out and told, the others stay.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import orjson
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

MAX_TOOLS = 500
MAX_PAGES = 50
_MAX_SCHEMA_BYTES = 64 * 1024
_MAX_DESCRIPTION_CHARS = 4_000
_MAX_NAME_CHARS = 200
_MAX_LISTED = 500


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as its server describes it."""

    name: str
    title: str
    description: str
    parameters: dict[str, Any]
    read_only: bool
    repeatable: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """`left_out`: name and reason of what cannot be used. `resources` and `prompts`: as sent, but bounded."""

    tools: tuple[OfferedTool, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    resources: tuple[dict[str, str], ...] = ()
    prompts: tuple[dict[str, str], ...] = ()
    server: str = ""
    protocol: str = ""

    def as_json(self) -> dict[str, Any]:
        """As it is stored beside the server, and as it comes back from there."""
        return cast("dict[str, Any]", orjson.loads(orjson.dumps(asdict(self))))

    def digest(self) -> str:
        """What tells two lists apart without comparing them."""
        return hashlib.sha256(orjson.dumps(asdict(self))).hexdigest()[:16]

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Listing":
        """What `as_json` gave."""
        return cls(
            tools=tuple(OfferedTool(**tool) for tool in stored["tools"]),
            left_out=tuple((name, reason) for name, reason in stored["left_out"]),
            resources=tuple(stored["resources"]),
            prompts=tuple(stored["prompts"]),
            server=stored["server"],
            protocol=stored["protocol"],
        )


def sorted_out(raw: Sequence[Any]) -> tuple[list[OfferedTool], list[tuple[str, str]]]:
    """The usable tools of a list as it came, and what is wrong with the others. Of two with one name the
    first is kept."""
    tools: dict[str, OfferedTool] = {}
    left_out: list[tuple[str, str]] = []
    for entry in raw:
        tool = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
        name = tool.get("name")
        if not isinstance(name, str) or not name.strip() or len(name) > _MAX_NAME_CHARS:
            left_out.append((str(name)[:_MAX_NAME_CHARS], "It has no usable name."))
            continue
        reason = _fault_of(tool.get("inputSchema"))
        if name in tools:
            reason = "Another tool has this name."
        elif len(tools) >= MAX_TOOLS:
            reason = f"A server may offer at most {MAX_TOOLS} tools."
        if reason is not None:
            left_out.append((name, reason))
            continue
        tools[name] = _tool(name, tool)
    return list(tools.values()), left_out[:_MAX_LISTED]


def _tool(name: str, tool: Mapping[str, Any]) -> OfferedTool:
    given = tool.get("annotations")
    hints = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    title = tool.get("title") or hints.get("title")
    description = tool.get("description")
    schema = cast("dict[str, Any]", tool["inputSchema"])
    read_only = hints.get("readOnlyHint") is True
    return OfferedTool(
        name=name,
        title=str(title)[:_MAX_NAME_CHARS] if title else name,
        description=_clean(description)[:_MAX_DESCRIPTION_CHARS] if isinstance(description, str) else "",
        parameters=schema | {"type": "object"},
        read_only=read_only,
        repeatable=read_only or hints.get("idempotentHint") is True,
    )


def _clean(text: str) -> str:
    # Control characters and invisible ones, in which instructions can be hidden from people.
    return re.sub(
        r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]",
        "",
        text,
    )


def _fault_of(schema: Any) -> str | None:
    """What is wrong with the schema of a tool's parameters."""
    if not isinstance(schema, dict):
        return "It has no schema of its parameters."
    kind = cast("dict[str, Any]", schema).get("type", "object")
    if kind != "object":
        return "Its parameters are no object."
    try:
        size = len(orjson.dumps(schema))
        if size > _MAX_SCHEMA_BYTES:
            return f"The schema of its parameters is larger than {_MAX_SCHEMA_BYTES // 1024} KB."
        Draft202012Validator.check_schema(cast("dict[str, Any]", schema))
        if any(not reference.startswith("#") for reference in _references(schema)):
            return "The schema of its parameters refers to another document."
    except SchemaError as error:
        return f"The schema of its parameters is not valid: {error.message[:200]}"
    except (RecursionError, orjson.JSONEncodeError):
        return "The schema of its parameters is nested too deeply."
    return None


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        own = [mapping["$ref"]] if isinstance(mapping.get("$ref"), str) else []
        return own + [found for part in mapping.values() for found in _references(part)]
    if isinstance(value, list):
        return [found for part in cast("list[Any]", value) for found in _references(part)]
    return []


def described(raw: Sequence[Any], *names: str) -> tuple[dict[str, str], ...]:
    """These members of each entry, as text of bounded length."""
    entries = [cast("dict[str, Any]", entry) for entry in raw if isinstance(entry, dict)]
    return tuple(
        {name: _clean(str(entry[name]))[:1_000] for name in names if entry.get(name)}
        for entry in entries[:_MAX_LISTED]
    )
