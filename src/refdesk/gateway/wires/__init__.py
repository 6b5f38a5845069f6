"""The wires: one package a format in which models are spoken to.

A wire turns the typed calls of `refdesk.gateway.calls` into one vendor's requests and what comes back into
events, vectors or scores. It knows no model rows, no policies and no limits, and repeats nothing on its own.
"""

from refdesk.gateway.wires.build import (
    COMPLETION_WIRES,
    EMBEDDING_WIRES,
    OPENAI_VARIETIES,
    build_completer,
    embedding_format,
    fitted,
)
from refdesk.gateway.wires.completer import HttpCompleter
from refdesk.gateway.wires.connection import BEARER, Authentication, Connection
from refdesk.gateway.wires.embedder import RemoteEmbedder

__all__ = [
    "BEARER",
    "COMPLETION_WIRES",
    "EMBEDDING_WIRES",
    "OPENAI_VARIETIES",
    "Authentication",
    "Connection",
    "HttpCompleter",
    "RemoteEmbedder",
    "build_completer",
    "embedding_format",
    "fitted",
]
