"""What of this machine is in the sandbox, read-only: an interpreter with its standard library, some programs.

Libraries are found by asking the dynamic loader, so that single files are mounted and no folder of the
system.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PYTHON = "/opt/python/bin/python3"
_HOME = "/opt/python"
_LIBRARIES = "/usr/lib"
_PROGRAMS = "/usr/bin"
# Extension modules that need a display, or that only the interpreter's own tests need.
_LEFT_OUT = ("_tkinter", "_test", "_xx", "xx", "_ctypes_test")
_SHELL = (
    *("sh", "bash", "awk", "basename", "cat", "chmod", "cmp", "comm", "cp", "cut", "date", "diff", "dirname"),
    *("du", "echo", "env", "expr", "false", "file", "find", "fold", "grep", "gunzip", "gzip", "head", "join"),
    *("jq", "ln", "ls", "md5sum", "mkdir", "mktemp", "mv", "nl", "od", "paste", "printf", "pwd", "readlink"),
    *("realpath", "rm", "rmdir", "sed", "seq", "sha256sum", "sleep", "sort", "split", "stat", "tac", "tail"),
    *("tar", "tee", "test", "touch", "tr", "true", "uniq", "unzip", "wc", "which", "xargs", "yes", "zip"),
)


class NotMountable(Exception):
    """The interpreter of this installation cannot be taken into the sandbox."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A file or folder of this machine (`source`) and where it stands in the sandbox."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """What is mounted. `hidden` folders are covered with empty ones; `links` are symbolic: place, target."""

    folders: tuple[str, ...]
    mounts: tuple[Mount, ...]
    hidden: tuple[str, ...]
    links: tuple[tuple[str, str], ...]

    def arguments(self) -> Iterator[str]:
        """As bubblewrap takes it."""
        for folder in self.folders:
            yield from ("--dir", folder)
        for mount in self.mounts:
            yield from ("--ro-bind", str(mount.source), mount.target)
        for folder in self.hidden:
            yield from ("--size", "4096", "--tmpfs", folder, "--remount-ro", folder)
        for place, target in self.links:
            yield from ("--symlink", target, place)


@cache
def interpreter() -> Inventory:
    """The interpreter that runs us, without what is installed for it. Raises `NotMountable`."""
    program = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    if not (library / "os.py").is_file():
        raise NotMountable("the standard library of the interpreter is not a folder")
    home = f"{_HOME}/{sys.platlibdir}/{library.name}"
    modules = [
        module for module in (library / "lib-dynload").glob("*.so") if not module.name.startswith(_LEFT_OUT)
    ]
    mounts = [Mount(program, PYTHON), Mount(library, home), *_libraries_of([program, *modules])]
    zones = Path("/usr/share/zoneinfo")
    folders = ["/opt", _HOME, f"{_HOME}/bin", f"{_HOME}/{sys.platlibdir}", "/usr", _LIBRARIES, _PROGRAMS]
    if zones.is_dir():
        folders.append("/usr/share")
        mounts.append(Mount(zones, "/usr/share/zoneinfo"))
    hidden = [f"{home}/{name}" for name in ("site-packages", "dist-packages") if (library / name).is_dir()]
    links = [
        ("/lib", "usr/lib"),
        ("/lib64", "usr/lib"),
        ("/usr/lib64", "lib"),
        ("/bin", "usr/bin"),
        (f"{_PROGRAMS}/python3", PYTHON),
        (f"{_PROGRAMS}/python", PYTHON),
    ]
    return Inventory(tuple(folders), tuple(mounts), tuple(hidden), tuple(links))


@cache
def shell() -> Inventory:
    """A shell and the usual small programs, as far as this machine has them."""
    found = {name: path for name in _SHELL if (path := shutil.which(name, path="/usr/bin:/bin")) is not None}
    known = {mount.target for mount in interpreter().mounts}
    programs = [Mount(Path(path).resolve(), f"{_PROGRAMS}/{name}") for name, path in found.items()]
    libraries = _libraries_of(mount.source for mount in programs)
    return Inventory((), tuple(one for one in (*programs, *libraries) if one.target not in known), (), ())


def _libraries_of(binaries: Iterable[Path]) -> list[Mount]:
    """Each shared library once, under the name it is asked for by."""
    loader = _loader()
    found: dict[str, Path] = {loader.name: loader.resolve()}
    for binary in binaries:
        answer = subprocess.run(
            [str(loader), "--list", str(binary)], capture_output=True, text=True, check=False, timeout=10
        )
        for line in answer.stdout.splitlines():
            name, arrow, place = line.strip().partition(" => ")
            path = place.partition(" (")[0].strip()
            if arrow and path.startswith("/"):
                found.setdefault(Path(name).name, Path(os.path.realpath(path)))
    return [Mount(path, f"{_LIBRARIES}/{name}") for name, path in sorted(found.items())]


def _loader() -> Path:
    """The dynamic loader of this process."""
    for pattern in ("/lib64/ld-linux-*.so.*", "/lib/ld-linux-*.so.*", "/lib/ld-musl-*.so.*"):
        for path in sorted(Path("/").glob(pattern[1:])):
            return path
    raise NotMountable("the dynamic loader was not found")
