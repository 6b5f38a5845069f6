"""The process that reads one table of questions: limits first, then the file, then rows on standard output.

Run as a script and never imported by the rest, for the reasons told in `parsing/child.py`. Input on standard
input: one line of JSON (`name`, `memory_bytes`, `cpu_s`), then the file.
"""

import sys
import types
from pathlib import Path


def _load_reading_alone() -> None:
    room = Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(room.parents[1]))
    for name, folder in (("refdesk.knowledge", room), ("refdesk.knowledge.qa", room / "qa")):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


def _limit(memory_bytes: int, cpu_s: int) -> None:
    try:
        import resource
    except ImportError:  # systems without it rely on the parent's clock
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def main() -> int:
    """Read and answer; the exit code is 0 whenever an answer was written, failures included."""
    _load_reading_alone()
    import orjson

    from refdesk.kit.errors import AppError
    from refdesk.knowledge.parsing.blocks import ParseOptions
    from refdesk.knowledge.qa.rows import read_table

    request = orjson.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    _limit(request["memory_bytes"], request["cpu_s"])
    try:
        answer = read_table(data, request["name"], ParseOptions()).as_json()
    except AppError as error:
        answer = {"error": {"code": error.code, "text": error.text, "hint": error.hint_text}}
    sys.stdout.buffer.write(orjson.dumps(answer))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
