"""Secrets taken out of what a tool gave back, before a model, a trace or a person reads it."""

from collections.abc import Sequence
from typing import Any, cast

_LEAST_CHARS = 6
_HIDDEN = "******"


def redacted[T](value: T, secrets: Sequence[str]) -> T:
    """The value with every secret of six characters or more replaced, in all its texts."""
    words = sorted({one for one in secrets if len(one) >= _LEAST_CHARS}, key=len, reverse=True)
    return cast("T", _clean(value, words)) if words else value


def _clean(value: Any, words: Sequence[str]) -> Any:
    if isinstance(value, str):
        for word in words:
            value = value.replace(word, _HIDDEN)
        return value
    if isinstance(value, dict):
        return {
            _clean(name, words): _clean(one, words) for name, one in cast("dict[Any, Any]", value).items()
        }
    if isinstance(value, list):
        return [_clean(one, words) for one in cast("list[Any]", value)]
    return value
