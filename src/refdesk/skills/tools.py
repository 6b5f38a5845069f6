"""The tools by which an agent reads, finds, saves and runs skills."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from refdesk.accounts import Role
from refdesk.knowledge.indexing import tokenize
from refdesk.skills.errors import SkillFileNotFound, SkillNotFound
from refdesk.skills.packages import ENTRY, Package, written
from refdesk.skills.shelf import Shelf
from refdesk.tools import Tool, ToolCaller, ToolFault, ToolResult, ToolSpec
from refdesk.tools.sandbox import Sandbox, WorkFolder

type Language = Literal["zh", "en"]

FINDER, CREATOR = "skill-finder", "skill-creator"
MOST_FOUND = 8
_TEXT: dict[str, dict[Language, tuple[str, str]]] = {
    "read_skill": {
        "zh": ("读取技能", "读取一项技能的步骤，或其中的一个文件。任务符合某项技能的说明时，先读取再照做。"),
        "en": (
            "Read a skill",
            "The steps of a skill, or one of its files. Read it first where a task fits it.",
        ),
    },
    "find_skills": {
        "zh": ("查找技能", "按任务的关键词查找技能，包括尚未在此应用启用的。"),
        "en": ("Find skills", "Skills that fit the key words of a task, also those not switched on here."),
    },
    "save_skill": {
        "zh": ("保存技能", "保存一项新技能（名称、说明、步骤）。内容先给用户看过再保存。"),
        "en": ("Save a skill", "Saves a new skill (name, description, steps). Show it to the person first."),
    },
    "run_skill_script": {
        "zh": (
            "运行技能脚本",
            "在沙箱中运行技能自带的 Python 或 shell 脚本，没有网络，技能的文件在 /skill。",
        ),
        "en": (
            "Run a skill's script",
            "Runs a Python or shell script of a skill in a sandbox without network; its files are in /skill.",
        ),
    },
}


def skill_tools(
    shelf: Shelf, packages: Mapping[str, Package], sandbox: Sandbox, language: Language
) -> list[Tool]:
    """The tools for these skills, which are switched on; none without a skill."""
    if not packages:
        return []
    name = {"type": "string", "enum": list(packages)}
    tools = [
        Tool(
            _spec("read_skill", language, {"name": name, "file": {"type": "string"}}, ("name",)),
            ReadSkill(packages),
        )
    ]
    if any(_scripts(package) for package in packages.values()):
        properties: dict[str, Any] = {
            "name": name,
            "script": {"type": "string"},
            "arguments": {"type": "array", "items": {"type": "string"}, "maxItems": 50},
            "input": {"type": "string", "description": "standard input"},
        }
        spec = _spec("run_skill_script", language, properties, ("name", "script"), read_only=False)
        tools.append(Tool(spec, RunScript(packages, sandbox)))
    if FINDER in packages:
        spec = _spec("find_skills", language, {"task": {"type": "string", "minLength": 1}}, ("task",))
        tools.append(Tool(spec, FindSkills(shelf, tuple(packages))))
    if CREATOR in packages:
        fields: dict[str, Any] = {
            "name": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64},
            "description": {"type": "string", "minLength": 1, "maxLength": 1024},
            "body": {"type": "string", "minLength": 1},
        }
        spec = _spec("save_skill", language, fields, tuple(fields), read_only=False, ask_first=True)
        tools.append(Tool(spec, SaveSkill(shelf)))
    return tools


@dataclass(frozen=True, slots=True)
class ReadSkill:
    packages: Mapping[str, Package]

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        package = _package(self.packages, arguments)
        path = str(arguments.get("file") or ENTRY)
        if path == ENTRY:
            listed = "\n".join(f"- {one}" for one in package.others)
            files = f"\n\nFiles:\n{listed}" if listed else ""
            return ToolResult(package.body + files, details={"subject": package.name})
        content = package.files.get(path)
        if content is None:
            raise SkillFileNotFound(path=path[:300])
        return ToolResult(content.decode("utf-8", "replace"), details={"subject": f"{package.name}/{path}"})


@dataclass(frozen=True, slots=True)
class FindSkills:
    shelf: Shelf
    enabled: Sequence[str]

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        asked = set(tokenize(str(arguments["task"])))
        cards = await self.shelf.cards(caller.scope)
        scored = [(len(asked & set(tokenize(f"{card.name} {card.description}"))), card) for card in cards]
        scored.sort(key=lambda pair: (-pair[0], pair[1].name))
        found = [
            {"name": card.name, "description": card.description, "switched_on": card.name in self.enabled}
            for _, card in scored[:MOST_FOUND]
        ]
        data = {"skills": found}
        return ToolResult(json.dumps(data, ensure_ascii=False), data)


@dataclass(frozen=True, slots=True)
class SaveSkill:
    shelf: Shelf

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        caller.scope.require(Role.EDITOR, "write")
        package = written(str(arguments["name"]), str(arguments["description"]), str(arguments["body"]))
        await self.shelf.put(caller.scope, package)
        data = {"saved": package.name}
        return ToolResult(json.dumps(data), data)


@dataclass(frozen=True, slots=True)
class RunScript:
    packages: Mapping[str, Package]
    sandbox: Sandbox

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        package = _package(self.packages, arguments)
        script = str(arguments["script"])
        if script not in _scripts(package):
            raise SkillFileNotFound(path=script[:300])
        given = [str(one) for one in arguments.get("arguments") or ()]
        program = "python3" if script.endswith(".py") else "sh"
        folder = await asyncio.to_thread(_unpacked, package)
        try:
            result = await self.sandbox.run(
                [program, f"/skill/{script}", *given],
                folders={"/skill": folder},
                stdin=str(arguments["input"]) if "input" in arguments else None,
                with_shell=program == "sh",
            )
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        data = {"exit_code": result.exit_code, "stdout": result.stdout, "stderr": result.stderr}
        if result.stopped is not None:
            message = f"The script was stopped: {result.stopped}."
            return ToolResult("", fault=ToolFault("script-stopped", message), details=data)
        return ToolResult(json.dumps(data, ensure_ascii=False), data)


def _unpacked(package: Package) -> Path:
    """A folder with the skill's files, which the sandbox's user may read."""
    folder = Path(tempfile.mkdtemp(prefix="refdesk-skill-"))
    files = WorkFolder(folder)
    for path, content in package.files.items():
        files.write(path, content)
    folder.chmod(0o755)
    return folder


def _package(packages: Mapping[str, Package], arguments: Mapping[str, Any]) -> Package:
    package = packages.get(str(arguments["name"]))
    if package is None:
        raise SkillNotFound(name=str(arguments["name"])[:80])
    return package


def _scripts(package: Package) -> list[str]:
    return [path for path in package.others if path.endswith((".py", ".sh"))]


def _spec(
    name: str,
    language: Language,
    properties: Mapping[str, Any],
    required: Sequence[str],
    *,
    read_only: bool = True,
    ask_first: bool = False,
) -> ToolSpec:
    title, description = _TEXT[name][language]
    return ToolSpec(
        id=f"skill:{name}",
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": dict(properties),
            "required": list(required),
            "additionalProperties": False,
        },
        origin="skill",
        title=title,
        read_only=read_only,
        ask_first=ask_first,
        timeout_s=60.0,
        max_result_chars=40_000,
    )
