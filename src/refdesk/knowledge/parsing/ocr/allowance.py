"""How much OCR one file may cost, counted over everything inside it: pages, pictures, seconds.

What is left over is skipped and reported; a file never fails because OCR takes long. Before a page the time
it may take is asked for (`progress.extend`), so that the parent's clock stops only for a parser that hangs.
Must not load OpenCV or the models: every parse makes one of these.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.progress import extend

# Address space, not memory in use: measured, 600 MB are too little for the smallest picture.
_LEAST_BYTES = 768 * 1024**2


def has_memory() -> bool:
    """Whether this process may have the memory OCR needs; asked before its libraries are loaded, because
    they would end the process instead of failing.
    """
    try:
        import resource
    except ImportError:
        return True
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit == resource.RLIM_INFINITY or limit >= _LEAST_BYTES


def require_memory() -> None:
    """Raise `MemoryError` where OCR cannot be loaded."""
    if not has_memory():
        raise MemoryError(f"OCR needs {_LEAST_BYTES // 1024**2} MB")


@dataclass(slots=True)
class Allowance:
    """What is left for one file. `known` are the pictures read so far, by hash: a logo is read once."""

    mode: str
    pages: int
    seconds: float
    page_seconds: float
    threads: int
    read: int = 0
    pictures_skipped: int = 0
    spent: float = 0.0
    known: set[bytes] = field(default_factory=set[bytes])

    @classmethod
    def of(cls, options: ParseOptions) -> "Allowance":
        """All that the options allow."""
        return cls(
            options.ocr,
            options.max_ocr_pages,
            options.ocr_timeout_s,
            options.ocr_page_timeout_s,
            options.ocr_threads,
        )

    @property
    def is_left(self) -> bool:
        """Whether another page may be read."""
        return self.mode != "off" and self.read < self.pages and self.spent < self.seconds

    def take_skipped(self) -> int:
        """How many pictures were left out since this was last asked."""
        count, self.pictures_skipped = self.pictures_skipped, 0
        return count

    @contextmanager
    def page(self) -> Generator[float]:
        """Count one page; gives the time (monotonic) by which it must be done."""
        begin = time.monotonic()
        allowed = min(self.page_seconds, self.seconds - self.spent)
        extend(self.spent + allowed)
        try:
            yield begin + allowed
        finally:
            self.read += 1
            self.spent += time.monotonic() - begin
            extend(self.spent)


_current: ContextVar[Allowance | None] = ContextVar("ocr_allowance", default=None)


@contextmanager
def allowing(options: ParseOptions) -> Generator[Allowance]:
    """The allowance of the file being read; a file inside another shares that of the outer one."""
    present = _current.get()
    if present is not None:
        yield present
        return
    made = Allowance.of(options)
    token = _current.set(made)
    try:
        yield made
    finally:
        _current.reset(token)


def allowance(options: ParseOptions) -> Allowance:
    """The allowance in force, or a fresh one outside of any."""
    return _current.get() or Allowance.of(options)
