"""Looking into a JSON Schema of parameters: names, types, local references. Trusts nothing it finds."""

from collections.abc import Mapping
from typing import Any, cast

_MOST_STEPS = 16


def properties_of(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The parameters by name, references followed."""
    whole = resolved(schema, schema)
    properties = whole.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    entries = cast("Mapping[str, Any]", properties).items()
    return {name: resolved(part, schema) for name, part in entries if isinstance(part, Mapping)}


def required_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The names that must be given."""
    required = resolved(schema, schema).get("required")
    if not isinstance(required, list):
        return ()
    return tuple(name for name in cast("list[Any]", required) if isinstance(name, str))


def resolved(part: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with its local reference followed; a reference to elsewhere allows everything."""
    for _ in range(_MOST_STEPS):
        if not isinstance(part, Mapping):
            return {}
        reference = cast("Mapping[str, Any]", part).get("$ref")
        if not isinstance(reference, str):
            return cast("Mapping[str, Any]", part)
        beside = {key: value for key, value in cast("Mapping[str, Any]", part).items() if key != "$ref"}
        target = _at(root, reference)
        part = {**target, **beside} if target is not None else beside
    return {}


def _at(root: Mapping[str, Any], reference: str) -> Mapping[str, Any] | None:
    if not reference.startswith("#/"):
        return None
    place: Any = root
    for step in reference[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(place, Mapping) or key not in place:
            return None
        place = cast("Mapping[str, Any]", place)[key]
    return cast("Mapping[str, Any]", place) if isinstance(place, Mapping) else None


def types_of(part: Mapping[str, Any]) -> tuple[str, ...]:
    """The types it allows; empty where it names none."""
    kind = part.get("type")
    if isinstance(kind, str):
        return (kind,)
    if isinstance(kind, list):
        return tuple(one for one in cast("list[Any]", kind) if isinstance(one, str))
    if "properties" in part:
        return ("object",)
    return ()


def choices_of(part: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values it allows, where it lists them (`enum`, `const`, or `oneOf` of constants)."""
    listed = part.get("enum")
    if isinstance(listed, list):
        return tuple(cast("list[Any]", listed))
    if "const" in part:
        return (part["const"],)
    for key in ("oneOf", "anyOf"):
        options = part.get(key)
        if isinstance(options, list) and options:
            constants = [
                cast("Mapping[str, Any]", one)["const"]
                for one in cast("list[Any]", options)
                if isinstance(one, Mapping) and "const" in one
            ]
            if len(constants) == len(cast("list[Any]", options)):
                return tuple(constants)
    return ()


def variants_of(part: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schemas of `anyOf` or `oneOf`."""
    for key in ("anyOf", "oneOf"):
        options = part.get(key)
        if isinstance(options, list):
            return [
                cast("Mapping[str, Any]", one)
                for one in cast("list[Any]", options)
                if isinstance(one, Mapping)
            ]
    return []
