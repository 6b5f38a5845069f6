"""Whether arguments may be given to a tool: coerced; what is missing, wrong, or not known."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import regex
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from refdesk.tools.arguments.coercing import coerced
from refdesk.tools.arguments.schemas import choices_of, properties_of, required_of, resolved, types_of

PATTERN_TIMEOUT_S = 0.1
_MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class ArgumentFault:
    """One wrong argument. `code`: `not-a-number`, `not-in-list`, `wrong-type`, `not-valid`,
    `schema-unusable`, or `not-said` (found by a model in a conversation that does not hold it)."""

    name: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Arguments as the schema wants them. `missing` names required ones that were not given, `dropped` what
    was given and is not known; `values` holds neither these nor faulty ones."""

    values: Mapping[str, Any]
    missing: tuple[str, ...] = ()
    faults: tuple[ArgumentFault, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the tool may be called with `values`."""
        return not self.missing and not self.faults


def check_arguments(values: Mapping[str, Any], schema: Mapping[str, Any]) -> Checked:
    """Coerce and check. Never raises: a schema that cannot be used is a fault without a name."""
    known, required = properties_of(schema), required_of(schema)
    taken: dict[str, Any] = {}
    dropped: list[str] = []
    for given, value in values.items():
        name = _known_name(given, known, schema)
        if name is None or name in taken:
            dropped.append(given)
        else:
            taken[name] = value
    faults: list[ArgumentFault] = []
    for name, value in list(taken.items()):
        part = known.get(name, {})
        if _is_absent(value, part, name in required):
            del taken[name]
        elif _has_no_number(value):
            faults.append(ArgumentFault(name, "not-a-number", f"{name} holds NaN or an infinite number."))
            del taken[name]
        else:
            taken[name] = coerced(value, part, schema)
    faults.extend(_invalid(taken, schema))
    for fault in faults:
        taken.pop(fault.name, None)
    wrong = {fault.name for fault in faults}
    missing = tuple(name for name in required if name not in taken and name not in wrong)
    return Checked(taken, missing, tuple(faults), tuple(dropped))


def _known_name(given: str, known: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    if given in known:
        return given
    alike = [name for name in known if _folded(name) == _folded(given)]
    if len(alike) == 1:
        return alike[0]
    whole = resolved(schema, schema)
    more = whole.get("additionalProperties")
    return given if more is True or isinstance(more, dict) or (not known and more is None) else None


def _folded(name: str) -> str:
    return regex.sub(r"[\s_-]", "", name).casefold()


def _is_absent(value: Any, part: Mapping[str, Any], is_required: bool) -> bool:
    """Models write null or nothing for what they do not know."""
    if value is None:
        return "null" not in types_of(part) and None not in choices_of(part)
    blank = isinstance(value, str) and not value.strip()
    return blank and "" not in choices_of(part) and (is_required or types_of(part) != ("string",))


def _has_no_number(value: Any, depth: int = 0) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if depth > 32:
        return False
    if isinstance(value, dict):
        return any(_has_no_number(one, depth + 1) for one in cast("dict[str, Any]", value).values())
    return isinstance(value, list) and any(_has_no_number(one, depth + 1) for one in cast("list[Any]", value))


def _invalid(values: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[ArgumentFault]:
    told: set[str] = set()
    try:
        for error in _Validator(dict(schema), registry=_NOTHING_REMOTE).iter_errors(dict(values)):
            if error.validator == "required" and not error.absolute_path:
                continue  # told by name in `missing`
            name = str(error.absolute_path[0]) if error.absolute_path else ""
            if name in told:
                continue
            told.add(name)
            yield ArgumentFault(name, _code(error), _wording(error, name))
            if len(told) >= _MOST_FAULTS:
                return
    except (
        Unresolvable,
        RecursionError,
        regex.error,
        TypeError,
        ValueError,
        AttributeError,
        KeyError,
    ) as error:
        # Schemas come from other people's servers and are not checked before.
        message = f"The tool's schema cannot be used: {type(error).__name__}."
        yield ArgumentFault("", "schema-unusable", message)


def _code(error: ValidationError) -> str:
    kind = str(error.validator)
    if kind in ("enum", "const"):
        return "not-in-list"
    return "wrong-type" if kind == "type" else "not-valid"


def _wording(error: ValidationError, name: str) -> str:
    where = ".".join(str(step) for step in error.absolute_path) or "The arguments"
    if error.validator in ("enum", "const"):
        choices = cast("Any", error.validator_value)
        listed = cast("list[Any]", choices) if isinstance(choices, list) else [choices]
        return f"{where} must be one of {', '.join(str(one) for one in listed[:30])}."
    if error.validator == "type":
        kind = cast("Any", error.validator_value)
        named = " or ".join(cast("list[str]", kind)) if isinstance(kind, list) else str(kind)
        return f"{where} must be of type {named}."
    return f"{where}: {error.message[:200]}"


def _pattern(_validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    try:
        matches = regex.search(pattern, instance, timeout=PATTERN_TIMEOUT_S) is not None
    except TimeoutError:
        yield ValidationError("the pattern took too long")
        return
    if not matches:
        yield ValidationError(f"must match the pattern {pattern}")


# An own registry: without one the library fetches references from the network.
_NOTHING_REMOTE = cast("Any", Registry)()
_Validator: Any = cast("Any", validators).extend(Draft202012Validator, {"pattern": _pattern})
