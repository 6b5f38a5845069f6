"""Sealing stored credentials.

Envelope encryption: each value has its own random data key (AES-256-GCM), which is wrapped by a master key.
Master keys never lie in the database (see `kit.master_keys`), so that a stolen dump alone opens nothing. A
seal names the master key it was made with; to change keys, only the wrapping of the data keys is renewed.
"""

import hashlib
import os
from collections.abc import Callable, Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from refdesk.kit.errors import AppError

KEY_BYTES = 32
_NONCE_BYTES = 12
_WRAPPED_BYTES = KEY_BYTES + 16
_ID_BYTES = 4
_FIRST_VERSION, _VERSION = b"\x01", b"\x02"

type KeySource = Callable[[], Sequence[bytes]]
"""The master keys as they are now: the first seals, the others only open what was sealed before."""


class SecretKeyInvalid(AppError):
    """A master key is not 32 bytes of base64."""

    code = "secret-key-invalid"
    message = "REFDESK_SECRET_KEY must be 32 bytes in base64."
    hint = "Make one with: python -c 'import os,base64;print(base64.b64encode(os.urandom(32)).decode())'"


class SealBroken(AppError):
    """A stored credential cannot be opened: it was sealed with a master key that is not there."""

    code = "seal-broken"
    message = "A stored credential cannot be opened with the present secret keys."
    hint = "Restore the former secret key, or enter the credential again."


def key_id(master_key: bytes) -> str:
    """What a key is called where it must not be shown: eight hexadecimal digits of its hash."""
    return _id_of(master_key).hex()


def _id_of(master_key: bytes) -> bytes:
    if len(master_key) != KEY_BYTES:
        raise SecretKeyInvalid
    return hashlib.sha256(b"refdesk-key-id" + master_key).digest()[:_ID_BYTES]


class Cipher:
    """Seals and opens small secrets. `keys` are 32 bytes each, or where they are asked from at each use."""

    def __init__(self, keys: bytes | KeySource) -> None:
        self._source: KeySource = (lambda: (keys,)) if isinstance(keys, bytes) else keys
        self._keys()

    def seal(self, secret: str, *, context: bytes = b"") -> bytes:
        """Encrypt; `context` (such as a row's id) must be given again to open it."""
        data_key, nonce = AESGCM.generate_key(bit_length=256), os.urandom(_NONCE_BYTES)
        body = AESGCM(data_key).encrypt(nonce, secret.encode(), context)
        return self._wrapped(data_key) + nonce + body

    def open(self, sealed: bytes, *, context: bytes = b"") -> str:
        """Decrypt what `seal` made. Raises `SealBroken` for another key, another context or damage."""
        try:
            data_key, rest = self._unwrapped(sealed)
            nonce, body = rest[:_NONCE_BYTES], rest[_NONCE_BYTES:]
            return AESGCM(data_key).decrypt(nonce, body, context).decode()
        except (InvalidTag, ValueError) as error:
            raise SealBroken from error

    def rewrap(self, sealed: bytes) -> bytes:
        """The same secret under the key that seals now. Raises `SealBroken`."""
        try:
            data_key, rest = self._unwrapped(sealed)
        except (InvalidTag, ValueError) as error:
            raise SealBroken from error
        return self._wrapped(data_key) + rest

    def sealed_with(self, sealed: bytes) -> str | None:
        """The id of the key that a secret is sealed with; None of a seal from before keys had ids."""
        return sealed[1 : 1 + _ID_BYTES].hex() if sealed[:1] == _VERSION else None

    @property
    def key_ids(self) -> list[str]:
        """The ids of the keys, that of the one that seals first."""
        return [identity.hex() for identity in self._keys()]

    def _keys(self) -> dict[bytes, bytes]:
        return {_id_of(key): key for key in self._source()}

    def _wrapped(self, data_key: bytes) -> bytes:
        identity, master = next(iter(self._keys().items()))
        header, nonce = _VERSION + identity, os.urandom(_NONCE_BYTES)
        return header + nonce + AESGCM(master).encrypt(nonce, data_key, header)

    def _unwrapped(self, sealed: bytes) -> tuple[bytes, bytes]:
        """The data key, and what it encrypted."""
        keys = self._keys()
        start = 1 + _ID_BYTES if sealed[:1] == _VERSION else 1
        header, wrapped_at = sealed[:start], start + _NONCE_BYTES
        nonce, end = sealed[start:wrapped_at], wrapped_at + _WRAPPED_BYTES
        if header == _FIRST_VERSION:
            masters = list(keys.values())
        else:
            masters = [keys[header[1:]]] if header[1:] in keys else []
        for master in masters:
            try:
                return AESGCM(master).decrypt(nonce, sealed[wrapped_at:end], header), sealed[end:]
            except InvalidTag:
                continue
        raise InvalidTag


def mask(secret: str) -> str:
    """How a stored secret is shown: its first and last three characters, as in `123******890`."""
    if len(secret) < 10:
        return "******"
    return f"{secret[:3]}******{secret[-3:]}"
