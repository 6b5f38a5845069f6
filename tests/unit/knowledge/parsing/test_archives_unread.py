"""An archive of which nothing could be read says why: its password, its depth, or several reasons."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

import pytest

from refdesk.knowledge.parsing import ParseError, ParseOptions, parse


def _crc(byte: int, crc: int) -> int:
    """One step of CRC-32 without the inversions before and after it."""
    return zlib.crc32(bytes([byte]), crc ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


def _zip_crypto(plain: bytes, password: bytes) -> bytes:
    """The old cipher of ZIP, as APPNOTE 6.1 gives it."""
    keys = [0x12345678, 0x23456789, 0x34567890]

    def mix(byte: int) -> None:
        keys[0] = _crc(byte, keys[0])
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = _crc(keys[1] >> 24, keys[2])

    for byte in password:
        mix(byte)
    out = bytearray()
    for byte in plain:
        key = keys[2] | 2
        out.append(byte ^ ((key * (key ^ 1)) >> 8 & 0xFF))
        mix(byte)
    return bytes(out)


def _sealed(members: Mapping[str, bytes], password: str) -> bytes:
    """An archive of stored members under the old cipher."""
    local, central = b"", b""
    for name, content in members.items():
        crc = zlib.crc32(content)
        body = _zip_crypto(bytes(11) + bytes([crc >> 24]) + content, password.encode())
        head = struct.pack("<HHHHHIIIHH", 20, 1, 0, 0, 33, crc, len(body), len(content), len(name), 0)
        central += b"PK\x01\x02" + struct.pack("<H", 20) + head
        central += struct.pack("<HHHII", 0, 0, 0, 0, len(local)) + name.encode()
        local += b"PK\x03\x04" + head + name.encode() + body
    count = len(members)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(central), len(local), 0)
    return local + central + end


def _zip(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _failure(data: bytes, **options: object) -> ParseError:
    with pytest.raises(ParseError) as failed:
        parse(data, "a.zip", ParseOptions(**options))  # type: ignore[arg-type]
    return failed.value


def test_old_cipher_tells_a_missing_password_from_a_wrong_one() -> None:
    data = _sealed({"a.txt": b"sealed words", "b.txt": b"more of them"}, "right")
    assert parse(data, "a.zip", ParseOptions(password="right")).blocks[1].text == "sealed words"
    assert _failure(data).code == "password-required"
    assert _failure(data, password="wrong").code == "password-wrong"


def test_wrong_password_that_passes_the_one_byte_of_the_check_is_wrong_all_the_same() -> None:
    data = _sealed({"a.txt": b"sealed words, quite some of them"}, "right")
    codes = {_failure(data, password=f"wrong{n}").code for n in range(600)}
    assert codes == {"password-wrong"}


def test_one_reason_of_all_members_is_the_archives_own() -> None:
    assert _failure(_zip({"a.pdf": b"%PDF-1.7 broken", "b.pdf": b"%PDF-1.4 bad"})).code == "corrupt-file"
    assert _failure(_zip({"a.exe": b"\x7fELF" + bytes(99)})).code == "unsupported-kind"
    assert _failure(_zip({})).code == "empty-file"


def test_reasons_of_several_kinds_are_said_to_be_so_and_the_commonest_is_counted() -> None:
    members = {"a.pdf": b"%PDF-1.7 broken", "b.pdf": b"%PDF-1.4 bad", "c.exe": b"\x7fELF" + bytes(99)}
    error = _failure(_zip(members))
    assert error.code == "no-member-read"
    assert "for different reasons" in error.text
    assert "2 of 3 files" in error.text
    assert "(corrupt-file)" in error.text
    assert error.details["reasons"] == {"corrupt-file": 2, "unsupported-kind": 1}


def test_sealed_archives_in_an_archive_ask_for_the_password_beside_other_faults() -> None:
    members = {
        "in.zip": _sealed({"a.txt": b"sealed"}, "right"),
        "b.pdf": b"%PDF-1.7 x",
        "c.pdf": b"%PDF-1.7 y",
    }
    error = _failure(_zip(members))
    assert error.code == "password-required"
    assert "2 of 3 files" in error.text
    assert _failure(_zip(members), password="wrong").code == "password-wrong"
