"""From stored settings to a source that can be asked. A kind is one module in `adapters`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from refdesk.gateway import Embedder
from refdesk.retrieval.external.errors import SourceClientMissing, SourceConfigInvalid
from refdesk.retrieval.external.guarded import GuardedSource
from refdesk.retrieval.external.protocol import KnowledgeSource


@dataclass(frozen=True, slots=True)
class SourceContext:
    """What an adapter may use. `embedder` is for kinds that store vectors.

    `allow_local`: files and sockets of this machine may be opened; never set for settings that came over
    the network.
    """

    timeout_s: float = 10.0
    allow_private: bool = False
    allow_local: bool = False
    embedder: Embedder | None = None


class Opener(Protocol):
    """What an adapter module offers: `Config`, its settings, and `open`."""

    Config: type[BaseModel]
    open: Callable[[Any, str | None, SourceContext], Awaitable[KnowledgeSource]]


# The client library of a kind, imported when a source is opened. The extra that brings it is called as the
# kind is.
_LIBRARIES = {"milvus": "pymilvus", "chroma": "chromadb", "weaviate": "weaviate", "mariadb": "pymysql"}
_ADDRESS = frozenset(("url", "uri", "host", "port", "grpc_host", "grpc_port", "grpc_secure"))
KINDS = ("chroma", "http", "mariadb", "milvus", "postgres", "weaviate")
NEEDS_EMBEDDER = frozenset(("chroma", "milvus", "weaviate"))


def _adapter(kind: str) -> Any:
    if kind not in KINDS:
        raise SourceConfigInvalid(hint=f"The kind must be one of {', '.join(KINDS)}.", kind=kind[:40])
    return import_module(f"refdesk.retrieval.external.adapters.{kind}")


def checked_config(kind: str, config: dict[str, Any]) -> dict[str, Any]:
    """The settings as they are stored. Raises `SourceConfigInvalid` naming the fields that do not fit."""
    try:
        return _adapter(kind).Config.model_validate(config).model_dump(mode="json")
    except ValidationError as error:
        wrong = [{"field": ".".join(map(str, each["loc"])), "reason": each["msg"]} for each in error.errors()]
        raise SourceConfigInvalid(fields=wrong) from error


def is_installed(kind: str) -> bool:
    """Whether the client library of this kind is there."""
    library = _LIBRARIES.get(kind)
    return library is None or find_spec(library) is not None


def how_to_install(kind: str) -> str | None:
    """The command that brings the client library of this kind; None where none is needed."""
    return f"pip install 'refdesk[{kind}]'" if kind in _LIBRARIES else None


def goes_elsewhere(former: dict[str, Any], config: dict[str, Any]) -> bool:
    """Whether other settings lead to another address, where a credential must not go by itself."""
    return any(former.get(name) != config.get(name) for name in _ADDRESS)


async def open_source(
    kind: str, config: dict[str, Any], secret: str | None, context: SourceContext
) -> GuardedSource:
    """Open a source.

    Raises `SourceConfigInvalid`, `SourceClientMissing`, `AddressRefused` and what connecting raises.
    """
    adapter = _adapter(kind)
    checked = adapter.Config.model_validate(checked_config(kind, config))
    if kind in NEEDS_EMBEDDER and context.embedder is None:
        raise SourceConfigInvalid(hint="This kind of source needs an embedding model.")
    try:
        source: KnowledgeSource = await adapter.open(checked, secret, context)
    except ModuleNotFoundError as error:
        install = how_to_install(kind)
        raise SourceClientMissing(
            hint=f"Install it with: {install}", library=error.name, install=install
        ) from error
    return GuardedSource(source, timeout_s=context.timeout_s)
