"""Any service that answers a search over HTTP with JSON: a template of the request, paths into the reply."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

import httpx
import orjson
from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.http import guarded_client, read_limited
from refdesk.retrieval.external.errors import (
    SourceAuthentication,
    SourceBadAnswer,
    SourceConfigInvalid,
    SourceReadOnly,
    SourceTimeout,
    SourceUnreachable,
)
from refdesk.retrieval.external.opening import SourceContext
from refdesk.retrieval.external.protocol import Capabilities, SourceDocument, SourceHit, Value

MAX_REPLY_BYTES = 8 * 1024 * 1024
_HEADER = re.compile(r"[A-Za-z0-9-]{1,60}")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d{1,4})\]")

Path = Annotated[str, Field(max_length=200)]


class Fields(BaseModel):
    """Where a result's parts are, as `a.b[0].c` from the result; empty: it has none."""

    model_config = ConfigDict(extra="forbid")

    id: Path = "id"
    title: Path = "title"
    text: Path = "text"
    score: Path = ""
    url: Path = ""
    metadata: Path = ""


class Config(BaseModel):
    """`params` and `body` are templates: `{query}` and `{top_k}` in their texts are filled in.

    A text that is only `{top_k}` becomes the number. The address itself is no template. The credential goes
    into the header `auth_header`, after `auth_prefix`.
    """

    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(max_length=2000, pattern=r"^https?://[^\s@]+$")]
    method: Literal["GET", "POST"] = "POST"
    params: dict[str, str] = {}
    body: dict[str, Any] | None = {"query": "{query}", "top_k": "{top_k}"}
    headers: dict[str, str] = {}
    auth_header: str = "Authorization"
    auth_prefix: str = "Bearer "
    results: Path = Field(default="results", description="Where the list of results is; empty: the reply.")
    fields: Fields = Fields()


class HttpSource:
    """One client a source, with the guard against inner addresses; redirects are not followed."""

    capabilities = Capabilities(
        can_ingest=False, can_update_metadata=False, can_filter=False, by_meaning=True
    )

    def __init__(self, config: Config, secret: str | None, context: SourceContext) -> None:
        self._config = config
        self._headers = dict(config.headers)
        if secret:
            self._headers[config.auth_header] = f"{config.auth_prefix}{secret}"
        self._client = guarded_client(
            allow_private=context.allow_private, timeout=httpx.Timeout(context.timeout_s), max_connections=8
        )

    async def ingest(self, document: SourceDocument) -> str:
        raise SourceReadOnly

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        raise SourceReadOnly

    async def close(self) -> None:
        await self._client.aclose()

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        config = self._config
        values: dict[str, str | int] = {"query": query, "top_k": top_k}
        body = None if config.method == "GET" or config.body is None else filled(config.body, values)
        try:
            async with self._client.stream(
                config.method,
                config.url,
                params={name: str(filled(text, values)) for name, text in config.params.items()} or None,
                content=None if body is None else orjson.dumps(body),
                headers={"Content-Type": "application/json", **self._headers},
            ) as response:
                content = await read_limited(response, MAX_REPLY_BYTES)
        except httpx.TimeoutException as error:
            raise SourceTimeout from error
        except httpx.HTTPError as error:
            raise SourceUnreachable from error
        if response.status_code in (401, 403):
            raise SourceAuthentication
        if response.status_code != 200:
            raise SourceBadAnswer(status=response.status_code)
        try:
            reply = orjson.loads(content)
        except ValueError as error:
            raise SourceBadAnswer(reason="not JSON") from error
        found = at(reply, config.results)
        if not isinstance(found, list):
            raise SourceBadAnswer(reason="no list of results at the configured path")
        results = cast("list[Any]", found)[:top_k]
        return [self._hit(result, place, len(results)) for place, result in enumerate(results)]

    def _hit(self, result: Any, place: int, count: int) -> SourceHit:
        fields = self._config.fields
        score = at(result, fields.score) if fields.score else None
        text = at(result, fields.text)
        doc_id = at(result, fields.id)
        if not isinstance(text, str):
            raise SourceBadAnswer(reason="a result has no text at the configured path")
        metadata = at(result, fields.metadata) if fields.metadata else None
        url = at(result, fields.url) if fields.url else None
        return SourceHit(
            doc_id=str(doc_id) if doc_id is not None else f"{place + 1}",
            title=str(at(result, fields.title) or ""),
            text=text,
            # Without scores the order of the reply is the only thing known.
            score=float(score) if isinstance(score, (int, float)) else (count - place) / count,
            url=url if isinstance(url, str) and url.startswith(("http://", "https://")) else None,
            metadata=_flat(metadata),
        )


def filled(template: Any, values: Mapping[str, str | int]) -> Any:
    """The template with its places filled in. Values stay values: nothing in them is read as a template."""
    if isinstance(template, dict):
        return {key: filled(each, values) for key, each in cast("dict[str, Any]", template).items()}
    if isinstance(template, list):
        return [filled(each, values) for each in cast("list[Any]", template)]
    if not isinstance(template, str):
        return template
    if template in ("{query}", "{top_k}"):
        return values[template[1:-1]]
    return re.sub(r"\{(query|top_k)\}", lambda found: str(values[found[1]]), template)


def at(value: Any, path: str) -> Any:
    """What lies at `a.b[0].c`, or None."""
    for name, number in _STEP.findall(path):
        if name and isinstance(value, dict):
            value = cast("dict[str, Any]", value).get(name)
        elif number and isinstance(value, list) and int(number) < len(cast("list[Any]", value)):
            value = cast("list[Any]", value)[int(number)]
        else:
            return None
    return value


def _flat(metadata: Any) -> dict[str, Value]:
    if not isinstance(metadata, dict):
        return {}
    pairs = cast("dict[str, Any]", metadata).items()
    return {str(key): value for key, value in pairs if isinstance(value, (str, int, float, bool))}


async def open(config: Config, secret: str | None, context: SourceContext) -> HttpSource:
    """Connects at the first search. Raises `SourceConfigInvalid` for header names and values of no good."""
    for name, value in ((config.auth_header, config.auth_prefix), *config.headers.items()):
        if not _HEADER.fullmatch(name) or any(char in value for char in "\r\n\x00"):
            raise SourceConfigInvalid(hint="A header has a name or value that HTTP does not take.")
    return HttpSource(config, secret, context)
