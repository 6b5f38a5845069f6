"""What models of the Messages wire may refuse: older ones know no schemas, newer ones no temperature."""

import re

from refdesk.gateway.wires.easing import Body, Easing, Rule, in_quotes, without
from refdesk.gateway.wires.wording import in_words


def _form_in_words(body: Body) -> Body | None:
    if "output_config" not in body:
        return None
    told = in_words(body["output_config"]["format"]["schema"])
    system = f"{body['system']}\n\n{told}" if "system" in body else told
    return {name: value for name, value in body.items() if name != "output_config"} | {"system": system}


ANTHROPIC_EASING = Easing(
    (
        Rule(
            "form", re.compile("output_config|output_format|structured output", re.IGNORECASE), _form_in_words
        ),
        Rule("temperature", in_quotes("temperature"), without("temperature")),
    )
)
