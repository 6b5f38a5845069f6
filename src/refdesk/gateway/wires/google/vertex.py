"""Vertex AI: Gemini's format, and Anthropic's, below a project and a location, with tokens of an account.

Sources: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference,
https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude,
https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit

from refdesk.gateway.calls import CompletionRequest
from refdesk.gateway.wires.anthropic import AnthropicFormat
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.embedder import Side
from refdesk.gateway.wires.google.accounts import AccountTokens, ServiceAccount
from refdesk.gateway.wires.google.embeddings import TASKS
from refdesk.gateway.wires.google.request import GoogleFormat

ANTHROPIC_VERSION = "vertex-2023-10-16"
_LOCATION = re.compile(r"^(?:(?P<first>[a-z0-9-]+)-aiplatform\.|aiplatform\.(?P<second>[a-z]+)\.rep\.)")
_MOST_TEXTS = 5
"""What every region takes of the older models; newer ones take a single text."""


def placed(connection: Connection) -> Connection:
    """The connection with the account's tokens, and its address below the account's project.

    The location is the host's, else `global`. An address that names a project stays as it is.
    """
    account = ServiceAccount.parse(connection.api_key or "")
    base = connection.base_url.rstrip("/")
    if "/projects/" not in base:
        base += "" if re.search(r"/v1(?:beta1)?$", base) else "/v1"
        if account is not None:
            base += f"/projects/{quote(account.project, safe='')}/locations/{_location(base)}"
    connection = replace(connection, base_url=base)
    if account is None:
        return connection  # an access token, which goes as a bearer's
    return replace(connection, tokens=AccountTokens(account, connection.client))


def _location(url: str) -> str:
    found = _LOCATION.match(urlsplit(url).hostname or "")
    return (found["first"] or found["second"]) if found else "global"


def _resource(model_name: str, publisher: str) -> str:
    name = model_name if "/" in model_name else f"publishers/{publisher}/models/{model_name}"
    return "/" + quote(name, safe="/@")


@dataclass(frozen=True, slots=True)
class VertexFormat(GoogleFormat):
    """Gemini's format; what differs is where models lie. `endpoints/ID` names one that was tuned."""

    def path(self, model_name: str, *, stream: bool) -> str:
        call = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"{_resource(model_name, 'google')}:{call}"


@dataclass(frozen=True, slots=True)
class VertexAnthropicFormat(AnthropicFormat):
    """The Messages format; the model stands in the path, the version in the body."""

    def path(self, model_name: str, *, stream: bool) -> str:
        call = "streamRawPredict" if stream else "rawPredict"
        return f"{_resource(model_name, 'anthropic')}:{call}"

    async def body(self, model_name: str, request: CompletionRequest, *, stream: bool) -> dict[str, Any]:
        body = await AnthropicFormat.body(self, model_name, request, stream=stream)
        del body["model"]
        return {"anthropic_version": ANTHROPIC_VERSION, **body}


@dataclass(frozen=True, slots=True)
class VertexEmbeddings:
    """`predict`: vectors come in the order of the instances."""

    most_texts: int

    @classmethod
    def of(cls, model_name: str) -> "VertexEmbeddings":
        return cls(1 if model_name.startswith("gemini-embedding") else _MOST_TEXTS)

    def path(self, model_name: str) -> str:
        return f"{_resource(model_name, 'google')}:predict"

    def body(
        self, model_name: str, texts: Sequence[str], side: Side, dimensions: int | None
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"instances": [{"content": text, "task_type": TASKS[side]} for text in texts]}
        if dimensions is not None:
            body["parameters"] = {"outputDimensionality": dimensions}
        return body

    def rows(self, answer: Any, count: int) -> list[Any]:
        return [row["embeddings"]["values"] for row in answer["predictions"]]
