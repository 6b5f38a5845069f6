"""What models of Cohere's second wire may refuse: none takes a form beside tools."""

import re

from refdesk.gateway.wires.easing import Body, Easing, Rule
from refdesk.gateway.wires.wording import in_words


def _form_in_words(body: Body) -> Body | None:
    if "response_format" not in body:
        return None
    told = {"role": "system", "content": in_words(body["response_format"]["json_schema"])}
    rest = {name: value for name, value in body.items() if name != "response_format"}
    return rest | {"messages": [*body["messages"], told]}


COHERE_EASING = Easing((Rule("form", re.compile("response_format|json_schema|json_object"), _form_in_words),))
