"""The request of a call: arguments put where the operation wants them, and nowhere else."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from refdesk.tools.openapi.errors import HttpToolFailed
from refdesk.tools.openapi.operations import AuthKind, Operation


@dataclass(frozen=True, slots=True)
class Auth:
    """How the interface is signed in to. `name` is that of the header or the query; `secrets` holds `token`,
    or `username` and `password`."""

    kind: AuthKind = "none"
    name: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request. `shown_url` has no secret in it."""

    method: str
    url: str
    shown_url: str
    headers: Mapping[str, str]
    content: bytes | None


def prepare(operation: Operation, base_url: str, arguments: Mapping[str, Any], auth: Auth) -> Prepared:
    """Build the request. Raises `HttpToolFailed` for values that cannot stand where they belong."""
    path = operation.path
    query: list[tuple[str, str]] = []
    headers: dict[str, str] = {"Accept": "application/json, text/*;q=0.9, */*;q=0.1"}
    members: dict[str, Any] = {}
    whole: Any = None
    has_body = False
    for key, value in arguments.items():
        place = operation.places.get(key)
        if place is None or value is None:
            continue
        if place.where == "path":
            path = path.replace("{" + place.name + "}", _segment(place.name, value))
        elif place.where == "query":
            query.extend(_query(place.name, value, explode=place.explode))
        elif place.where == "header":
            headers[place.name] = _header(place.name, _text(value))
        elif place.where == "body":
            members[place.name], has_body = value, True
        else:
            whole, has_body = value, True
    if "{" in path:
        raise HttpToolFailed("A part of the path has no value.")
    _sign(auth, headers)
    url = f"{base_url.rstrip('/')}{path}"
    shown = f"{url}?{urlencode(query)}" if query else url
    if auth.kind == "query" and auth.secrets.get("token"):
        query.append((auth.name, auth.secrets["token"]))
    content: bytes | None = None
    if operation.content_type is not None and (has_body or operation.method in ("POST", "PUT", "PATCH")):
        content = _content(operation.content_type, whole if whole is not None else members)
        headers["Content-Type"] = operation.content_type
    return Prepared(operation.method, f"{url}?{urlencode(query)}" if query else url, shown, headers, content)


def same_origin(one: str, other: str) -> bool:
    """Whether two addresses are of one server."""
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.netloc) == (second.scheme, second.netloc)


def _segment(name: str, value: Any) -> str:
    """One step of a path: nothing in it may lead to another one."""
    text = (
        ",".join(_text(one) for one in cast("list[Any]", value)) if isinstance(value, list) else _text(value)
    )
    if text in ("", ".", ".."):
        raise HttpToolFailed(f"{name} cannot be {text!r} in the path.")
    return quote(text, safe=",")


def _query(name: str, value: Any, *, explode: bool) -> list[tuple[str, str]]:
    if isinstance(value, list):
        items = [_text(one) for one in cast("list[Any]", value)]
        return [(name, one) for one in items] if explode else [(name, ",".join(items))]
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value).items()
        return [(f"{name}[{key}]", _text(one)) for key, one in entries]
    return [(name, _text(value))]


def _header(name: str, value: str) -> str:
    if not value.isascii() or any(ord(sign) < 32 or ord(sign) == 127 for sign in value):
        raise HttpToolFailed(f"{name} cannot be sent in a header.")
    return value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _sign(auth: Auth, headers: dict[str, str]) -> None:
    token = auth.secrets.get("token", "")
    if auth.kind == "bearer" and token:
        headers["Authorization"] = _header("The token", f"Bearer {token}")
    elif auth.kind == "header" and token:
        headers[auth.name] = _header("The token", token)
    elif auth.kind == "basic":
        pair = f"{auth.secrets.get('username', '')}:{auth.secrets.get('password', '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"


def _content(content_type: str, value: Any) -> bytes:
    if content_type == "application/x-www-form-urlencoded":
        pairs: list[tuple[str, str]] = []
        for name, one in cast("dict[str, Any]", value).items() if isinstance(value, dict) else ():
            pairs.extend(_query(name, one, explode=True))
        return urlencode(pairs).encode()
    if content_type == "text/plain":
        return _text(value).encode()
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
