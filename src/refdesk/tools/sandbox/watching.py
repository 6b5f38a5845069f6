"""Watching a run from outside: what all its processes use together, which the kernel bounds for each alone.

A fork bomb in Python makes some hundreds of processes between two looks; killing the first process of the
namespace ends them all at once.
"""

import contextlib
import os
import signal
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MOST_FILES = 20_000


def processes_of(pid: int) -> list[int]:
    """The process and all below it."""
    found, waiting = [pid], [pid]
    while waiting:
        parent = waiting.pop()
        with contextlib.suppress(OSError, ValueError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                below = [int(one) for one in (task / "children").read_text().split()]
                found.extend(below)
                waiting.extend(below)
        if len(found) > 5_000:
            break
    return found


def own_memory(pids: list[int]) -> int:
    """Bytes of memory that these processes do not share with others."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{pid}/statm").read_text().split()
            total += max(0, int(fields[1]) - int(fields[2])) * _PAGE
    return total


def folder_bytes(folder: Path) -> int:
    """Bytes on disk below a folder; more than anyone may have where there are too many files."""
    total = count = 0
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > _MOST_FILES:
                        return 2**62
                    status = entry.stat(follow_symlinks=False)
                    # A file with holes is as large as it says to whoever copies it.
                    total += max(status.st_size, status.st_blocks * 512)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
        except OSError:
            continue
    return total


def kill_all(pid: int) -> None:
    """End the run: its children first, for the first of them holds the namespace."""
    for one in reversed(processes_of(pid)[:3]):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)
