"""Tokens as numbers: what the index stores instead of words.

A term is a hash of its token below one thousand million, the largest dimension a `sparsevec` may have
(just under 30 bits; two of a million different terms collide once in two thousand). In the `terms` column
of the entries it is salted with its index, so that one GIN index over the shared home keeps the terms
of its many indexes apart: a posting list holds entries of one index only.
"""

from functools import lru_cache
from hashlib import blake2b
from uuid import UUID

DIMENSIONS = 1_000_000_000
_PRIME = 999_999_937
_SALT_BITS = (1 << 30) - 1


@lru_cache(maxsize=500_000)
def term_of(token: str) -> int:
    """The term of a token: 1 … 999,999,937."""
    return int.from_bytes(blake2b(token.encode(), digest_size=8).digest()) % _PRIME + 1


def salt_of(index_id: UUID) -> int:
    """30 bits of an index, to be combined with a term by exclusive or, which also takes them off again."""
    return int.from_bytes(blake2b(index_id.bytes, digest_size=8).digest()) & _SALT_BITS
