"""Embeddings in each format, by a function of the text."""

from collections.abc import Callable
from typing import Any

type Vector = Callable[[str], list[float]]


def is_embedding(path: str) -> bool:
    """Whether vectors are asked for at a path."""
    return path.partition("?")[0].endswith(
        ("/embeddings", ":batchEmbedContents", ":predict", "/embed", "/invoke")
    )


def embedded(path: str, body: dict[str, Any], vector: Vector) -> dict[str, Any]:
    """The answer to a request for vectors."""
    path = path.partition("?")[0]
    if path.endswith(":batchEmbedContents"):
        texts = [request["content"]["parts"][0]["text"] for request in body["requests"]]
        return {"embeddings": [{"values": vector(text)} for text in texts]}
    if path.endswith(":predict"):
        vectors = [vector(instance["content"]) for instance in body["instances"]]
        statistics = {"truncated": False, "token_count": 1}
        return {"predictions": [{"embeddings": {"values": one, "statistics": statistics}} for one in vectors]}
    if path.endswith("/invoke"):
        if "inputText" in body:
            return {"embedding": vector(body["inputText"]), "inputTextTokenCount": 1}
        return {"embeddings": [vector(text) for text in body["texts"]], "response_type": "embeddings_floats"}
    if path.endswith("/embed"):
        return {"id": "scripted", "embeddings": {"float": [vector(text) for text in body["texts"]]}}
    rows = [
        {"object": "embedding", "index": index, "embedding": vector(text)}
        for index, text in enumerate(body["input"])
    ]
    return {"object": "list", "data": rows, "usage": {"prompt_tokens": 1}}
