"""Members that a compatible server refuses by name, and what goes without them.

There are more servers than varieties we know, and a model may take less than its server: an old one knows no
`stream_options`, one that reasons wants `max_completion_tokens` and its own temperature, many know no
schemas. A refusal that names such a member is answered by asking again in another way; what helped is kept.
"""

import re
from collections.abc import Callable
from typing import Any

from refdesk.gateway.wires.openai.wording import in_words

type Body = dict[str, Any]

_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecognized|unexpected|extra_forbidden|extra inputs|not permitted"
    r"|not allowed|unavailable|only the default|不支持",
    re.IGNORECASE,
)


def _without(name: str) -> Callable[[Body], Body]:
    return lambda body: {key: value for key, value in body.items() if key != name}


def _renamed(name: str, other: str) -> Callable[[Body], Body]:
    return lambda body: {other if key == name else key: value for key, value in body.items()}


def _plainer_form(body: Body) -> Body:
    """By schema → some JSON and the schema in words → in words alone."""
    form: dict[str, Any] = body["response_format"]
    if form["type"] == "json_schema":
        told = {"role": "system", "content": in_words(form["json_schema"]["schema"])}
        return body | {"response_format": {"type": "json_object"}, "messages": [*body["messages"], told]}
    return _without("response_format")(body)


_EASINGS: dict[str, tuple[re.Pattern[str], Callable[[Body], Body]]] = {
    "stream_options": (re.compile("stream_options|include_usage"), _without("stream_options")),
    "max_tokens": (re.compile(r"\bmax_tokens"), _renamed("max_tokens", "max_completion_tokens")),
    "max_completion_tokens": (
        re.compile("max_completion_tokens"),
        _renamed("max_completion_tokens", "max_tokens"),
    ),
    "response_format": (re.compile("response_format|json_schema|json_object"), _plainer_form),
    # Common words: only in quotes do they name a member.
    "temperature": (re.compile("""["'`]temperature["'`]"""), _without("temperature")),
    "stop": (re.compile("""["'`]stop["'`]"""), _without("stop")),
}


class OpenAIEasing:
    """See the module."""

    def find(self, body: Body, words: str) -> str | None:
        """The member of this body that a server's words refuse; None where none can be eased."""
        if _REFUSED.search(words) is None:
            return None
        named = (name for name, (pattern, _) in _EASINGS.items() if name in body and pattern.search(words))
        return next(named, None)

    def apply(self, body: Body, name: str) -> Body:
        """The body without, or with another form of, a member."""
        return _EASINGS[name][1](body) if name in body else body
