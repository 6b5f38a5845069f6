"""How much OCR one file may cost, counted over everything inside it: pages, pictures, seconds.

What is left over is skipped and reported; a file never fails because OCR takes long. Seconds are those that
each of its threads computes: on a busy machine a page takes longer by the clock, and must not lose lines for
that. The clock ends only what takes `PATIENCE` times as long. Before a page the time it may take is asked for
(`progress.extend`), so that the parent's clock stops only for a parser that hangs.
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
PATIENCE = 5.0
"""How many times longer by the clock OCR may take than it may compute."""


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


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a page must be done: `cpu` on the clock of `time.process_time`, `wall` on `time.monotonic`."""

    cpu: float
    wall: float

    def is_over(self) -> bool:
        """Whether either has passed."""
        return time.process_time() > self.cpu or time.monotonic() > self.wall


@dataclass(slots=True)
class Allowance:
    """What is left for one file. `known` are the pictures read so far, by hash: a logo is read once.

    `spent` and `waited` are seconds, the first computed by each of `threads`, the second by the clock.
    `unread_chars` are those of lines that were found in pictures inside the file, but not read;
    `chars_beside` those of the other lines of these pictures.
    """

    mode: str
    pages: int
    seconds: float
    page_seconds: float
    threads: int
    read: int = 0
    pictures_skipped: int = 0
    pictures_cut_short: int = 0
    unread_chars: int = 0
    chars_beside: int = 0
    spent: float = 0.0
    waited: float = 0.0
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
        return self.mode != "off" and self.read < self.pages and self._left() > 0

    def _left(self) -> float:
        return min(self.seconds - self.spent, self.seconds - self.waited / PATIENCE)

    def take_skipped(self) -> int:
        """How many pictures were left out since this was last asked."""
        count, self.pictures_skipped = self.pictures_skipped, 0
        return count

    def take_cut_short(self) -> tuple[int, int, int]:
        """Pictures read in part since this was last asked, their characters that were read and the others."""
        taken = self.pictures_cut_short, self.chars_beside, self.unread_chars
        self.pictures_cut_short = self.chars_beside = self.unread_chars = 0
        return taken

    @contextmanager
    def page(self) -> Generator[Deadline]:
        """Count one page; gives the time by which it must be done."""
        begin, computed = time.monotonic(), time.process_time()
        allowed = min(self.page_seconds, self._left())
        extend(self.waited + allowed * PATIENCE)
        try:
            yield Deadline(computed + allowed * self.threads, begin + allowed * PATIENCE)
        finally:
            self.read += 1
            self.spent += (time.process_time() - computed) / self.threads
            self.waited += time.monotonic() - begin
            extend(self.waited)


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
