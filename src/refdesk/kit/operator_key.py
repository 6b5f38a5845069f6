"""The local operator: whoever can read the data folder's `operator.key` may do everything.

The command line on the machine of the data folder sends it as `Authorization: Bearer op-…`, to the
application in its own process or to the running server over loopback. Never accepted from elsewhere.
"""

import hmac
import ipaddress
import os
import secrets
from contextlib import suppress
from pathlib import Path

OPERATOR_PREFIX = "op-"
OPERATOR_FILE = "operator.key"


def load_operator_key(data_dir: Path) -> str:
    """The key of this data folder, made (mode 0600) if there is none yet."""
    path = data_dir / OPERATOR_FILE
    if (key := read_operator_key(data_dir)) is not None:
        return key
    data_dir.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{OPERATOR_FILE}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(OPERATOR_PREFIX + secrets.token_urlsafe(32))
        # A link never replaces: of two processes that start at once, the first one's key stays.
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        temporary.unlink()
    return path.read_text().strip()


def read_operator_key(data_dir: Path) -> str | None:
    """The key of this data folder, or None if it has none."""
    try:
        key = (data_dir / OPERATOR_FILE).read_text().strip()
    except FileNotFoundError:
        return None
    return key if key.startswith(OPERATOR_PREFIX) else None


def is_operator(data_dir: Path, presented: str, client_host: str | None) -> bool:
    """Whether `presented` is this data folder's key and comes from this machine."""
    if client_host is not None and not _is_loopback(client_host):
        return False
    key = read_operator_key(data_dir)
    return key is not None and hmac.compare_digest(key.encode(), presented.encode("utf-8", "replace"))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
