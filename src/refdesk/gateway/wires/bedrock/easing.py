"""What models behind Converse may refuse: what it takes differs from model to model."""

import re

import orjson

from refdesk.gateway.wires.easing import Body, Easing, Rule, in_quotes, without
from refdesk.gateway.wires.wording import in_words


def _form_in_words(body: Body) -> Body | None:
    if "outputConfig" not in body:
        return None
    schema = body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]["schema"]
    told = {"text": in_words(orjson.loads(schema))}
    rest = {name: value for name, value in body.items() if name != "outputConfig"}
    return rest | {"system": [*rest.get("system", ()), told]}


BEDROCK_EASING = Easing(
    (
        Rule(
            "form", re.compile("outputConfig|output_config|structured output", re.IGNORECASE), _form_in_words
        ),
        Rule("temperature", in_quotes("temperature"), without("inferenceConfig", "temperature")),
        Rule(
            "stops", re.compile("stopSequences|stop_sequences"), without("inferenceConfig", "stopSequences")
        ),
    )
)
