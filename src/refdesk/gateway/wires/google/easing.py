"""What models of the Gemini wire may refuse: some know no schemas, some none beside tools."""

import re

from refdesk.gateway.wires.easing import Body, Easing, Rule
from refdesk.gateway.wires.wording import in_words


def _form_in_words(body: Body) -> Body | None:
    generation: Body = body.get("generationConfig", {})
    if "responseJsonSchema" not in generation:
        return None
    told = {"text": in_words(generation["responseJsonSchema"])}
    named = ("responseJsonSchema", "responseMimeType")
    rest = {name: value for name, value in generation.items() if name not in named}
    parts = [*body.get("systemInstruction", {}).get("parts", ()), told]
    return body | {"generationConfig": rest, "systemInstruction": {"parts": parts}}


GOOGLE_EASING = Easing(
    (
        Rule(
            "form",
            re.compile("responseJsonSchema|response_json_schema|response mime type|json mode", re.IGNORECASE),
            _form_in_words,
        ),
    )
)
