"""OpenAPI's schemas as the JSON Schema that models and the validator read."""

from collections.abc import Mapping
from typing import Any, cast

# Of OpenAPI only, or of no use to who fills arguments in.
_LEFT_OUT = frozenset(
    (
        "xml",
        "externalDocs",
        "discriminator",
        "readOnly",
        "writeOnly",
        "deprecated",
        "nullable",
        "example",
        "$schema",
    )
)
_DESCRIPTION_CHARS = 500
_MOST_DEPTH = 16


def argument_schema(schema: Any, described: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The schema of an argument; what describes the parameter stands in where the schema says nothing."""
    made = _converted(schema, 0) if isinstance(schema, dict) else {}
    text = described.get("description") if described is not None else None
    if isinstance(text, str) and text.strip() and not made.get("description"):
        made["description"] = text.strip()[:_DESCRIPTION_CHARS]
    example = described.get("example") if described is not None else None
    if isinstance(example, str | int | float) and "examples" not in made:
        made["examples"] = [example]
    return made


def _converted(schema: Any, depth: int) -> dict[str, Any]:
    """`nullable` as a type, `exclusiveMinimum: true` as the number it is, `example` as one of `examples`."""
    if depth > _MOST_DEPTH or not isinstance(schema, dict):
        return {}
    given = cast("dict[str, Any]", schema)
    made = {key: _part(key, value, depth) for key, value in given.items() if key not in _LEFT_OUT}
    if isinstance(text := made.get("description"), str):
        made["description"] = text[:_DESCRIPTION_CHARS]
    if given.get("nullable") is True and isinstance(kind := made.get("type"), str):
        made["type"] = [kind, "null"]
        if isinstance(listed := made.get("enum"), list) and None not in listed:
            made["enum"] = [*cast("list[Any]", listed), None]
    for word, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(made.get(word), bool):
            excludes = made.pop(word)
            if excludes and bound in made:
                made[word] = made.pop(bound)
    if isinstance(example := given.get("example"), str | int | float) and "examples" not in made:
        made["examples"] = [example]
    if not isinstance(made.get("required", []), list):
        del made["required"]  # a parameter's own word, misplaced in many documents
    return made


def _part(key: str, value: Any, depth: int) -> Any:
    if key in ("properties", "patternProperties", "$defs", "definitions") and isinstance(value, dict):
        return {name: _converted(one, depth + 1) for name, one in cast("dict[str, Any]", value).items()}
    if key in ("items", "not", "additionalProperties") and isinstance(value, dict):
        return _converted(value, depth + 1)
    if key in ("allOf", "anyOf", "oneOf") and isinstance(value, list):
        return [_converted(one, depth + 1) for one in cast("list[Any]", value)]
    return value
