"""Embeddings of Cohere's second wire. Source: https://docs.cohere.com/reference/embed"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from refdesk.gateway.wires.embedder import Side

_TYPES: dict[Side, str] = {"query": "search_query", "passage": "search_document"}


@dataclass(frozen=True, slots=True)
class CohereEmbeddings:
    """Vectors come by their type, in the order of the texts, without an index."""

    most_texts: int = 96

    def path(self, model_name: str) -> str:
        return "/embed"

    def body(
        self, model_name: str, texts: Sequence[str], side: Side, dimensions: int | None
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model_name,
            "texts": list(texts),
            "input_type": _TYPES[side],
            "embedding_types": ["float"],
        }
        if dimensions is not None:
            body["output_dimension"] = dimensions
        return body

    def rows(self, answer: Any, count: int) -> list[Any]:
        return list(answer["embeddings"]["float"])
