"""Members that a server refuses by name, and what goes without them.

There are more servers and models than varieties we know, and a model may take less than its vendor: an old
server knows no `stream_options`, one that reasons wants `max_completion_tokens` and its own temperature, many
know no schemas. A refusal that names such a member is answered by asking again in another way; what helped is
kept.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

type Body = dict[str, Any]

_REFUSED = re.compile(
    r"unsupported|(?:not|n't) support|unknown|unrecognized|unexpected|extra_forbidden|extra inputs"
    r"|not permitted|not allowed|unavailable|deprecated|only the default|不支持",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """What can be eased: `pattern` is how refusals name it, `apply` gives the body otherwise, None where the
    body holds nothing of the kind."""

    name: str
    pattern: re.Pattern[str]
    apply: Callable[[Body], Body | None]


@dataclass(frozen=True, slots=True)
class Easing:
    """What a format can leave out or say otherwise, in the order in which it is tried."""

    rules: tuple[Rule, ...]

    def find(self, body: Body, words: str) -> str | None:
        """The rule for what a server's words refuse in this body; None where none helps."""
        if _REFUSED.search(words) is None:
            return None
        named = (rule for rule in self.rules if rule.pattern.search(words))
        return next((rule.name for rule in named if rule.apply(body) is not None), None)

    def apply(self, body: Body, name: str) -> Body:
        """The body by a rule; as it is where it holds nothing of the kind."""
        rule = next(rule for rule in self.rules if rule.name == name)
        return rule.apply(body) or body


def in_quotes(name: str) -> re.Pattern[str]:
    """For names that are common words: only in quotes do they name a member."""
    return re.compile(f"[\"'`]{name}[\"'`]")


def without(*path: str) -> Callable[[Body], Body | None]:
    """The body without a member, given by the names that lead to it."""

    def apply(body: Body) -> Body | None:
        name, *rest = path
        if name not in body:
            return None
        if not rest:
            return {key: value for key, value in body.items() if key != name}
        inner = without(*rest)(cast("Body", body[name]))
        return None if inner is None else body | {name: inner}

    return apply


def renamed(name: str, other: str) -> Callable[[Body], Body | None]:
    """The body with a member under another name."""

    def apply(body: Body) -> Body | None:
        if name not in body:
            return None
        return {other if key == name else key: value for key, value in body.items()}

    return apply
