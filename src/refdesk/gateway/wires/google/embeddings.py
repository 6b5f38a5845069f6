"""Embeddings of the Gemini wire. Source: https://ai.google.dev/api/embeddings"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from refdesk.gateway.wires.embedder import Side
from refdesk.gateway.wires.google.request import resource

TASKS: dict[Side, str] = {"query": "RETRIEVAL_QUERY", "passage": "RETRIEVAL_DOCUMENT"}


@dataclass(frozen=True, slots=True)
class GoogleEmbeddings:
    """`batchEmbedContents`: vectors come in the order of the requests, without an index."""

    most_texts: int = 100

    def path(self, model_name: str) -> str:
        return f"/{resource(model_name)}:batchEmbedContents"

    def body(
        self, model_name: str, texts: Sequence[str], side: Side, dimensions: int | None
    ) -> dict[str, Any]:
        each: dict[str, Any] = {"model": resource(model_name), "taskType": TASKS[side]}
        if dimensions is not None:
            each["outputDimensionality"] = dimensions
        return {"requests": [each | {"content": {"parts": [{"text": text}]}} for text in texts]}

    def rows(self, answer: Any, count: int) -> list[Any]:
        return [row["values"] for row in answer["embeddings"]]
