"""A wire by its name: the one place that knows which formats there are.

Formats are imported when a model first needs them. Which vendor speaks which is the catalogue's business.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote
from uuid import UUID

from refdesk.gateway.errors import UnknownWire
from refdesk.gateway.wires.completer import Format, HttpCompleter
from refdesk.gateway.wires.connection import Authentication, Connection
from refdesk.gateway.wires.embedder import EmbeddingFormat

AZURE_API_VERSION = "2024-10-21"
"""The last one of the addresses by deployment; those of `/openai/v1` need none."""


def _openai() -> Format:
    from refdesk.gateway.wires.openai import OpenAIFormat

    return OpenAIFormat()


_FORMATS: dict[str, Callable[[], Format]] = {
    "openai": _openai,
    "azure": _openai,
}
COMPLETION_WIRES = tuple(_FORMATS)


def _openai_embeddings() -> EmbeddingFormat:
    from refdesk.gateway.wires.openai import OpenAIEmbeddings

    return OpenAIEmbeddings()


_EMBEDDINGS: dict[str, Callable[[], EmbeddingFormat]] = {
    "openai": _openai_embeddings,
    "azure": _openai_embeddings,
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
    return HttpCompleter(
        model_id=model_id,
        model_name=model_name,
        connection=fitted(wire, connection, model_name),
        context_tokens=context_tokens,
        format=form or _made(_FORMATS, wire),
        defaults=defaults,
    )


def embedding_format(wire: str) -> EmbeddingFormat:
    """How vectors are asked for over a wire. Raises `UnknownWire`."""
    return _made(_EMBEDDINGS, wire)


def fitted(wire: str, connection: Connection, model_name: str) -> Connection:
    """The connection as a wire needs it, from an address and a key as people enter them."""
    if wire == "azure":
        return _azure(connection, model_name)
    return connection


def _azure(connection: Connection, model_name: str) -> Connection:
    base = connection.base_url.rstrip("/")
    if "/openai" not in base:
        base += f"/openai/deployments/{quote(model_name, safe='')}"
    names = [name for name, _ in connection.query]
    versioned = base.endswith("/openai/v1") or "api-version" in names
    query = connection.query if versioned else (*connection.query, ("api-version", AZURE_API_VERSION))
    return replace(connection, base_url=base, query=query, authentication=Authentication("api-key", ""))


def _made[F](known: Mapping[str, Callable[[], F]], wire: str) -> F:
    make = known.get(wire)
    if make is None:
        raise UnknownWire(wire=wire)
    return make()
