"""Standard error of the parsing process: progress and time asked for, among what libraries write."""

from collections.abc import Callable

from refdesk.knowledge.parsing.progress import OnProgress
from refdesk.knowledge.parsing.wire import EXTEND_MARK, PROGRESS_MARK

_PROGRESS, _EXTEND = PROGRESS_MARK.encode(), EXTEND_MARK.encode()
_KEPT = 64 * 1024


class ChildReport:
    """Takes the marked lines out of the stream; `rest` is the end of the others.

    `extended_s` is the time beyond the limit that the process asked for, never more than `most_s`.
    """

    def __init__(
        self, on_progress: OnProgress | None, most_s: float, on_extend: Callable[[float], None] | None = None
    ) -> None:
        self._on_progress = on_progress
        self._on_extend = on_extend
        self._most_s = most_s
        self._line = b""
        self.rest = b""
        self.extended_s = 0.0

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
            if self._on_progress and len(counts) == 2 and all(count.isdigit() for count in counts):
                self._on_progress(int(counts[0]), int(counts[1]))
        elif line.startswith(_EXTEND):
            asked = line.removeprefix(_EXTEND).strip()
            if asked.isdigit():
                self.extended_s = min(int(asked) / 1000, self._most_s)
                if self._on_extend:
                    self._on_extend(self.extended_s)
        else:
            self.rest = (self.rest + line)[-_KEPT:]
