"""Cohere's second wire: completions and embeddings; reranking is with the other rerankers."""

from refdesk.gateway.wires.cohere.embeddings import CohereEmbeddings
from refdesk.gateway.wires.cohere.request import CohereFormat

__all__ = ["CohereEmbeddings", "CohereFormat"]
