"""A tool server that is a process of this machine, spoken to over its standard input and output.

Ours instead of the SDK's own: a line has a length at which reading ends, the end of what the process wrote to
standard error is kept to say why it failed, and it dies with this process even after `kill -9`.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from refdesk.kit import launcher
from refdesk.tools.errors import ToolServerCommandFailed

_KEPT_LINES = 20
_LINE_CHARS = 300
# What a process gets to end by itself after its input has ended, and then after being told to.
_PATIENCE_S = 1.0
_LAUNCHER = str(Path(launcher.__file__).resolve())


class ServerProcess:
    """What is known of the process, to say in words why it failed."""

    def __init__(self) -> None:
        self.last_words: deque[str] = deque(maxlen=_KEPT_LINES)
        self.remarks: deque[str] = deque(maxlen=_KEPT_LINES)
        self.exit_code: int | None = None
        self.sent_too_much = False

    def reason(self) -> str | None:
        """How it ended, if it has."""
        if self.exit_code is None:
            return None
        how = f"with code {self.exit_code}" if self.exit_code >= 0 else f"by signal {-self.exit_code}"
        lines = [line for line in (*self.remarks, *self.last_words) if line]
        said = lines[-1] if lines else None
        return f"The command ended {how}{f': {said}' if said else ''}."


@asynccontextmanager
async def process_streams(
    command: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    *,
    max_line_bytes: int,
    state: ServerProcess,
) -> AsyncGenerator[tuple[Any, Any]]:
    """Start the command and give the two streams of messages that the SDK wants.

    Raises `ToolServerCommandFailed` for a command that is not there.
    """
    env = get_default_environment() | dict(environment)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", _LAUNCHER, str(os.getpid()), str(int(signal.SIGTERM)), "-1", "-1"),
        _program(command, env.get("PATH")),
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
        cwd=folder,
        limit=max_line_bytes,
        start_new_session=True,
    )
    to_session, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    errors = asyncio.create_task(_listen(process, state), name="tool-server-errors")
    tasks = [
        asyncio.create_task(_read(process, to_session, state, errors), name="tool-server-output"),
        asyncio.create_task(_write(process, from_session), name="tool-server-input"),
        errors,
    ]
    try:
        yield read, write
    finally:
        await _end(process, tasks)
        for stream in (to_session, read, write, from_session):
            stream.close()


def _program(command: str, path: str | None) -> str:
    """Where the command lies. A link stays one: an environment of Python tells its place by it."""
    found = shutil.which(command, path=path)
    if found is None:
        raise ToolServerCommandFailed(f"There is no command {command} on this machine.", command=command)
    return str(Path.cwd() / found)


async def _read(
    process: asyncio.subprocess.Process, target: Any, state: ServerProcess, errors: asyncio.Task[None]
) -> None:
    """Lines to messages until the output ends; then the session is told by closing its stream."""
    assert process.stdout is not None
    async with target:
        while True:
            try:
                line = await process.stdout.readuntil(b"\n")
            except asyncio.IncompleteReadError:
                break
            except asyncio.LimitOverrunError:
                state.sent_too_much = True
                return
            if not line.strip():
                continue
            try:
                message: SessionMessage | Exception = SessionMessage(
                    mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                )
            except ValueError:
                # Many servers print remarks to standard output.
                state.remarks.append(line.decode(errors="replace")[:_LINE_CHARS].strip())
                continue
            try:
                await target.send(message)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                return
        state.exit_code = await process.wait()
        await asyncio.wait([errors], timeout=_PATIENCE_S)  # its last words


async def _write(process: asyncio.subprocess.Process, source: Any) -> None:
    assert process.stdin is not None
    with contextlib.suppress(ConnectionError, anyio.ClosedResourceError):
        async for message in source:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()


async def _listen(process: asyncio.subprocess.Process, state: ServerProcess) -> None:
    assert process.stderr is not None
    while True:
        try:
            line = await process.stderr.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            await process.stderr.readexactly(error.consumed)
            continue
        except asyncio.IncompleteReadError as error:
            line = error.partial
        if not line:
            return
        state.last_words.append(line.decode(errors="replace")[:_LINE_CHARS].strip())


async def _end(process: asyncio.subprocess.Process, tasks: list[asyncio.Task[None]]) -> None:
    """End the input, then the process group; its children go with it."""
    assert process.stdin is not None
    process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await process.wait()
                break
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # what the process left behind in its group
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
