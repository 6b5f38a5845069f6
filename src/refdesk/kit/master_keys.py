"""Where the master keys come from: the environment, a command (a key service, a vault), or a key file.

The key file is in the data folder, one key a line in base64, the newest first. Processes look at it each time
they seal or open something, so that all of them follow a change at once.
"""

import base64
import contextlib
import fcntl
import os
import secrets
import subprocess
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Literal

from refdesk.kit.crypto import KEY_BYTES, Cipher, KeySource, SecretKeyInvalid
from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings

KeyOrigin = Literal["environment", "command", "file"]

_COMMAND_PATIENCE_S = 30.0


class SecretKeyCommandFailed(AppError):
    """The command of REFDESK_SECRET_KEY_COMMAND gave no key."""

    code = "secret-key-command-failed"
    message = "The command that gives the secret key failed."
    hint = "Run the command of REFDESK_SECRET_KEY_COMMAND by hand; it must print the key in base64."


def origin_of(settings: Settings) -> KeyOrigin:
    """Where this installation has its master keys from."""
    if settings.secret_key is not None:
        return "environment"
    return "command" if settings.secret_key_command else "file"


def load_cipher(settings: Settings) -> Cipher:
    """The cipher of this installation; the key file is made (mode 0600) where there is none.

    Raises `SecretKeyInvalid`, `SecretKeyCommandFailed`.
    """
    return Cipher(_source(settings))


def _source(settings: Settings) -> KeySource:
    former = settings.former_secret_keys.get_secret_value() if settings.former_secret_keys else ""
    older = [_decoded(one) for one in former.split(",") if one.strip()]
    if settings.secret_key is not None:
        keys = (_decoded(settings.secret_key.get_secret_value()), *older)
        return lambda: keys
    if settings.secret_key_command:
        keys = (*_by_command(settings.secret_key_command), *older)
        return lambda: keys
    file = KeyFile(key_file_of(settings))
    file.ensure()
    return lambda: (*file.keys(), *older)


def key_file_of(settings: Settings) -> Path:
    return settings.data_dir / "secret.key"


def _decoded(text: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except ValueError as error:
        raise SecretKeyInvalid from error
    if len(key) != KEY_BYTES:
        raise SecretKeyInvalid
    return key


def _by_command(command: str) -> list[bytes]:
    """The keys a command prints, a line each. It is run by the shell, as the administrator wrote it."""
    try:
        done = subprocess.run(
            command, shell=True, capture_output=True, text=True, timeout=_COMMAND_PATIENCE_S, check=True
        )
    except subprocess.TimeoutExpired as error:
        raise SecretKeyCommandFailed(timeout_s=_COMMAND_PATIENCE_S) from error
    except subprocess.CalledProcessError as error:
        raise SecretKeyCommandFailed(exit_code=error.returncode, said=error.stderr.strip()[-500:]) from error
    keys = [_decoded(line) for line in done.stdout.splitlines() if line.strip()]
    if not keys:
        raise SecretKeyCommandFailed(said="nothing")
    return keys


class KeyFile:
    """The file of master keys, the newest first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_at: tuple[int, int] | None = None
        self._keys: tuple[bytes, ...] = ()

    def ensure(self) -> None:
        """Make the file with a first key where there is none; processes that start at once agree on one."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if not self._path.exists():
            with self._written([os.urandom(KEY_BYTES)]) as temporary, contextlib.suppress(FileExistsError):
                os.link(temporary, self._path)

    def keys(self) -> Sequence[bytes]:
        """The keys as the file has them now."""
        status = self._path.stat()
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp != self._read_at:
            try:
                lines = self._path.read_text("ascii").split()
                self._keys = tuple(_decoded(line) for line in lines)
            except (SecretKeyInvalid, UnicodeDecodeError) as error:
                raise SecretKeyInvalid(f"The key file {self._path} is damaged.") from error
            if not self._keys:
                raise SecretKeyInvalid(f"The key file {self._path} is empty.")
            self._read_at = stamp
        return self._keys

    def add(self) -> None:
        """Put a new key before the present ones."""
        with self._alone():
            self._replace([os.urandom(KEY_BYTES), *self.keys()])

    def forget_former(self) -> None:
        """Keep the first key alone."""
        with self._alone():
            self._replace(self.keys()[:1])

    def _replace(self, keys: Sequence[bytes]) -> None:
        with self._written(keys) as temporary:
            temporary.replace(self._path)

    @contextlib.contextmanager
    def _written(self, keys: Sequence[bytes]) -> Generator[Path]:
        # Written aside and put into place whole, so that no reader sees half of it.
        temporary = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(b"\n".join(base64.b64encode(key) for key in keys) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _alone(self) -> Generator[None]:
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
