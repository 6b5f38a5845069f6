"""The tools of a working directory: list, read, write, edit, run a command. Each may ask first."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from refdesk.chat.language import Language
from refdesk.chat.workdir.errors import EditNotPossible
from refdesk.chat.workdir.repository import WorkingFileRepository
from refdesk.chat.workdir.shell import run_command
from refdesk.kit.database import Database
from refdesk.tools import Tool, ToolCaller, ToolFault, ToolResult, ToolSpec
from refdesk.tools.sandbox import Sandbox

MOST_READ_CHARS = 16_000
_PATH = {"type": "string", "minLength": 1, "maxLength": 300}

_TEXT: dict[str, dict[Language, tuple[str, str]]] = {
    "list_files": {
        "zh": ("列出文件", "列出本次对话工作目录中的文件及大小。"),
        "en": ("List files", "Files of this conversation's working directory, with their sizes."),
    },
    "read_file": {
        "zh": ("读取文件", "读取工作目录中一个文本文件的内容，可以从第几个字符开始。"),
        "en": ("Read a file", "The content of a text file of the working directory, from a character on."),
    },
    "write_file": {
        "zh": ("写入文件", "在工作目录中写入一个文本文件，已有的同名文件会被替换。"),
        "en": (
            "Write a file",
            "Writes a text file into the working directory; one of that name is replaced.",
        ),
    },
    "edit_file": {
        "zh": ("修改文件", "把文件中恰好出现一次的一段文字替换为另一段。"),
        "en": ("Edit a file", "Replaces a text that stands in a file exactly once by another."),
    },
    "run_command": {
        "zh": (
            "运行命令",
            "在沙箱中对工作目录的文件运行一条 shell 命令（有 Python 3，没有网络），返回输出和退出码。",
        ),
        "en": (
            "Run a command",
            "Runs a shell command over the working directory in a sandbox (Python 3 is there, no network);"
            " gives its output and exit code.",
        ),
    },
}
_PARAMETERS: dict[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {
    "list_files": ({}, ()),
    "read_file": ({"path": _PATH, "start": {"type": "integer", "minimum": 0, "default": 0}}, ("path",)),
    "write_file": ({"path": _PATH, "content": {"type": "string"}}, ("path", "content")),
    "edit_file": (
        {"path": _PATH, "old": {"type": "string", "minLength": 1}, "new": {"type": "string"}},
        ("path", "old", "new"),
    ),
    "run_command": ({"command": {"type": "string", "minLength": 1, "maxLength": 8_000}}, ("command",)),
}


@dataclass(frozen=True, slots=True)
class DirectoryTool:
    """The executor of all five, by its tool's name."""

    name: str
    database: Database
    conversation_id: UUID
    sandbox: Sandbox

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        match self.name:
            case "list_files":
                return await self._list(caller)
            case "read_file":
                return await self._read(arguments, caller)
            case "write_file":
                content = str(arguments["content"]).encode()
                return await self._write(caller, str(arguments["path"]), content)
            case "edit_file":
                return await self._edit(arguments, caller)
            case _:
                return await self._run(str(arguments["command"]), caller)

    async def _list(self, caller: ToolCaller) -> ToolResult:
        async with self.database.transaction() as session:
            entries = await WorkingFileRepository(session, caller.scope, self.conversation_id).entries()
        return _result({"files": [{"path": one.path, "bytes": one.size} for one in entries]})

    async def _read(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        path, start = str(arguments["path"]), int(arguments.get("start", 0))
        text = (await self._content(path, caller)).decode("utf-8", "replace")
        shown = text[start : start + MOST_READ_CHARS]
        more = start + len(shown) < len(text)
        return _result({"path": path, "content": shown, "characters": len(text), "more": more}, subject=path)

    async def _edit(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        path, old = str(arguments["path"]), str(arguments["old"])
        text = (await self._content(path, caller)).decode("utf-8")
        if text.count(old) != 1:
            raise EditNotPossible(found=text.count(old))
        return await self._write(caller, path, text.replace(old, str(arguments["new"])).encode())

    async def _run(self, command: str, caller: ToolCaller) -> ToolResult:
        async with self.database.transaction() as session:
            files = await WorkingFileRepository(session, caller.scope, self.conversation_id).all()
        ran = await run_command(self.sandbox, command, files)
        async with self.database.transaction() as session:
            repository = WorkingFileRepository(session, caller.scope, self.conversation_id)
            if ran.removed:
                await repository.remove(ran.removed)
            if ran.changed:
                await repository.put(ran.changed)
        data = {
            "exit_code": ran.result.exit_code,
            "stdout": ran.result.stdout,
            "stderr": ran.result.stderr,
            "changed": sorted(ran.changed),
            "removed": list(ran.removed),
        }
        if ran.result.stopped is not None:
            message = f"The command was stopped: {ran.result.stopped}."
            return ToolResult(
                "", fault=ToolFault("command-stopped", message), details={"stderr": ran.result.stderr}
            )
        return _result(data, subject=command[:120])

    async def _content(self, path: str, caller: ToolCaller) -> bytes:
        async with self.database.transaction() as session:
            return await WorkingFileRepository(session, caller.scope, self.conversation_id).get(path)

    async def _write(self, caller: ToolCaller, path: str, content: bytes) -> ToolResult:
        async with self.database.transaction() as session:
            await WorkingFileRepository(session, caller.scope, self.conversation_id).put({path: content})
        return _result({"path": path, "bytes": len(content)}, subject=path)


def _result(data: dict[str, Any], *, subject: str = "") -> ToolResult:
    details = {"subject": subject} if subject else {}
    return ToolResult(json.dumps(data, ensure_ascii=False), data, details=details)


def directory_tools(
    database: Database,
    conversation_id: UUID,
    sandbox: Sandbox,
    language: Language,
    ask_before: Sequence[str],
) -> list[Tool]:
    """The five tools; those named in `ask_before` ask the person first."""
    tools: list[Tool] = []
    for name, (properties, required) in _PARAMETERS.items():
        title, description = _TEXT[name][language]
        spec = ToolSpec(
            id=f"workdir:{name}",
            name=name,
            description=description,
            parameters={
                "type": "object",
                "properties": dict(properties),
                "required": list(required),
                "additionalProperties": False,
            },
            origin="builtin",
            title=title,
            read_only=name in ("list_files", "read_file"),
            ask_first=name in ask_before,
            timeout_s=120.0,
        )
        tools.append(Tool(spec, DirectoryTool(name, database, conversation_id, sandbox)))
    return tools
