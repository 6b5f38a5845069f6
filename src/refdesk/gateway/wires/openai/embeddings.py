"""Embeddings of an OpenAI-compatible server."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from refdesk.gateway.wires.embedder import Side, by_index


@dataclass(frozen=True, slots=True)
class OpenAIEmbeddings:
    """`POST /embeddings`; a vector comes as numbers or, from some servers whatever was asked, as base64."""

    most_texts: int = 2048

    def path(self, model_name: str) -> str:
        return "/embeddings"

    def body(
        self, model_name: str, texts: Sequence[str], side: Side, dimensions: int | None
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": model_name, "input": list(texts)}
        if dimensions is not None:
            body["dimensions"] = dimensions
        return body

    def rows(self, answer: Any, count: int) -> list[Any]:
        return [_vector(row["embedding"]) for row in by_index(answer["data"], count)]


def _vector(value: Any) -> Any:
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value, validate=True), "<f4")
    return value
