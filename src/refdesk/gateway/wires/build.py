"""A wire by its name: the one place that knows which formats there are.

Formats are imported when a model first needs them. Which vendor speaks which is the catalogue's business.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote
from uuid import UUID

from refdesk.gateway.errors import UnknownWire
from refdesk.gateway.wires.completer import Format, HttpCompleter
from refdesk.gateway.wires.connection import BEARER, Authentication, Connection
from refdesk.gateway.wires.embedder import EmbeddingFormat

AZURE_API_VERSION = "2024-10-21"
"""The last one of the addresses by deployment; those of `/openai/v1` need none."""
ANTHROPIC_VERSION = "2023-06-01"
_VERSIONED = re.compile(r"/v\d+(?:(?:alpha|beta)\d*)?$")


def _openai(**variety: Any) -> Format:
    from refdesk.gateway.wires.openai import OpenAIFormat

    return OpenAIFormat(**variety)


def _anthropic() -> Format:
    from refdesk.gateway.wires.anthropic import AnthropicFormat

    return AnthropicFormat()


def _google() -> Format:
    from refdesk.gateway.wires.google import GoogleFormat

    return GoogleFormat()


def _vertex() -> Format:
    from refdesk.gateway.wires.google import VertexFormat

    return VertexFormat()


def _vertex_anthropic() -> Format:
    from refdesk.gateway.wires.google import VertexAnthropicFormat

    return VertexAnthropicFormat()


def _cohere() -> Format:
    from refdesk.gateway.wires.cohere import CohereFormat

    return CohereFormat()


def _bedrock() -> Format:
    from refdesk.gateway.wires.bedrock import BedrockFormat

    return BedrockFormat()


OPENAI_VARIETIES: dict[str, dict[str, Any]] = {
    # The platform itself: its newer models refuse `max_tokens`, and those that reason refuse sampling.
    "openai-platform": {"max_tokens_name": "max_completion_tokens", "reasoning_refuses_sampling": True},
    "azure": {"max_tokens_name": "max_completion_tokens"},
    # Servers that know "some JSON" but no schemas.
    "openai-json": {"structured": "json_object"},
    # Servers that take pictures as data only, or would fetch them past our guard.
    "openai-local": {"image_urls": False},
    "moonshot": {"structured": "json_object", "image_urls": False},
    # Ends its streams with [DONE] alone.
    "iflytek": {"structured": "json_object", "done_is_end": True},
    # Refuses every member that it does not know, and tells usage unasked.
    "mistral": {"required_word": "any", "stream_usage": False, "nine_digit_ids": True},
}
"""The OpenAI-compatible format as some vendors take it, by the name of the wire."""

_FORMATS: dict[str, Callable[[], Format]] = {
    "openai": _openai,
    **{name: partial(_openai, **variety) for name, variety in OPENAI_VARIETIES.items()},
    "anthropic": _anthropic,
    "google": _google,
    "vertex": _vertex,
    "vertex-anthropic": _vertex_anthropic,
    "cohere": _cohere,
    "bedrock": _bedrock,
}
COMPLETION_WIRES = tuple(_FORMATS)


def _openai_embeddings(_model_name: str) -> EmbeddingFormat:
    from refdesk.gateway.wires.openai import OpenAIEmbeddings

    return OpenAIEmbeddings()


def _google_embeddings(_model_name: str) -> EmbeddingFormat:
    from refdesk.gateway.wires.google import GoogleEmbeddings

    return GoogleEmbeddings()


def _vertex_embeddings(model_name: str) -> EmbeddingFormat:
    from refdesk.gateway.wires.google import VertexEmbeddings

    return VertexEmbeddings.of(model_name)


def _cohere_embeddings(_model_name: str) -> EmbeddingFormat:
    from refdesk.gateway.wires.cohere import CohereEmbeddings

    return CohereEmbeddings()


def _bedrock_embeddings(model_name: str) -> EmbeddingFormat:
    from refdesk.gateway.wires.bedrock import BedrockEmbeddings

    return BedrockEmbeddings.of(model_name)


_EMBEDDINGS: dict[str, Callable[[str], EmbeddingFormat]] = {
    "openai": _openai_embeddings,
    **dict.fromkeys(OPENAI_VARIETIES, _openai_embeddings),
    "google": _google_embeddings,
    "vertex": _vertex_embeddings,
    "cohere": _cohere_embeddings,
    "bedrock": _bedrock_embeddings,
}
EMBEDDING_WIRES = tuple(_EMBEDDINGS)


def build_completer(
    wire: str,
    *,
    model_id: UUID,
    model_name: str,
    connection: Connection,
    context_tokens: int,
    defaults: Mapping[str, Any],
    form: Format | None = None,
) -> HttpCompleter:
    """The client of a chat model. `form` replaces the wire's usual format by a vendor's variety of it.

    Raises `UnknownWire`.
    """
    make = _FORMATS.get(wire)
    if make is None:
        raise UnknownWire(wire=wire)
    return HttpCompleter(
        model_id=model_id,
        model_name=model_name,
        connection=fitted(wire, connection, model_name),
        context_tokens=context_tokens,
        format=form or make(),
        defaults=defaults,
    )


def embedding_format(wire: str, model_name: str = "") -> EmbeddingFormat:
    """How vectors are asked for over a wire; on some that depends on the model. Raises `UnknownWire`."""
    make = _EMBEDDINGS.get(wire)
    if make is None:
        raise UnknownWire(wire=wire)
    return make(model_name)


def fitted(wire: str, connection: Connection, model_name: str) -> Connection:
    """The connection as a wire needs it, from an address and a key as people enter them.

    An address may be the server's root or end with a version; an authentication that was chosen on purpose
    stays.
    """
    match wire:
        case "azure":
            return _azure(connection, model_name)
        case "anthropic":
            headers = connection.extra_headers
            if all(name.lower() != "anthropic-version" for name, _ in headers):
                headers = (*headers, ("anthropic-version", ANTHROPIC_VERSION))
            return replace(_entered(_rooted(connection, "/v1"), "x-api-key"), extra_headers=headers)
        case "google":
            return _entered(_rooted(connection, "/v1beta"), "x-goog-api-key")
        case "vertex" | "vertex-anthropic":
            from refdesk.gateway.wires.google import placed

            return placed(connection)
        case "cohere":
            return _rooted(connection, "/v2")
        case "bedrock":
            from refdesk.gateway.wires.bedrock import signed

            return signed(connection)
        case _:
            return connection


def _azure(connection: Connection, model_name: str) -> Connection:
    base = connection.base_url.rstrip("/")
    if "/openai" not in base:
        base += f"/openai/deployments/{quote(model_name, safe='')}"
    versioned = base.endswith("/openai/v1") or any(name == "api-version" for name, _ in connection.query)
    query = connection.query if versioned else (*connection.query, ("api-version", AZURE_API_VERSION))
    return _entered(replace(connection, base_url=base, query=query), "api-key")


def _rooted(connection: Connection, version: str) -> Connection:
    base = connection.base_url.rstrip("/")
    return connection if _VERSIONED.search(base) else replace(connection, base_url=base + version)


def _entered(connection: Connection, header: str) -> Connection:
    if connection.authentication != BEARER:
        return connection
    return replace(connection, authentication=Authentication(header, ""))
