"""Reading a table of questions in a process of its own, with limits on time and memory."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson

from refdesk.kit.settings import Settings
from refdesk.knowledge.parsing import CorruptFile
from refdesk.knowledge.qa.errors import BY_CODE, QaTooLarge
from refdesk.knowledge.qa.rows import BadRow, QaRow, QaTable

_COMMAND = (sys.executable, "-I", str(Path(__file__).with_name("child.py")))


async def read_limited(data: bytes, name: str, settings: Settings) -> QaTable:
    """The rows of a file from outside. Raises the room's errors and `QaTooLarge` at a limit."""
    return await asyncio.to_thread(_read, data, name, settings)


def _read(data: bytes, name: str, settings: Settings) -> QaTable:
    head = {
        "name": name,
        "memory_bytes": settings.parse_memory_bytes,
        "cpu_s": int(settings.parse_timeout_s) + 5,
    }
    try:
        done = subprocess.run(
            _COMMAND,
            input=orjson.dumps(head) + b"\n" + data,
            capture_output=True,
            timeout=settings.parse_timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise QaTooLarge("Reading the file took too long.", timeout_s=settings.parse_timeout_s) from None
    if done.returncode != 0:
        raise QaTooLarge("Reading the file took too much memory.", exit_code=done.returncode)
    answer: dict[str, Any] = orjson.loads(done.stdout)
    if "error" in answer:
        told = answer["error"]
        raise BY_CODE.get(told["code"], CorruptFile)(told["text"], hint=told["hint"])
    return QaTable([QaRow(**row) for row in answer["rows"]], [BadRow(**bad) for bad in answer["bad"]])
