"""Rows of `index_entries` in PostgreSQL's binary COPY format.

Text would cost more than the rest of a write: 384 floats and a hundred terms a row. Layouts: COPY per the
PostgreSQL manual (COPY, Binary Format), `halfvec` and `sparsevec` per pgvector's `*_recv` functions.
"""

import struct
from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from refdesk.knowledge.indexing.terms import DIMENSIONS

HEADER = b"PGCOPY\n\xff\r\n\x00" + struct.pack("!ii", 0, 0)
TRAILER = struct.pack("!h", -1)
_INT4_OID = 23


def uuid(value: UUID) -> bytes:
    return value.bytes


def integer(value: int) -> bytes:
    return struct.pack("!i", value)


def small(value: int) -> bytes:
    return struct.pack("!h", value)


def big(value: int) -> bytes:
    return struct.pack("!q", value)


def real(value: float) -> bytes:
    return struct.pack("!f", value)


def boolean(value: bool) -> bytes:
    return b"\x01" if value else b"\x00"


def integers(values: NDArray[np.int64]) -> bytes:
    """`integer[]` of one dimension."""
    if not values.size:
        return struct.pack("!iii", 0, 0, _INT4_OID)
    cells = np.empty((values.size, 2), dtype=">i4")
    cells[:, 0] = 4
    cells[:, 1] = values
    return struct.pack("!iiiii", 1, 0, _INT4_OID, values.size, 1) + cells.tobytes()


def halfvec(vector: NDArray[np.float32]) -> bytes:
    return struct.pack("!hh", vector.size, 0) + vector.astype(">f2").tobytes()


def sparsevec(terms: NDArray[np.int64], weights: NDArray[np.float64]) -> bytes:
    """`terms` rise and start at 1, as in the text form; the binary form counts from 0."""
    return (
        struct.pack("!iii", DIMENSIONS, terms.size, 0)
        + (terms - 1).astype(">i4").tobytes()
        + weights.astype(">f4").tobytes()
    )


def row(fields: Sequence[bytes]) -> bytes:
    parts = [struct.pack("!h", len(fields))]
    for value in fields:
        parts.append(struct.pack("!i", len(value)))
        parts.append(value)
    return b"".join(parts)


def stream(rows: Iterable[bytes]) -> Iterable[bytes]:
    """A whole COPY stream, row by row."""
    yield HEADER
    yield from rows
    yield TRAILER


def halfvec_text(vector: NDArray[np.float32]) -> str:
    """A vector as a query parameter."""
    return "[" + ",".join(f"{value:.5g}" for value in vector.tolist()) + "]"


def sparsevec_text(values: dict[int, float]) -> str:
    """A sparse vector as a query parameter; terms in any order."""
    cells = ",".join(f"{term}:{values[term]:.6g}" for term in sorted(values))
    return f"{{{cells}}}/{DIMENSIONS}"
