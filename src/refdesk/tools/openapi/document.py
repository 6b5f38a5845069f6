"""Reading an OpenAPI document, given as text or by its address, and following the references within it."""

from collections.abc import Mapping
from datetime import date
from typing import Any, cast

import httpx
import orjson
import yaml

from refdesk.kit.http import guarded_client, read_limited
from refdesk.tools.openapi.errors import OpenApiUnreachable, OpenApiUnreadable

MAX_DOCUMENT_BYTES = 2 * 1024 * 1024
_FETCH_TIMEOUT = httpx.Timeout(20.0, connect=5.0)
_MOST_REDIRECTS = 3
# A schema of one operation with all its references in place; more is a description of something else.
_MOST_NODES = 3_000
_MOST_DEPTH = 12
# The loader in C: 2 MB take 0.3 s, in Python 8 s.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_document(text: str) -> dict[str, Any]:
    """The document of a text in JSON or YAML. Blocking for large ones. Raises `OpenApiUnreadable`."""
    if len(text.encode("utf-8", "replace")) > MAX_DOCUMENT_BYTES:
        raise OpenApiUnreadable(f"The document is larger than {MAX_DOCUMENT_BYTES // 1024**2} MB.", hint="")
    found: Any
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            found = yaml.load(text, _LOADER)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            reason = str(getattr(error, "problem", None) or "the text cannot be read")
            mark = getattr(error, "problem_mark", None)
            where = f" (line {mark.line + 1})" if mark is not None else ""
            raise OpenApiUnreadable(
                f"Neither JSON nor YAML: {reason}{where}.", reason=f"{reason}{where}"
            ) from error
    if not isinstance(found, dict):
        raise OpenApiUnreadable
    document = cast("dict[str, Any]", found)
    version = str(document.get("openapi", ""))
    if not version.startswith("3."):
        told = f"Swagger {document['swagger']}" if "swagger" in document else "not OpenAPI 3"
        raise OpenApiUnreadable(f"The document is {told}.", reason=told)
    if not isinstance(document.get("paths"), dict):
        raise OpenApiUnreadable("The document has no paths.")
    return document


async def fetch_document(url: str, *, allow_private: bool) -> str:
    """The text at an address. Raises `OpenApiUnreachable`, `AddressRefused`, `ResponseTooLarge`."""
    async with guarded_client(allow_private=allow_private, timeout=_FETCH_TIMEOUT) as client:
        try:
            for _ in range(_MOST_REDIRECTS + 1):
                async with client.stream("GET", url) as response:
                    if response.next_request is not None:
                        url = str(response.next_request.url)
                        continue
                    if response.status_code != 200:
                        raise OpenApiUnreachable(
                            f"The address answered with status {response.status_code}.", url=url
                        )
                    body = await read_limited(response, MAX_DOCUMENT_BYTES)
                    return body.decode(response.encoding or "utf-8", "replace")
        except (httpx.HTTPError, httpx.InvalidURL, OSError, LookupError) as error:
            raise OpenApiUnreachable(url=url, reason=type(error).__name__) from error
    raise OpenApiUnreachable("The address leads from one to another.", url=url)


class References:
    """Parts of one document with what they refer to put in place, within bounds and without circles."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._left = 0

    def one(self, part: Any) -> dict[str, Any]:
        """The part, its own reference followed; an empty one if it leads nowhere."""
        for _ in range(_MOST_DEPTH):
            if not isinstance(part, Mapping):
                return {}
            reference = cast("Mapping[str, Any]", part).get("$ref")
            if not isinstance(reference, str):
                return dict(cast("Mapping[str, Any]", part))
            part = self._target(reference)
        return {}

    def whole(self, part: Any) -> Any:
        """The part with all references within followed; what refers to itself ends as anything at all."""
        self._left = _MOST_NODES
        return self._resolved(part, ())

    def _resolved(self, part: Any, above: tuple[str, ...]) -> Any:
        self._left -= 1
        if self._left < 0 or len(above) > _MOST_DEPTH:
            return {}
        if isinstance(part, Mapping):
            entries = cast("Mapping[Any, Any]", part)
            reference = entries.get("$ref")
            if isinstance(reference, str):
                if reference in above:
                    return {}
                beside = {key: value for key, value in entries.items() if key != "$ref"}
                target = self._resolved(self._target(reference), (*above, reference))
                return {**cast("dict[str, Any]", target), **beside} if isinstance(target, dict) else beside
            return {str(key): self._resolved(value, above) for key, value in entries.items()}
        if isinstance(part, list):
            return [self._resolved(one, above) for one in cast("list[Any]", part)]
        return part.isoformat() if isinstance(part, date) else part

    def _target(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            return None
        place: Any = self._document
        for step in reference[2:].split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(place, Mapping):
                return None
            place = cast("Mapping[str, Any]", place).get(key)
        return place
