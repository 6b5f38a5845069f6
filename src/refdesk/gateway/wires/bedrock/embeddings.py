"""Embeddings by InvokeModel, whose JSON is the model's own: Amazon's Titan and Nova, and Cohere's.

Sources: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html,
https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from refdesk.gateway.wires.embedder import Side

_COHERE_TYPES: dict[Side, str] = {"query": "search_query", "passage": "search_document"}


@dataclass(frozen=True, slots=True)
class BedrockEmbeddings:
    """Titan takes one text a request, Cohere's models 96."""

    is_cohere: bool

    @classmethod
    def of(cls, model_name: str) -> "BedrockEmbeddings":
        """By the model's name, `cohere.embed-…` or `amazon.titan-embed-…`, with or without a region."""
        return cls("cohere." in model_name)

    @property
    def most_texts(self) -> int:
        return 96 if self.is_cohere else 1

    def path(self, model_name: str) -> str:
        return f"/model/{quote(model_name, safe='')}/invoke"

    def body(
        self, model_name: str, texts: Sequence[str], side: Side, dimensions: int | None
    ) -> dict[str, Any]:
        if self.is_cohere:
            body: dict[str, Any] = {"texts": list(texts), "input_type": _COHERE_TYPES[side]}
            return body if dimensions is None else body | {"output_dimension": dimensions}
        body = {"inputText": texts[0]}
        return body if dimensions is None else body | {"dimensions": dimensions}

    def rows(self, answer: Any, count: int) -> list[Any]:
        if not self.is_cohere:
            return [answer["embedding"]]
        vectors = answer["embeddings"]
        return list(cast("dict[str, Any]", vectors)["float"] if isinstance(vectors, dict) else vectors)
