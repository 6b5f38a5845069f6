"""What an OpenAI-compatible server may refuse."""

import re
from typing import Any

from refdesk.gateway.wires.easing import Body, Easing, Rule, in_quotes, renamed, without
from refdesk.gateway.wires.wording import in_words


def _plainer_form(body: Body) -> Body | None:
    """By schema → some JSON and the schema in words → in words alone."""
    form: dict[str, Any] | None = body.get("response_format")
    if form is None:
        return None
    if form["type"] == "json_schema":
        told = {"role": "system", "content": in_words(form["json_schema"]["schema"])}
        return body | {"response_format": {"type": "json_object"}, "messages": [*body["messages"], told]}
    return without("response_format")(body)


OPENAI_EASING = Easing(
    (
        Rule("usage", re.compile("stream_options|include_usage"), without("stream_options")),
        Rule("most tokens", re.compile(r"\bmax_tokens"), renamed("max_tokens", "max_completion_tokens")),
        Rule(
            "most tokens, as before",
            re.compile("max_completion_tokens"),
            renamed("max_completion_tokens", "max_tokens"),
        ),
        Rule("form", re.compile("response_format|json_schema|json_object"), _plainer_form),
        Rule("temperature", in_quotes("temperature"), without("temperature")),
        Rule("stops", in_quotes("stop"), without("stop")),
    )
)
