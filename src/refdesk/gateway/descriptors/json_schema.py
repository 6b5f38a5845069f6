"""JSON Schema draft 7: whether a schema is one, whether a value is as it says, what it leaves undeclared.

Reaches nothing outside a schema: references lead into the schema itself. Patterns are matched with a
deadline, for schemas come from people and values from programs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson
import regex
from jsonschema import Draft7Validator, validators
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from refdesk.gateway.descriptors.errors import SchemaInvalid

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
MAX_SCHEMA_BYTES = 64 * 1024
MAX_PROBLEMS = 20
PATTERN_TIMEOUT_S = 0.1
_MOST = 300
_TYPES = {str: "a string", bool: "a boolean", int: "an integer", float: "a number", list: "an array"}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a value: where (`messages[0].role`, empty for the whole) and what."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise `SchemaInvalid` for what is no draft-7 schema that is taken here."""
    if len(orjson.dumps(schema)) > MAX_SCHEMA_BYTES:
        raise SchemaInvalid(f"The schema is longer than {MAX_SCHEMA_BYTES // 1024} KB.", path="")
    declared = schema.get("$schema", DRAFT_7)
    if str(declared).rstrip("#").replace("https:", "http:") != DRAFT_7.rstrip("#"):
        raise SchemaInvalid("Only JSON Schema draft 7 is taken.", path="$schema")
    try:
        Draft7Validator.check_schema(cast(Any, schema))
    except SchemaError as error:
        raise SchemaInvalid(_wording(error), path=_dotted(error.absolute_path)) from error
    for path, word, value in _keywords(schema, ()):
        where = _dotted((*path, word))
        if word == "$ref" and not str(value).startswith("#"):
            raise SchemaInvalid("References lead into the schema itself, as #/definitions/…", path=where)
        if word in ("patternProperties", "$id"):
            raise SchemaInvalid(f"{word} is not taken.", path=where)
        if word == "pattern":
            try:
                regex.compile(str(value))
            except regex.error as error:
                raise SchemaInvalid(f"This pattern is not valid: {error}.", path=where) from error
    try:
        for example in ("null", "{}", "[]"):
            list(_validator(schema).iter_errors(orjson.loads(example)))
    except Unresolvable as error:
        raise SchemaInvalid(f"Nothing is at the reference {error.ref}.", path="$ref") from error
    except RecursionError as error:
        raise SchemaInvalid("The schema refers to itself without an end.", path="$ref") from error


@dataclass(frozen=True, slots=True)
class Checker:
    """One schema, ready to check values. The schema was checked before."""

    schema: Mapping[str, Any]
    validator: Any

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> "Checker":
        return cls(schema, _validator(schema))

    def faults(self, value: Any) -> list[Fault]:
        """What is wrong with a value, at most `MAX_PROBLEMS`."""
        found: list[Fault] = []
        try:
            for error in self.validator.iter_errors(value):
                found.append(_fault(error))
                if len(found) == MAX_PROBLEMS:
                    break
        except RecursionError:
            return [Fault("", "is nested too deeply")]
        return sorted(found, key=lambda fault: fault.field)

    def undeclared(self, value: Any) -> tuple[Any, list[str]]:
        """The value without the members that the schema does not name, and where they were. An object whose
        schema names no properties, or says what others are, declares everything."""
        left_out: list[str] = []
        return self._declared(value, self.schema, (), left_out), left_out

    def _declared(self, value: Any, schema: Any, path: tuple[str | int, ...], left_out: list[str]) -> Any:
        schema = self._resolved(schema)
        if isinstance(value, list):
            items: Any = schema.get("items")
            if not isinstance(items, dict):
                return cast("list[Any]", value)
            return [
                self._declared(one, items, (*path, at), left_out)
                for at, one in enumerate(cast("list[Any]", value))
            ]
        properties: Any = schema.get("properties")
        if not isinstance(value, dict) or not isinstance(properties, dict):
            return cast(Any, value)
        is_open = schema.get("additionalProperties") not in (None, False)
        kept: dict[str, Any] = {}
        for name, one in cast("dict[str, Any]", value).items():
            if name in properties:
                kept[name] = self._declared(one, properties[name], (*path, name), left_out)
            elif is_open:
                kept[name] = one
            else:
                left_out.append(_dotted((*path, name)))
        return kept

    def _resolved(self, schema: Any) -> dict[str, Any]:
        for _ in range(10):
            if not isinstance(schema, dict):
                return {}
            found = cast("dict[str, Any]", schema)
            reference = found.get("$ref")
            if not isinstance(reference, str):
                return found
            schema = _at(self.schema, reference)
        return {}


def _validator(schema: Mapping[str, Any]) -> Any:
    # An empty registry: without one, `$ref`s elsewhere would be fetched.
    return _Strict(cast(Any, schema), registry=cast(Any, Registry)())


def _matches(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if not isinstance(instance, str):
        return
    try:
        matched = regex.search(pattern, instance, timeout=PATTERN_TIMEOUT_S)
    except TimeoutError:
        yield ValidationError("takes too long to match with the pattern")
        return
    if matched is None:
        yield ValidationError(f"does not match {pattern}")


_Strict: Any = cast(Any, validators).extend(Draft7Validator, {"pattern": _matches})


def _fault(error: ValidationError) -> Fault:
    """An error in words; of a choice between forms, what is wrong with the form that fits best."""
    while error.context:
        deepest = max(error.context, key=lambda one: (len(one.absolute_path), one.validator != "required"))
        if len(deepest.absolute_path) <= len(error.absolute_path):
            break
        error = deepest
    path: list[str | int] = list(error.absolute_path)
    given: Any = error.instance
    if error.validator == "required" and isinstance(given, dict):
        names = cast("list[str]", error.validator_value)
        missing = [name for name in names if name not in cast("dict[str, Any]", given)]
        return Fault(_dotted((*path, missing[0])), "is required") if missing else Fault(_dotted(path), "")
    if error.validator == "additionalProperties" and isinstance(given, dict):
        known = cast("dict[str, Any]", error.schema).get("properties", {})
        odd = [name for name in cast("dict[str, Any]", given) if name not in known]
        if odd:
            return Fault(_dotted((*path, odd[0])), "is not a field that is taken here")
    return Fault(_dotted(path), _wording(error))


def _wording(error: ValidationError | SchemaError) -> str:
    if error.validator == "type":
        wanted = error.validator_value
        names = " or ".join(cast("list[str]", wanted)) if isinstance(wanted, list) else str(wanted)
        return f"must be of the type {names}, not {_kind(error.instance)}"
    if error.validator == "enum":
        return f"must be one of {', '.join(str(one) for one in cast('list[Any]', error.validator_value))}"
    if error.validator == "oneOf" and not error.context:
        return "fits more than one of the forms it may have"
    if error.validator in ("oneOf", "anyOf"):
        needed = [
            str(name)
            for one in error.context or ()
            if one.validator == "required"
            for name in cast("list[str]", one.validator_value)
        ]
        return f"needs {' or '.join(needed)}" if needed else "has none of the forms it may have"
    return error.message if len(error.message) <= _MOST else error.message[:_MOST] + "…"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return next((name for kind, name in _TYPES.items() if type(value) is kind), "an object")


def _dotted(path: Sequence[str | int] | Any) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _at(schema: Any, reference: str) -> Any:
    for part in reference.removeprefix("#").split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        schema = cast("dict[str, Any]", schema).get(name) if isinstance(schema, dict) else None
    return schema


# Below these stand names or values, not keywords.
_NAMED = frozenset(("properties", "definitions", "dependencies"))
_VALUES = frozenset(("const", "enum", "default", "examples"))


def _keywords(schema: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str, Any]]:
    if isinstance(schema, list):
        for at, one in enumerate(cast("list[Any]", schema)):
            yield from _keywords(one, (*path, at))
    if not isinstance(schema, dict):
        return
    for word, value in cast("dict[str, Any]", schema).items():
        yield path, word, value
        if word in _VALUES:
            continue
        if word in _NAMED and isinstance(value, dict):
            for name, one in cast("dict[str, Any]", value).items():
                yield from _keywords(one, (*path, word, name))
        else:
            yield from _keywords(value, (*path, word))
