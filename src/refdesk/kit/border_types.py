"""Text, JSON and numbers as they may come in from outside: what PostgreSQL could not store stops here.

PostgreSQL's `text` and `jsonb` hold neither NUL nor lone surrogates, `jsonb` no infinite numbers, and its
integers are bounded. Free text loses the bad characters, since people paste them without seeing them; names
and ids that carry any control character are refused, since a changed one would not be found again, or would
be found as another's.
"""

import math
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BeforeValidator, StringConstraints

MAX_INT = 2**31 - 1
MAX_BIGINT = 2**63 - 1
MAX_JSON_DEPTH = 32


def clean_text(text: str) -> str:
    """`text` without NUL; lone surrogates become `?`."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def clean_json(value: Any) -> Any:
    """The value with `clean_text` done to every key and string in it. Tuples become lists."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(k)): clean_json(v) for k, v in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in cast("list[Any]", value)]
    return value


def clean_input(value: Any) -> Any:
    """`clean_text` before validation; for text whose own constraints must show in the API description."""
    return clean_text(value) if isinstance(value, str) else value


def printable(text: str) -> str:
    """`text` unless it holds control characters or lone surrogates; then `ValueError`."""
    if any(ord(c) < 32 or ord(c) == 127 or "\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("must not contain control characters")
    return text


def _require_storable(value: Any, depth: int) -> None:
    if depth > MAX_JSON_DEPTH:
        raise ValueError(f"must not be nested deeper than {MAX_JSON_DEPTH} levels")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must not contain NaN or infinite numbers")
    if isinstance(value, int) and not -MAX_BIGINT - 1 <= value <= MAX_BIGINT:
        raise ValueError("must not contain whole numbers of more than 64 bits")
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            _require_storable(item, depth + 1)


def _storable(value: dict[str, Any]) -> dict[str, Any]:
    _require_storable(value, 0)
    return clean_json(value)


# Free text: cleaned before lengths are checked.
CleanText = Annotated[str, BeforeValidator(clean_input)]
# One line that is shown and looked for as it is: control characters are refused.
PlainLine = Annotated[str, AfterValidator(printable)]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), AfterValidator(printable)
]
# A JSON object of the caller's own making.
CleanJson = Annotated[dict[str, Any], AfterValidator(_storable)]
