"""Identifiers: UUID version 7 (RFC 9562), so that new rows land at the end of their index."""

import os
import time
from uuid import UUID


def new_id() -> UUID:
    """A fresh UUIDv7: 48 bits of Unix milliseconds, 74 random bits."""
    ms = time.time_ns() // 1_000_000
    rand = int.from_bytes(os.urandom(10))
    value = (ms & (2**48 - 1)) << 80
    value |= 0x7 << 76
    value |= (rand >> 62 & 0xFFF) << 64
    value |= 0b10 << 62
    value |= rand & (2**62 - 1)
    return UUID(int=value)
