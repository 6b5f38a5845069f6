"""What is asked of a model in words because its server has no member for it."""

from typing import Any

import orjson


def in_words(schema: dict[str, Any]) -> str:
    """What asks a model for JSON of a form where its server cannot."""
    return (
        "Answer with one JSON object and nothing else. It follows this JSON Schema: "
        + orjson.dumps(schema).decode()
    )
