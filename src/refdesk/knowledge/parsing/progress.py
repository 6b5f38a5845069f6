"""How far reading a file has come, told from deep inside a parser to whoever waits for it.

A parser calls `report(done, total)` where it has a count of something people know (pages, pictures, slides);
it neither knows nor cares who listens. Of a file inside a file nothing is heard: its pages are not those of
the file people look at. Must not import anything heavy, for every parser may load it.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

type OnProgress = Callable[[int, int], None]
"""Called with how many parts are done, and how many there are."""

type OnExtend = Callable[[float], None]
"""Called with the seconds that OCR has taken or may take, in all, beyond the time limit of parsing."""

_extender: ContextVar[OnExtend | None] = ContextVar("parse_extender", default=None)
_listener: ContextVar[OnProgress | None] = ContextVar("parse_progress", default=None)


def report(done: int, total: int) -> None:
    """Tell the listener, if there is one, that `done` of `total` parts have been read."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total)


def extend(seconds: float) -> None:
    """Ask for time beyond the limit, which is meant for parsing without OCR; the total, not what is added."""
    extender = _extender.get()
    if extender is not None:
        extender(seconds)


@contextmanager
def extending(extender: OnExtend | None) -> Generator[None]:
    """Hear inside this block what time is asked for."""
    token = _extender.set(extender)
    try:
        yield
    finally:
        _extender.reset(token)


@contextmanager
def listening(listener: OnProgress | None) -> Generator[None]:
    """Hear what is reported inside this block; None silences it."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
