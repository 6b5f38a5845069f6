"""Secrets out of what a run records and tells: arguments and results of tools, details of stages.

Goes by the names of fields and by the shapes that keys have. What a document or a person says in plain words
is not touched.
"""

import re
from collections.abc import Mapping
from typing import Any, cast

HIDDEN = "•••"

_NAMES = frozenset(
    (
        "apikey",
        "auth",
        "authorization",
        "cookie",
        "credential",
        "credentials",
        "passphrase",
        "passwd",
        "password",
        "privatekey",
        "pwd",
        "secret",
        "secrets",
        "setcookie",
        "token",
        "密码",
        "密钥",
        "口令",
    )
)
_ENDINGS = (
    "accesstoken",
    "apikey",
    "authtoken",
    "bearertoken",
    "idtoken",
    "passwd",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "secretkey",
    "sessiontoken",
)
_SEPARATORS = re.compile(r"[\s_.-]+")
# Keys as vendors and we make them; what follows "Bearer" whatever it is.
_KEYS = re.compile(
    r"(?i:\b(bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}"
    r"|\b(?:sk|pk|rk|rd|ghp|gho|xox[bap]|AKIA)[-_]?[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)


def redacted(value: Any) -> Any:
    """`value` (JSON) with every secret replaced by `•••`."""
    if isinstance(value, str):
        return redacted_text(value)
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        return {key: HIDDEN if is_secret(str(key)) and one else redacted(one) for key, one in fields.items()}
    if isinstance(value, list | tuple):
        return [redacted(one) for one in cast("list[Any]", value)]
    return value


def redacted_text(text: str) -> str:
    """`text` without the keys it holds."""
    return _KEYS.sub(lambda found: f"{found[1]} {HIDDEN}" if found[1] else HIDDEN, text)


def is_secret(name: str) -> bool:
    """Whether a field of this name holds a secret. `max_tokens` and `input_tokens` do not."""
    plain = _SEPARATORS.sub("", name).lower()
    return plain in _NAMES or plain.endswith(_ENDINGS)
