"""Whether a schema that somebody wrote can describe the arguments of a tool."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import orjson
import regex
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

MAX_SCHEMA_BYTES = 64 * 1024
_MOST_PARAMETERS = 100


def problem_of_schema(schema: Mapping[str, Any]) -> str | None:
    """What keeps it from being used, in one sentence; None for nothing."""
    if len(orjson.dumps(schema)) > MAX_SCHEMA_BYTES:
        return f"The schema is longer than {MAX_SCHEMA_BYTES // 1024} KB."
    if schema.get("type") != "object":
        return "The schema must be of type object."
    properties = schema.get("properties", {})
    if not isinstance(properties, dict) or len(cast("dict[str, Any]", properties)) > _MOST_PARAMETERS:
        return f"The schema must have an object of at most {_MOST_PARAMETERS} properties."
    try:
        Draft202012Validator.check_schema(cast("Any", schema))
    except SchemaError as error:
        place = ".".join(str(step) for step in error.absolute_path)
        return f"{place or 'The schema'}: {error.message[:200]}"
    for word, value in _keywords(schema):
        if word == "$ref" and not str(value).startswith("#"):
            return "References lead into the schema itself, as #/$defs/…"
        if word == "pattern":
            try:
                regex.compile(str(value))
            except regex.error as error:
                return f"The pattern {value} is not valid: {error}."
    return None


def _keywords(part: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(part, dict):
        for key, value in cast("dict[str, Any]", part).items():
            if key in ("$ref", "pattern") and isinstance(value, str):
                yield key, value
            elif key not in ("enum", "const", "default", "examples"):
                yield from _keywords(value)
    elif isinstance(part, list):
        for one in cast("list[Any]", part):
            yield from _keywords(one)
