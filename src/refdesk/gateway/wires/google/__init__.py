"""Google's Gemini wire: completions and embeddings."""

from refdesk.gateway.wires.google.embeddings import GoogleEmbeddings
from refdesk.gateway.wires.google.request import GoogleFormat

__all__ = ["GoogleEmbeddings", "GoogleFormat"]
