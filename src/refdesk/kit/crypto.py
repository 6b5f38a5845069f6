"""Sealing stored credentials and deriving tokens.

Envelope encryption: each value has its own random data key (AES-256-GCM), which is wrapped by the master
key. The master key never lies in the database: it comes from `REFDESK_SECRET_KEY` or from a file in the
data folder, so that a stolen dump alone opens nothing.
"""

import base64
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings

KEY_BYTES = 32
NONCE_BYTES = 12
VERSION = b"\x01"


class SecretKeyInvalid(AppError):
    """The master key is not 32 bytes of base64."""

    code = "secret-key-invalid"
    message = "REFDESK_SECRET_KEY must be 32 bytes in base64."
    hint = "Make one with: python -c 'import os,base64;print(base64.b64encode(os.urandom(32)).decode())'"


class SealBroken(AppError):
    """A stored credential cannot be opened: the master key is not the one it was sealed with."""

    code = "seal-broken"
    message = "A stored credential cannot be opened with the present secret key."
    hint = "Restore the former secret key, or enter the credential again."


class Cipher:
    """Seals and opens small secrets with one master key of 32 bytes."""

    def __init__(self, master_key: bytes) -> None:
        if len(master_key) != KEY_BYTES:
            raise SecretKeyInvalid
        self._master = AESGCM(master_key)
        self._derivation_key = hashlib.sha256(b"refdesk-derive" + master_key).digest()

    def seal(self, secret: str, *, context: bytes = b"") -> bytes:
        """Encrypt; `context` (such as a row's id) must be given again to open it."""
        data_key = AESGCM.generate_key(bit_length=256)
        key_nonce, nonce = os.urandom(NONCE_BYTES), os.urandom(NONCE_BYTES)
        wrapped = self._master.encrypt(key_nonce, data_key, VERSION)
        body = AESGCM(data_key).encrypt(nonce, secret.encode(), context)
        return VERSION + key_nonce + wrapped + nonce + body

    def open(self, sealed: bytes, *, context: bytes = b"") -> str:
        """Decrypt what `seal` made. Raises `SealBroken` for another key, another context or damage."""
        wrapped_end = 1 + NONCE_BYTES + KEY_BYTES + 16
        try:
            data_key = self._master.decrypt(
                sealed[1 : 1 + NONCE_BYTES], sealed[1 + NONCE_BYTES : wrapped_end], VERSION
            )
            nonce = sealed[wrapped_end : wrapped_end + NONCE_BYTES]
            return AESGCM(data_key).decrypt(nonce, sealed[wrapped_end + NONCE_BYTES :], context).decode()
        except (InvalidTag, ValueError) as error:
            raise SealBroken from error

    def derive(self, *parts: bytes) -> bytes:
        """A 32-byte HMAC of `parts`, for tokens that need not be stored."""
        return hmac.digest(self._derivation_key, b"\x00".join(parts), "sha256")


def mask(secret: str) -> str:
    """How a stored secret is shown: its first and last three characters, as in `123******890`."""
    if len(secret) < 10:
        return "******"
    return f"{secret[:3]}******{secret[-3:]}"


def load_cipher(settings: Settings) -> Cipher:
    """The cipher of this installation; the key file is made (mode 0600) where there is none."""
    if settings.secret_key is not None:
        try:
            return Cipher(base64.b64decode(settings.secret_key.get_secret_value(), validate=True))
        except ValueError as error:
            raise SecretKeyInvalid from error
    return Cipher(_key_file(settings.data_dir / "secret.key"))


def _key_file(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        # Written aside and linked into place, so that two processes that start at once agree on one key.
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(base64.b64encode(os.urandom(KEY_BYTES)))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    try:
        return base64.b64decode(path.read_bytes(), validate=True)
    except ValueError as error:
        raise SecretKeyInvalid(f"The key file {path} is damaged.") from error
