"""The operations of a document, each as a tool: a name, words, a schema of arguments, and where each goes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, cast
from urllib.parse import urljoin, urlsplit

from refdesk.tools.naming import plain_name
from refdesk.tools.openapi.document import References
from refdesk.tools.openapi.schemas import argument_schema

METHODS = ("get", "head", "post", "put", "patch", "delete")
READING = frozenset(("GET", "HEAD"))
# Set by us or by the client; a model must not.
_FORBIDDEN_HEADERS = frozenset(
    (
        *("authorization", "cookie", "host", "content-length", "content-type", "transfer-encoding"),
        *("connection", "accept", "te", "upgrade", "proxy-authorization", "forwarded", "x-forwarded-for"),
        *("x-forwarded-host", "x-request-id"),
    )
)
_MOST_OPERATIONS = 500
_DESCRIPTION_CHARS = 2_000

Where = Literal["path", "query", "header", "body", "whole-body"]
# It needs a cookie; its body is of a kind that cannot be sent; its path has a part that is not declared.
Unsupported = Literal["needs-cookie", "body-kind", "path-undeclared"]
AuthKind = Literal["none", "header", "query", "bearer", "basic"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an argument goes: in the path, the query, a header, as a member of the body or as all of it.
    `explode` repeats a query's name for each item of a list; else the items are joined by commas."""

    where: Where
    name: str
    explode: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. `key` is `METHOD path`; `content_type` that of its body, None for none. `unsupported`
    says why it cannot be a tool."""

    key: str
    method: str
    path: str
    name: str
    title: str
    description: str
    parameters: Mapping[str, Any]
    places: Mapping[str, Place]
    content_type: str | None = None
    deprecated: bool = False
    unsupported: Unsupported | None = None

    @property
    def read_only(self) -> bool:
        return self.method in READING

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Operation":
        places = {name: Place(**place) for name, place in stored["places"].items()}
        given: dict[str, Any] = {**stored, "places": places}
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Description:
    """What a document says of an interface. `auth` is the first way of signing in that can be used here."""

    title: str
    version: str
    text: str
    base_url: str
    auth_kind: AuthKind
    auth_name: str
    operations: tuple[Operation, ...] = field(default=())


def describe(document: Mapping[str, Any], document_url: str | None = None) -> Description:
    """Read a document. What is wrong with one operation does not keep the others from being tools."""
    references = References(document)
    info = references.one(document.get("info"))
    auth_kind, auth_name = _auth(document, references)
    return Description(
        str(info.get("title") or "")[:200],
        str(info.get("version") or "")[:50],
        str(info.get("description") or "")[:_DESCRIPTION_CHARS],
        _base_url(document, document_url),
        auth_kind,
        auth_name,
        tuple(_named_apart(_operations(document, references)))[:_MOST_OPERATIONS],
    )


def _operations(document: Mapping[str, Any], references: References) -> Iterator[Operation]:
    for path, given in cast("dict[Any, Any]", document["paths"]).items():
        item = references.one(given)
        if not isinstance(path, str) or not path.startswith("/"):
            continue
        shared = item.get("parameters")
        for method in METHODS:
            operation = item.get(method)
            if isinstance(operation, dict):
                yield _operation(path, method.upper(), cast("dict[str, Any]", operation), shared, references)


def _operation(
    path: str, method: str, given: dict[str, Any], shared: Any, references: References
) -> Operation:
    properties: dict[str, Any] = {}
    required: list[str] = []
    places: dict[str, Place] = {}
    unsupported: Unsupported | None = None
    for parameter in _parameters(shared, given.get("parameters"), references):
        name, where = str(parameter.get("name") or ""), parameter.get("in")
        if where == "cookie" or (where == "header" and name.casefold() in _FORBIDDEN_HEADERS) or not name:
            if parameter.get("required") and where == "cookie":
                unsupported = "needs-cookie"
            continue
        if where not in ("path", "query", "header"):
            continue
        key = name if name not in places else f"{name}_{where}"
        places[key] = Place(where, name, parameter.get("explode") is not False)
        properties[key] = argument_schema(references.whole(_schema_of(parameter)), parameter)
        if parameter.get("required") or where == "path":
            required.append(key)
    content_type, body, body_required = _body(given, references)
    if content_type is None and body_required:
        unsupported = "body-kind"
    if content_type is not None:
        _add_body(body, body_required, properties, required, places)
    name, title = _named(path, method, given)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    undeclared = set(re.findall(r"{([^{}]+)}", path)) - {p.name for p in places.values() if p.where == "path"}
    if undeclared:
        unsupported = "path-undeclared"
    return Operation(
        f"{method} {path}",
        method,
        path,
        name,
        title,
        "\n".join(filter(None, (title, str(given.get("description") or "").strip())))[:_DESCRIPTION_CHARS],
        schema,
        places,
        content_type,
        given.get("deprecated") is True,
        unsupported,
    )


def _named(path: str, method: str, given: Mapping[str, Any]) -> tuple[str, str]:
    """The name for models and the title for people. Of an `operationId` without a Latin letter (`查询订单`)
    nothing but a hash would be left in a name: method and path tell more, and it stays as the title."""
    own = str(given.get("operationId") or "").strip()
    name = own if re.search(r"[A-Za-z]", own) else f"{method.lower()} {path}"
    title = str(given.get("summary") or "").strip()
    if not title and name != own:
        title = own
    return plain_name(name), title[:200]


def _parameters(shared: Any, own: Any, references: References) -> list[dict[str, Any]]:
    """Those of the path and of the operation; the latter's take the place of the former's."""
    found: dict[tuple[Any, Any], dict[str, Any]] = {}
    for group in (shared, own):
        for one in cast("list[Any]", group) if isinstance(group, list) else ():
            parameter = references.one(one)
            found[parameter.get("name"), parameter.get("in")] = parameter
    return list(found.values())


def _schema_of(parameter: Mapping[str, Any]) -> Any:
    if "schema" in parameter:
        return parameter["schema"]
    content = parameter.get("content")
    for kind in cast("dict[str, Any]", content).values() if isinstance(content, dict) else ():
        if isinstance(kind, dict):
            return cast("dict[str, Any]", kind).get("schema")
    return {}


def _body(given: Mapping[str, Any], references: References) -> tuple[str | None, dict[str, Any], bool]:
    """Content type and schema of the body that can be sent, and whether there must be one."""
    body = references.one(given.get("requestBody"))
    content = body.get("content")
    if not isinstance(content, dict):
        return None, {}, False
    must = body.get("required") is True
    kinds = {
        str(kind).partition(";")[0].strip().lower(): one
        for kind, one in cast("dict[Any, Any]", content).items()
    }
    for kind in ("application/json", "application/x-www-form-urlencoded", "text/plain"):
        for offered, one in kinds.items():
            if offered == kind or (kind == "application/json" and offered.endswith("+json")):
                schema = argument_schema(references.whole(references.one(one).get("schema")), body)
                return offered, schema, must
    return None, {}, must


def _add_body(
    schema: dict[str, Any],
    must: bool,
    properties: dict[str, Any],
    required: list[str],
    places: dict[str, Place],
) -> None:
    """An object's members become arguments; anything else, or one whose names are taken, is one argument."""
    members = schema.get("properties")
    names = list(cast("dict[str, Any]", members)) if isinstance(members, dict) else []
    if names and not set(names) & set(places) and schema.get("additionalProperties") in (None, False):
        needed = cast("list[str]", schema.get("required") or [])
        for name in names:
            part = cast("dict[str, Any]", members)[name]
            if isinstance(part, dict) and cast("dict[str, Any]", part).get("readOnly") is True:
                continue
            places[name] = Place("body", name)
            properties[name] = part
            if name in needed and must:
                required.append(name)
        return
    key = "body" if "body" not in places else "request_body"
    places[key] = Place("whole-body", key)
    properties[key] = schema
    if must:
        required.append(key)


def _base_url(document: Mapping[str, Any], document_url: str | None) -> str:
    servers = document.get("servers")
    for server in cast("list[Any]", servers) if isinstance(servers, list) else ():
        if not isinstance(server, dict):
            continue
        url = str(cast("dict[str, Any]", server).get("url") or "")
        variables = cast("dict[str, Any]", server).get("variables")
        for name, one in cast("dict[str, Any]", variables).items() if isinstance(variables, dict) else ():
            default = cast("dict[str, Any]", one).get("default") if isinstance(one, dict) else None
            url = url.replace("{" + str(name) + "}", str(default or ""))
        joined = urljoin(document_url or "", url)
        if urlsplit(joined).scheme in ("http", "https"):
            return joined.rstrip("/")
    parts = urlsplit(document_url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _auth(document: Mapping[str, Any], references: References) -> tuple[AuthKind, str]:
    components = references.one(document.get("components"))
    schemes = references.one(components.get("securitySchemes"))
    for given in schemes.values():
        scheme = references.one(given)
        kind, name = scheme.get("type"), str(scheme.get("name") or "")
        if kind == "apiKey" and scheme.get("in") in ("header", "query") and name:
            return ("header" if scheme["in"] == "header" else "query"), name
        if kind == "http" and str(scheme.get("scheme")).lower() in ("bearer", "basic"):
            return ("bearer" if str(scheme["scheme"]).lower() == "bearer" else "basic"), ""
        if kind in ("oauth2", "openIdConnect"):
            return "bearer", ""
    return "none", ""


def _named_apart(operations: Iterator[Operation]) -> Iterator[Operation]:
    taken: set[str] = set()
    for operation in operations:
        name, number = operation.name, 1
        while name in taken:
            number += 1
            name = f"{operation.name[:60]}_{number}"
        taken.add(name)
        yield (
            operation
            if name == operation.name
            else Operation.from_json({**operation.as_json(), "name": name})
        )
