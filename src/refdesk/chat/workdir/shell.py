"""A command over a working directory: its files into a folder, the sandbox over it, what it left back."""

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from refdesk.chat.workdir.repository import MAX_BYTES, MAX_FILES
from refdesk.tools.sandbox import Sandbox, SandboxLimits, SandboxResult, WorkFolder

LIMITS = SandboxLimits(timeout_s=60.0, folder_bytes=2 * MAX_BYTES, file_bytes=MAX_BYTES)


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended; `changed` are files it wrote, `removed` those that are gone."""

    result: SandboxResult
    changed: Mapping[str, bytes]
    removed: tuple[str, ...]


async def run_command(sandbox: Sandbox, command: str, files: Mapping[str, bytes]) -> Ran:
    """Run `command` in a shell. Raises `SandboxUnavailable`."""
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="refdesk-work-"))
    try:
        result = await sandbox.run(
            ["sh", "-c", command], files=files, workdir=folder, limits=LIMITS, with_shell=True
        )
        left = await asyncio.to_thread(_read, folder)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    changed = {path: content for path, content in left.items() if files.get(path) != content}
    return Ran(result, changed, tuple(path for path in files if path not in left))


def _read(folder: Path) -> dict[str, bytes]:
    work = WorkFolder(folder)
    paths = [entry.path for entry in work.entries(most=2 * MAX_FILES) if not entry.is_folder]
    return {path: work.read(path, max_bytes=MAX_BYTES) for path in paths}
