"""Documents in pieces for stores of vectors, and documents again out of the pieces that are found."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from refdesk.kit.ids import new_id
from refdesk.retrieval.external import SourceDocument, SourceHit
from refdesk.retrieval.external.passages import MAX_PIECE_BYTES, best_of_documents, embedded_pieces
from refdesk.testing.embedder import HashingEmbedder


class Pieces:
    """A store with these pieces, nearest first; `asked` are the numbers it was asked for."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.hits = [
            SourceHit(document, "", f"piece {place}", 1 - place / len(documents))
            for place, document in enumerate(documents)
        ]
        self.asked: list[int] = []

    async def __call__(self, limit: int) -> list[SourceHit]:
        self.asked.append(limit)
        return self.hits[:limit]


async def test_a_document_comes_once_by_its_best_piece() -> None:
    found = await best_of_documents(Pieces(["a", "b", "a", "c", "b"]), 3)
    assert [(hit.doc_id, hit.text) for hit in found] == [("a", "piece 0"), ("b", "piece 1"), ("c", "piece 3")]


async def test_the_pieces_of_a_long_document_do_not_hide_others() -> None:
    store = Pieces(["long"] * 500 + ["short", "other"])
    found = await best_of_documents(store, 3)
    assert [hit.doc_id for hit in found] == ["long", "short", "other"]
    assert store.asked == [12, 48, 192, 768]


async def test_a_store_is_not_asked_for_more_than_any_gives() -> None:
    store = Pieces(["long"] * 20_000)
    assert [hit.doc_id for hit in await best_of_documents(store, 5)] == ["long"]
    assert max(store.asked) == 10_000


@given(st.text(alphabet=st.sampled_from("ab 。.\n𠀀字é"), max_size=4_000), st.sampled_from(["", "Title"]))
async def test_pieces_hold_all_of_a_document_and_fit_into_a_row(text: str, title: str) -> None:
    embedder = HashingEmbedder(new_id(), 8, max_batch=3)
    pieces = await embedded_pieces(SourceDocument("id", title, text), embedder)
    assert [piece.number for piece in pieces] == list(range(max(len(pieces), 1)))
    assert all(len(piece.text.encode()) <= MAX_PIECE_BYTES for piece in pieces)
    assert all(len(texts) <= 3 for texts in embedder.calls)
    at = 0
    for piece in pieces:
        begin = text.find(piece.text, max(at - len(piece.text), 0))
        assert not text[at : max(begin, at)].strip()
        at = max(at, begin + len(piece.text))
    assert not text[at:].strip()
