"""Reading a skill from its files: the front matter of `SKILL.md`, and what a path may be. No I/O but ZIP."""

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import yaml

from refdesk.skills.errors import SkillInvalid, SkillTooLarge

ENTRY = "SKILL.md"
MAX_BYTES = 1_500_000
MAX_FILES = 100
MAX_DESCRIPTION_CHARS = 1_024
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Package:
    """A skill. `body` is what follows the front matter; `files` holds all files by path, `SKILL.md` too."""

    name: str
    description: str
    body: str
    files: Mapping[str, bytes]

    @property
    def others(self) -> list[str]:
        """The files beside `SKILL.md`, in order."""
        return sorted(path for path in self.files if path != ENTRY)


def read_package(data: bytes) -> Package:
    """A ZIP of a skill's folder, or its `SKILL.md` alone. Raises `SkillInvalid` and `SkillTooLarge`."""
    if len(data) > MAX_BYTES:
        raise SkillTooLarge(max_bytes=MAX_BYTES)
    if not data.startswith(b"PK\x03\x04"):
        return package_of({ENTRY: data})
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            if len(entries) > MAX_FILES or sum(one.file_size for one in entries) > MAX_BYTES:
                raise SkillTooLarge(max_bytes=MAX_BYTES, max_files=MAX_FILES)
            files = {one.filename: archive.read(one) for one in entries if not _is_litter(one.filename)}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise SkillInvalid("The ZIP cannot be read.") from error
    return package_of(_without_folder(files))


def package_of(files: Mapping[str, bytes]) -> Package:
    """A skill of these files by path. Raises `SkillInvalid`."""
    entry = files.get(ENTRY)
    if entry is None:
        raise SkillInvalid(f"There is no {ENTRY}.")
    for path in files:
        _require_path(path)
    try:
        text = entry.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SkillInvalid(f"{ENTRY} is not UTF-8.") from error
    found = _FRONT.match(text)
    if found is None:
        raise SkillInvalid(f"{ENTRY} does not begin with front matter.")
    try:
        front: Any = yaml.safe_load(found[1])
    except yaml.YAMLError as error:
        raise SkillInvalid("The front matter is not YAML.") from error
    fields = cast("dict[str, Any]", front) if isinstance(front, dict) else {}
    name, description = str(fields.get("name") or ""), " ".join(str(fields.get("description") or "").split())
    if len(name) > 64 or not _NAME.fullmatch(name):
        raise SkillInvalid(
            "The name must be lower-case letters, digits and hyphens, at most 64.", name=name[:80]
        )
    if not description or len(description) > MAX_DESCRIPTION_CHARS:
        raise SkillInvalid(f"The description must have 1 to {MAX_DESCRIPTION_CHARS} characters.")
    return Package(name, description, text[found.end() :].strip(), dict(files))


def written(name: str, description: str, body: str) -> Package:
    """A skill of a `SKILL.md` alone. Raises `SkillInvalid`."""
    front = yaml.safe_dump({"name": name, "description": description}, allow_unicode=True, sort_keys=False)
    return package_of({ENTRY: f"---\n{front}---\n\n{body.strip()}\n".encode()})


def _without_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The paths below the one folder that holds everything, if there is one."""
    if ENTRY in files:
        return dict(files)
    tops = {path.split("/", 1)[0] for path in files}
    if len(tops) != 1:
        return dict(files)
    return {path.split("/", 1)[1]: data for path, data in files.items() if "/" in path}


def _is_litter(path: str) -> bool:
    return path.startswith("__MACOSX/") or path.rsplit("/", 1)[-1] == ".DS_Store"


def _require_path(path: str) -> None:
    steps = path.split("/")
    if (
        path.startswith("/")
        or "\\" in path
        or "\x00" in path
        or len(path) > 300
        or {"", ".", ".."} & set(steps)
    ):
        raise SkillInvalid("A file of the skill has a path that cannot be.", path=path[:300])
