"""The process that reads one file: limits first, then the parser, then the result on standard output.

Run as a script (`python -I child.py`), never imported by the rest: it registers `refdesk.knowledge` as an
empty package, so that loading `refdesk.knowledge.parsing` does not run the room's own `__init__`, which
brings the database and the web framework (over 1 s). Input on standard input: one line of JSON
(`memory_bytes`, `cpu_s`, `name`, `options`), then the file. Progress, and
the time OCR takes, go to standard error, a line each.
"""

import gc
import sys
import time
import types
from functools import partial
from pathlib import Path


def _load_parsing_alone() -> None:
    here = Path(__file__).resolve()
    room = here.parents[1]
    sys.path.insert(0, str(room.parents[1]))
    package = types.ModuleType("refdesk.knowledge")
    package.__path__ = [str(room)]
    sys.modules["refdesk.knowledge"] = package


def _limit(memory_bytes: int, cpu_s: int) -> None:
    """Limits of the system on this process; systems without them rely on the parent's clock."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _die_with_parent() -> None:
    """On Linux the kernel kills this process when its parent ends, even by `kill -9`."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG


class _Progress:
    """Writes progress to standard error, at most five times a second, and always the last part."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now >= self._next or done >= total:
            self._next = now + 0.2
            sys.stderr.write(f"{self._mark}{done} {total}\n")
            sys.stderr.flush()


def _extend(mark: str, seconds: float) -> None:
    sys.stderr.write(f"{mark}{round(seconds * 1000)}\n")
    sys.stderr.flush()


def main() -> int:
    """Read, parse, answer; the exit code is 0 whenever an answer was written, failures included."""
    _die_with_parent()
    _load_parsing_alone()
    # A parse makes hundreds of thousands of small objects and hardly a cycle: collecting took a third of the
    # time, and this process ends soon.
    gc.disable()
    import orjson

    from refdesk.knowledge.parsing.errors import ParseError, ParseMemory, ResultTooLarge
    from refdesk.knowledge.parsing.progress import extending, listening
    from refdesk.knowledge.parsing.selection import parse
    from refdesk.knowledge.parsing.wire import (
        EXTEND_MARK,
        PROGRESS_MARK,
        decode_options,
        encode_error,
        encode_parsed,
    )

    request = orjson.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    _limit(request["memory_bytes"], request["cpu_s"])
    try:
        options = decode_options(orjson.dumps(request["options"]))
        with listening(_Progress(PROGRESS_MARK)), extending(partial(_extend, EXTEND_MARK)):
            answer = encode_parsed(parse(data, request["name"], options))
        if len(answer) > options.max_output_bytes:
            raise ResultTooLarge(max_bytes=options.max_output_bytes)
    except ParseError as error:
        answer = encode_error(error)
    except MemoryError:
        answer = encode_error(ParseMemory())
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
