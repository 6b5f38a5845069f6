"""Documents in pieces for stores of vectors, and documents again out of the pieces that were found.

A store keeps a row a piece, cut as the index of a base cuts a paragraph: at sentence ends, overlapping, each
read by the embedder under the document's title. Searches tell of documents, each by its best piece.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refdesk.gateway import Embedder
from refdesk.knowledge.indexing import piece_spans
from refdesk.retrieval.external.protocol import SourceDocument, SourceHit

MAX_PIECE_BYTES = 6_400
"""A piece has at most 1,600 characters, each of at most 4 bytes."""

_PIECES_PER_DOCUMENT = 4
_MOST_PIECES = 10_000
"""Milvus gives at most 16,384 rows and Weaviate 10,000, unless they are set up otherwise."""


@dataclass(frozen=True, slots=True)
class EmbeddedPiece:
    """A row to be: the piece's place in the document from 0, what it says, and its vector."""

    number: int
    text: str
    vector: list[float]


async def embedded_pieces(document: SourceDocument, embedder: Embedder) -> list[EmbeddedPiece]:
    """All pieces of a document, at least one: what has only a title is found by it."""
    texts = [document.text[start:end] for start, end in piece_spans(document.text)] or [document.text.strip()]
    told = [f"{document.title}\n{text}".strip() or "-" for text in texts]
    step = max(embedder.max_batch, 1)
    vectors: list[NDArray[np.float32]] = [
        vector
        for at in range(0, len(told), step)
        for vector in await embedder.embed_passages(told[at : at + step])
    ]
    return [
        EmbeddedPiece(number, text, vector.tolist())
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


async def best_of_documents(
    ask: Callable[[int], Awaitable[Sequence[SourceHit]]], top_k: int
) -> list[SourceHit]:
    """The nearest documents, each once and by its nearest piece.

    `ask` gives the nearest so many pieces, best first. It is asked for more as long as the pieces of a few
    long documents leave no room for others.
    """
    wanted = top_k * _PIECES_PER_DOCUMENT
    while True:
        pieces = await ask(wanted)
        best: dict[str, SourceHit] = {}
        for piece in pieces:
            best.setdefault(piece.doc_id, piece)
        if len(best) >= top_k or len(pieces) < wanted or wanted >= _MOST_PIECES:
            return list(best.values())[:top_k]
        wanted = min(wanted * _PIECES_PER_DOCUMENT, _MOST_PIECES)
