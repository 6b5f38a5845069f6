"""Conditions of fallback rules: expressions in CEL (the Common Expression Language, cel.dev) over five facts.

CEL has no loops without bounds, no side effects and no access to anything but what it is given, so a
condition may come from whoever may edit policies. Compiling costs about 60 µs and evaluating 3 µs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from cel_expr_python import cel  # pyright: ignore[reportMissingTypeStubs] — it has them within

from refdesk.gateway.routing.errors import ConditionInvalid

VARIABLES: Mapping[str, str] = {
    "response_code": "int: HTTP status of the failure; 503 where no server answered, 504 after a timeout",
    "latency": "int: milliseconds since the attempt began, at its failure or while no first token came",
    "error": "string: code of the error, as model-unavailable; empty without one",
    "attempts": "int: how often this model was asked in this call",
    "input_tokens": "int: about how long the input is",
}
MAX_LENGTH = 1_000
_TYPES = {"int": cel.Type.INT, "string": cel.Type.STRING}
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_LATENCY = re.compile(r"\blatency\b")


@lru_cache(maxsize=1)
def _environment() -> cel.Env:
    return cel.NewEnv(variables={name: _TYPES[text.split(":")[0]] for name, text in VARIABLES.items()})


@dataclass(frozen=True, slots=True)
class Facts:
    """What a condition is asked about."""

    response_code: int = 0
    latency: int = 0
    error: str = ""
    attempts: int = 0
    input_tokens: int = 0

    def values(self) -> dict[str, Any]:
        return {
            "response_code": self.response_code,
            "latency": self.latency,
            "error": self.error,
            "attempts": self.attempts,
            "input_tokens": self.input_tokens,
        }


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition. `limits_ms` are the numbers of one that speaks of `latency`: the moments at which
    it may become true while nothing else changes."""

    source: str
    limits_ms: tuple[int, ...]
    _program: cel.Expression

    @classmethod
    def compile(cls, source: str) -> "Condition":
        """Raises `ConditionInvalid` with the place of the fault."""
        if len(source) > MAX_LENGTH:
            raise ConditionInvalid(f"A condition has at most {MAX_LENGTH} characters.")
        try:
            program = _environment().compile(source)
        except RuntimeError as error:  # what the library raises for everything it cannot compile
            message, facts = _said(str(error))
            raise ConditionInvalid(message, condition=source, **facts) from error
        if program.return_type() != cel.Type.BOOL:
            found = program.return_type().name().lower()
            raise ConditionInvalid(
                f"A condition is true or false; this one is of type {found}.",
                condition=source,
                reason="not-boolean",
                type=found,
            )
        numbers = {int(text) for text in _NUMBER.findall(source)} if _LATENCY.search(source) else set[int]()
        return cls(source, tuple(sorted(numbers)), program)

    def holds(self, facts: Facts) -> bool:
        """Whether the condition is true; one that cannot be computed (a division by nought) is not."""
        # A value of type ERROR is returned, not raised.
        value = self._program.eval(data=facts.values())
        return value.type() == cel.Type.BOOL and bool(value.value())


def _said(words: str) -> tuple[str, dict[str, Any]]:
    """The compiler's complaint without its own prefixes, and what it is about."""
    first = words.split("\n", 1)[0].removeprefix("INVALID_ARGUMENT: ").removeprefix("ERROR: ")
    first = re.sub(r"^CANCELLED: | \[\w+\]$", "", first)
    place = re.match(r"<input>:(\d+):(\d+): ", first)
    text = first.split(": ", 1)[1] if place else first
    text = text.replace(" (in container '')", "")
    facts: dict[str, Any] = {"reason": "syntax"}
    named = re.search(r"undeclared reference to '([^']*)'", text)
    types = re.search(r"no matching overload for '_?([^']*?)_?' applied to '\(([^']*)\)'", text)
    if named is not None:
        text = f"there is no variable or function {named[1]}; there are {', '.join(VARIABLES)}"
        facts = {"reason": "unknown-name", "name": named[1]}
    elif types is not None:
        facts = {"reason": "wrong-types", "operator": types[1], "types": types[2]}
    if place is None:
        return f"The condition is not valid: {text}", facts
    # The library counts from 1; a fault behind the end has the place behind the last character.
    return f"The condition is not valid at character {place[2]}: {text}", facts | {"place": int(place[2])}
