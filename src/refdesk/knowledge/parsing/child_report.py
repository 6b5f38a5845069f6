"""Standard error of the limited process: progress, stage and time asked for, among what libraries write."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from refdesk.knowledge.parsing.progress import OnProgress
from refdesk.knowledge.parsing.wire import EXTEND_MARK, PROGRESS_MARK, SPLITTING_MARK

_PROGRESS, _EXTEND, _SPLITTING = (mark.encode() for mark in (PROGRESS_MARK, EXTEND_MARK, SPLITTING_MARK))
_KEPT = 64 * 1024

type OnSplitting = Callable[[], None]
"""Called when the file has been read and splitting begins."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """Seconds by the clock for each stage; `extension_s` is what OCR may ask for beyond `timeout_s`."""

    timeout_s: float
    extension_s: float = 0.0
    split_timeout_s: float = 0.0


class ChildReport:
    """Takes the marked lines out of the stream; `rest` is the end of the others.

    `deadline` is the time (of `time.monotonic`) by which the process must have ended, as far as it has
    told; `on_deadline` hears when that changes. `is_splitting` tells the stage it is in.
    """

    def __init__(
        self,
        allowance: Allowance,
        on_progress: OnProgress | None = None,
        on_splitting: OnSplitting | None = None,
        *,
        is_splitting: bool = False,
    ) -> None:
        self._allowance = allowance
        self.on_progress = on_progress
        self._on_splitting = on_splitting
        self._line = b""
        self._begin = time.monotonic()
        self.rest = b""
        self.is_splitting = is_splitting
        self.deadline = self._begin + (allowance.split_timeout_s if is_splitting else allowance.timeout_s)
        self.on_deadline: Callable[[float], None] | None = None

    def feed(self, chunk: bytes) -> None:
        """Take what was read."""
        *lines, self._line = (self._line + chunk).split(b"\n")
        for line in lines:
            self._take(line + b"\n")
        if len(self._line) > _KEPT:
            self.close()

    def close(self) -> None:
        """Take what stands after the last line break."""
        self._take(self._line)
        self._line = b""

    def _take(self, line: bytes) -> None:
        if line.startswith(_PROGRESS):
            counts = line.removeprefix(_PROGRESS).split()
            if self.on_progress and len(counts) == 2 and all(count.isdigit() for count in counts):
                self.on_progress(int(counts[0]), int(counts[1]))
        elif line.startswith(_EXTEND):
            asked = line.removeprefix(_EXTEND).strip()
            if asked.isdigit() and not self.is_splitting:
                extended_s = min(int(asked) / 1000, self._allowance.extension_s)
                self._allow_until(self._begin + self._allowance.timeout_s + extended_s)
        elif line.startswith(_SPLITTING):
            if not self.is_splitting:  # once only: repeating it must not buy time
                self.is_splitting = True
                self._allow_until(time.monotonic() + self._allowance.split_timeout_s)
                if self._on_splitting:
                    self._on_splitting()
        else:
            self.rest = (self.rest + line)[-_KEPT:]

    def _allow_until(self, deadline: float) -> None:
        self.deadline = deadline
        if self.on_deadline:
            self.on_deadline(deadline)
