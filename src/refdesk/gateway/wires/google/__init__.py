"""Google's Gemini wire: completions and embeddings, and both as Vertex AI has them."""

from refdesk.gateway.wires.google.embeddings import GoogleEmbeddings
from refdesk.gateway.wires.google.request import GoogleFormat
from refdesk.gateway.wires.google.vertex import (
    VertexAnthropicFormat,
    VertexEmbeddings,
    VertexFormat,
    placed,
)

__all__ = [
    "GoogleEmbeddings",
    "GoogleFormat",
    "VertexAnthropicFormat",
    "VertexEmbeddings",
    "VertexFormat",
    "placed",
]
