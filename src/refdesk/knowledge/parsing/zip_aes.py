"""Members of ZIP archives that are encrypted with AES, as WinZip and 7-Zip do it (the AE-1 and AE-2 formats).

The standard library knows only the old cipher of ZIP. Keys come from PBKDF2 with 1,000 rounds of HMAC-SHA1,
the stream from AES in counter mode with a counter that is little-endian and begins at 1; the last ten bytes
are an HMAC-SHA1 of what was encrypted. See WinZip's "AES Encryption Information: AE-1 and AE-2".
"""

import hashlib
import hmac
import struct
import zipfile
import zlib

from refdesk.knowledge.parsing.errors import CorruptFile, PasswordRequired, PasswordWrong, UnpackedTooLarge

METHOD = 99
_FIELD = 0x9901
_KEY_BYTES = {1: 16, 2: 24, 3: 32}
_CHUNK = 1 << 16


def read_aes_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int, password: str | None
) -> bytes:
    """Bytes of an encrypted member, never more than `left`. Raises a `ParseError`."""
    if not password:
        raise PasswordRequired("The file in the archive is protected by a password.")
    strength, method = _described(info)
    sealed = _sealed(archive, info)
    size = _KEY_BYTES.get(strength)
    if size is None or len(sealed) < size // 2 + 12:
        raise CorruptFile(reason="the encryption of a member is unknown")
    salt, check = sealed[: size // 2], sealed[size // 2 : size // 2 + 2]
    body, seal = sealed[size // 2 + 2 : -10], sealed[-10:]
    keys = hashlib.pbkdf2_hmac("sha1", password.encode(), salt, 1000, 2 * size + 2)
    if keys[-2:] != check:
        raise PasswordWrong("The password does not open the file in the archive.")
    if not hmac.compare_digest(hmac.new(keys[size : 2 * size], body, "sha1").digest()[:10], seal):
        raise CorruptFile(reason="an encrypted member was changed")
    plain = _decrypted(body, keys[:size])
    if method == zipfile.ZIP_STORED:
        content = plain
    elif method == zipfile.ZIP_DEFLATED:
        try:
            content = zlib.decompressobj(-15).decompress(plain, left + 1)
        except zlib.error as error:
            raise CorruptFile(reason=str(error)) from error
    else:
        raise CorruptFile(reason=f"compression method {method} of an encrypted member")
    if len(content) > left:
        raise UnpackedTooLarge
    return content


def _described(info: zipfile.ZipInfo) -> tuple[int, int]:
    """Strength and real compression method, from the extra field."""
    extra, at = info.extra, 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == _FIELD and size >= 7 and at + 11 <= len(extra):
            strength, method = struct.unpack_from("<BH", extra, at + 8)
            return strength, method
        at += 4 + size
    raise CorruptFile(reason="an encrypted member does not say how")


def _sealed(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    stream = archive.fp
    if stream is None:
        raise CorruptFile(reason="the archive is closed")
    stream.seek(info.header_offset)
    head = stream.read(30)
    if len(head) < 30 or head[:4] != b"PK\x03\x04":
        raise CorruptFile(reason="a member is not where the directory says")
    name_size, extra_size = struct.unpack_from("<HH", head, 26)
    stream.seek(name_size + extra_size, 1)
    return stream.read(info.compress_size)


def _decrypted(body: bytes, key: bytes) -> bytes:
    # Loaded here: hardly an archive is encrypted.
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    # The library counts big-endian only, so the stream is made of encrypted counters.
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    out = bytearray()
    for at in range(0, len(body), _CHUNK):
        part = body[at : at + _CHUNK]
        first = at // 16 + 1
        counters = b"".join(n.to_bytes(16, "little") for n in range(first, first + (len(part) + 15) // 16))
        stream = cipher.update(counters)[: len(part)]
        mixed = int.from_bytes(part, "little") ^ int.from_bytes(stream, "little")
        out += mixed.to_bytes(len(part), "little")
    return bytes(out)
