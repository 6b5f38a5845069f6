"""The skills that come with the product, read from its own folder once a process."""

from functools import cache
from pathlib import Path

from refdesk.skills.packages import Package, package_of

_FOLDER = Path(__file__).parent / "builtin"


@cache
def builtin_skills() -> dict[str, Package]:
    """By name."""
    found: dict[str, Package] = {}
    for folder in sorted(path for path in _FOLDER.iterdir() if path.is_dir()):
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        package = package_of(files)
        found[package.name] = package
    return found
