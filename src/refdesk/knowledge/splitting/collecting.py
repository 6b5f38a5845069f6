"""Splitting without Python's collector: it makes hundreds of thousands of objects and not one cycle.

One full collection in the middle of a split walks all blocks and paragraphs made so far, and comes with large
files only: it made 100,000 sections cost 12 times what 10,000 do. Must be left as it was found, whatever
happens, and by the last of several threads.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_inside = 0
_was_enabled = False


@contextmanager
def without_collecting() -> Generator[None]:
    """Keep the collector from starting inside this block; reference counts free memory all the same."""
    global _inside, _was_enabled
    with _lock:
        if _inside == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _was_enabled:
                gc.enable()
