"""A folder that programs in the sandbox write to, read from outside without being led astray.

A program can leave a symbolic link to any file of this machine behind. So every path is opened step by step
below the folder, and no step follows a link.
"""

import contextlib
import os
import stat
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from refdesk.kit.errors import Invalid

_MOST_DEPTH = 16
_NAME_BYTES = 255


class PathRefused(Invalid):
    """The path does not lead to an ordinary file within the working folder."""

    code = "path-refused"
    message = "The path does not lead to a file in the working folder."


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A file or folder below a working folder. `path` is relative to it, with `/`."""

    path: str
    is_folder: bool
    size: int
    changed_at: datetime


class WorkFolder:
    """One folder. All paths are relative to it. Blocking: call it from a thread."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """The content of a file, at most `max_bytes` of it. Raises `PathRefused`."""
        with self._parent(path) as (folder, name):
            try:
                file = os.open(
                    name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
                )
            except OSError as error:
                raise PathRefused(path=path) from error
            if not stat.S_ISREG(os.fstat(file).st_mode):
                os.close(file)
                raise PathRefused(path=path)
            with os.fdopen(file, "rb") as opened:
                return opened.read() if max_bytes is None else opened.read(max_bytes)

    def write(self, path: str, content: bytes) -> None:
        """Write a file, and the folders on the way to it; it replaces what is there. Raises `PathRefused`."""
        with self._parent(path, make=True) as (folder, name):
            spare = f".{os.getpid()}-{os.urandom(6).hex()}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                with os.fdopen(os.open(spare, flags, 0o644, dir_fd=folder), "wb") as opened:
                    opened.write(content)
                    self._give(opened.fileno())
                os.rename(spare, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.unlink(spare, dir_fd=folder)
                raise PathRefused(path=path) from error

    def remove(self, path: str) -> None:
        """Remove a file, a link, or a folder that is empty. Raises `PathRefused`."""
        with self._parent(path) as (folder, name):
            try:
                if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                    os.rmdir(name, dir_fd=folder)
                else:
                    os.unlink(name, dir_fd=folder)
            except OSError as error:
                raise PathRefused(path=path) from error

    def entries(self, *, most: int = 1_000) -> list[FolderEntry]:
        """Files and folders, sorted by path, at most so many; links and what is no file are left out."""
        found: list[FolderEntry] = []
        with contextlib.suppress(OSError):  # folders nested so deep that files run out, or that just went
            self._gather(found, most)
        return sorted(found, key=lambda entry: entry.path)

    def _gather(self, found: list[FolderEntry], most: int) -> None:
        for folder, names, files, descriptor in os.fwalk(self.root, follow_symlinks=False):
            within = os.path.relpath(folder, self.root)
            names.sort()
            for name in sorted([*names, *files]):
                status = os.lstat(name, dir_fd=descriptor)
                if not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
                    continue
                path = name if within == "." else f"{within}/{name}".replace(os.sep, "/")
                changed = datetime.fromtimestamp(status.st_mtime, UTC)
                is_folder = stat.S_ISDIR(status.st_mode)
                found.append(FolderEntry(path, is_folder, 0 if is_folder else status.st_size, changed))
                if len(found) >= most:
                    return

    def give_to(self, user: int) -> None:
        """As root: everything in the folder belongs to this user, whoever made it. Links are not followed."""
        with contextlib.suppress(OSError):  # nested so deep that files run out: the rest stays as it is
            self._give_all(user)

    def _give_all(self, user: int) -> None:
        for _folder, names, files, descriptor in os.fwalk(self.root, follow_symlinks=False):
            if os.fstat(descriptor).st_uid != user:
                os.fchown(descriptor, user, user)
            for name in (*names, *files):
                with contextlib.suppress(FileNotFoundError):
                    if os.lstat(name, dir_fd=descriptor).st_uid != user:
                        os.chown(name, user, user, dir_fd=descriptor, follow_symlinks=False)

    def _give(self, file: int) -> None:
        """As root: a new file belongs to whom the folder belongs."""
        owner = self.root.stat()
        if os.geteuid() == 0 and owner.st_uid != 0:
            os.fchown(file, owner.st_uid, owner.st_gid)

    @contextlib.contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Generator[tuple[int, str]]:
        """The folder of a path, opened, and the path's last name."""
        steps = [step for step in path.replace("\\", "/").split("/") if step not in ("", ".")]
        bad = not steps or len(steps) > _MOST_DEPTH or path.startswith("/") or "\x00" in path or ".." in steps
        if bad or any(len(step.encode("utf-8", "replace")) > _NAME_BYTES for step in steps):
            raise PathRefused(path=path[:200])
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for step in steps[:-1]:
                try:
                    if make:
                        with contextlib.suppress(FileExistsError):
                            os.mkdir(step, 0o755, dir_fd=folder)
                    below = os.open(step, flags, dir_fd=folder)
                except OSError as error:
                    raise PathRefused(path=path) from error
                os.close(folder)
                folder = below
                if make:
                    self._give(folder)
            yield folder, steps[-1]
        finally:
            os.close(folder)
