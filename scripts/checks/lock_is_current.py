"""The lock files satisfy pyproject.toml; no network is asked. `make lock` renews them."""

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def locked(name: str) -> dict[str, str]:
    """Versions by canonical package name."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", (ROOT / name).read_text(), re.MULTILINE)
    return {canonicalize_name(package): version for package, version in found}


def faults(lock_name: str, wanted: list[str]) -> list[str]:
    """What `wanted` asks for and the lock does not give."""
    lock = locked(lock_name)
    missing: list[str] = []
    for requirement in map(Requirement, wanted):
        version = lock.get(canonicalize_name(requirement.name))
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            missing.append(f"{lock_name}: {requirement} is wanted, {version or 'nothing'} is locked")
    return missing


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    runtime: list[str] = project["project"]["dependencies"]
    development: list[str] = project["dependency-groups"]["dev"]
    found = faults("requirements.txt", runtime) + faults("requirements-dev.txt", runtime + development)
    both, all_ = locked("requirements.txt"), locked("requirements-dev.txt")
    found += [f"{name} differs between the lock files" for name in both if all_.get(name) != both[name]]
    for fault in found:
        print(fault)
    if found:
        print("run `make lock`")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
