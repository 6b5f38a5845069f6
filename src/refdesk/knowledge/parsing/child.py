"""The process that reads one file, splits it, or both: limits first, then the work, then the answer.

Run as a script (`python -I child.py`), never imported by the rest: it registers `refdesk.knowledge` as an
empty package, so that loading `refdesk.knowledge.parsing` does not run the room's own `__init__`, which
brings the database and the web framework (over 1 s). Input on standard input: one line of JSON
(`work`, `memory_bytes`, `cpu_s` and what the work needs), then the data. Progress, the beginning of
splitting, and the time OCR takes, go to standard error, a line each.

`work` is `parse` (a file → the parse result), `read` (a file → a line with the parse result, a line with the
paragraphs), `split` (a parse result → a line with the paragraphs) or `check-patterns` (JSON with `patterns`
and `text` → the headings found). Splitting in the process that has just parsed spares starting another, and
handing the text there and back.
"""

import gc
import sys
import time
import types
from functools import partial
from pathlib import Path
from typing import Any


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


def _parsed(request: dict[str, Any], data: bytes) -> Any:
    from refdesk.knowledge.parsing.progress import extending, listening
    from refdesk.knowledge.parsing.selection import parse
    from refdesk.knowledge.parsing.wire import EXTEND_MARK, PROGRESS_MARK, options_of

    with listening(_Progress(PROGRESS_MARK)), extending(partial(_extend, EXTEND_MARK)):
        return parse(data, request["name"], options_of(request["options"]))


def _send(answer: bytes, end: bytes = b"") -> None:
    sys.stdout.buffer.write(answer + end)
    sys.stdout.buffer.flush()


def _parse(request: dict[str, Any], data: bytes, end: bytes = b"") -> Any:
    """Read the file and send what came out; None where that is a failure."""
    from refdesk.knowledge.parsing.errors import ParseError, ParseMemory, ResultTooLarge
    from refdesk.knowledge.parsing.wire import encode_error, encode_parsed

    try:
        parsed = _parsed(request, data)
        answer = encode_parsed(parsed)
        if len(answer) > request["max_output_bytes"]:
            raise ResultTooLarge(max_bytes=request["max_output_bytes"])
        _send(answer, end)
    except ParseError as error:
        _send(encode_error(error), end)
    except MemoryError:
        _send(encode_error(ParseMemory()), end)
    else:
        return parsed
    return None


def _split(request: dict[str, Any], parsed: Any) -> None:
    """Make paragraphs of a parse result, or of its JSON, and send them."""
    from refdesk.kit.errors import AppError
    from refdesk.knowledge.parsing.wire import SPLITTING_MARK, decode_result, encode_error
    from refdesk.knowledge.splitting import split
    from refdesk.knowledge.splitting.errors import SplitMemory, SplitTooLarge
    from refdesk.knowledge.splitting.wire import encode_split, settings_of

    sys.stderr.write(SPLITTING_MARK + "\n")
    sys.stderr.flush()
    try:
        if isinstance(parsed, bytes):
            parsed = decode_result(parsed)
        answer = encode_split(parsed, split(parsed, settings_of(request["settings"])))
        if len(answer) > request["max_output_bytes"]:
            raise SplitTooLarge(max_bytes=request["max_output_bytes"])
    except AppError as error:
        answer = encode_error(error)
    except MemoryError:
        answer = encode_error(SplitMemory())
    _send(answer)


def _check_patterns(data: bytes) -> None:
    import orjson

    from refdesk.kit.errors import AppError
    from refdesk.knowledge.parsing.wire import encode_error
    from refdesk.knowledge.splitting import check_patterns
    from refdesk.knowledge.splitting.errors import SplitMemory

    try:
        asked = orjson.loads(data)
        answer = orjson.dumps(check_patterns(asked["patterns"], asked["text"]))
    except AppError as error:
        answer = encode_error(error)
    except MemoryError:
        answer = encode_error(SplitMemory())
    _send(answer)


def main() -> int:
    """Do the work and answer; the exit code is 0 whenever an answer was written, failures included."""
    _die_with_parent()
    _load_parsing_alone()
    # A parse makes hundreds of thousands of small objects and hardly a cycle: collecting took a third of the
    # time, and this process ends soon.
    gc.disable()
    import orjson

    request = orjson.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    _limit(request["memory_bytes"], request["cpu_s"])
    match request["work"]:
        case "parse":
            _parse(request, data)
        case "read":
            parsed = _parse(request, data, b"\n")
            del data
            if parsed is not None:
                _split(request, parsed)
        case "split":
            _split(request, data)
        case _:
            _check_patterns(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
