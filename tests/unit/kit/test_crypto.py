import base64
import os

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import SecretStr

from refdesk.kit.crypto import Cipher, SealBroken, SecretKeyInvalid, key_id, mask
from refdesk.kit.master_keys import (
    KeyFile,
    SecretKeyCommandFailed,
    key_file_of,
    load_cipher,
    origin_of,
)
from refdesk.kit.settings import Settings


def test_what_was_sealed_opens_with_the_same_key_and_context():
    cipher = Cipher(os.urandom(32))
    sealed = cipher.seal("sk-秘密", context=b"row")
    assert "sk-秘密".encode() not in sealed
    assert cipher.open(sealed, context=b"row") == "sk-秘密"


@pytest.mark.parametrize("broken", ["other key", "other context", "flipped bit", "cut short"])
def test_a_seal_does_not_open_when_anything_differs(broken: str):
    cipher = Cipher(os.urandom(32))
    sealed = cipher.seal("sk-1234567890", context=b"row")
    context = b"row"
    if broken == "other key":
        cipher = Cipher(os.urandom(32))
    elif broken == "other context":
        context = b"other row"
    elif broken == "flipped bit":
        sealed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    else:
        sealed = sealed[:40]
    with pytest.raises(SealBroken):
        cipher.open(sealed, context=context)


def test_the_key_file_is_private_and_stays_the_same(tmp_path):
    settings = Settings(data_dir=tmp_path)
    sealed = load_cipher(settings).seal("x")
    assert load_cipher(settings).open(sealed) == "x"
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_a_key_of_the_wrong_length_is_refused():
    with pytest.raises(SecretKeyInvalid):
        load_cipher(Settings(secret_key=SecretStr(base64.b64encode(b"short").decode())))


def test_masks_show_three_characters_at_each_end_of_long_secrets_only():
    assert mask("1234567890") == "123******890"
    assert mask("short") == "******"


def test_a_former_key_opens_what_it_sealed_and_the_present_one_seals():
    old, new = os.urandom(32), os.urandom(32)
    sealed = Cipher(old).seal("sk-1", context=b"row")
    both = Cipher(lambda: (new, old))
    assert both.open(sealed, context=b"row") == "sk-1"
    assert both.sealed_with(sealed) == key_id(old)
    assert both.sealed_with(both.seal("sk-2")) == key_id(new)


def test_rewrapping_needs_no_context_and_leaves_the_former_key_behind():
    old, new = os.urandom(32), os.urandom(32)
    renewed = Cipher(lambda: (new, old)).rewrap(Cipher(old).seal("sk-1", context=b"row"))
    assert Cipher(new).open(renewed, context=b"row") == "sk-1"
    with pytest.raises(SealBroken):
        Cipher(old).open(renewed, context=b"row")


def test_seals_from_before_keys_had_ids_still_open():
    key = bytes(range(32))
    data_key, nonce = os.urandom(32), os.urandom(12)
    wrapped = AESGCM(key).encrypt(nonce, data_key, b"\x01")
    sealed = b"\x01" + nonce + wrapped + nonce + AESGCM(data_key).encrypt(nonce, b"sk-1", b"row")
    cipher = Cipher(lambda: (os.urandom(32), key))
    assert cipher.open(sealed, context=b"row") == "sk-1"
    assert cipher.sealed_with(sealed) is None
    assert cipher.sealed_with(cipher.rewrap(sealed)) is not None


def test_a_cipher_follows_its_key_file(tmp_path):
    settings = Settings(data_dir=tmp_path)
    cipher, other = load_cipher(settings), load_cipher(settings)
    sealed = cipher.seal("x")
    file = KeyFile(key_file_of(settings))
    file.add()
    assert cipher.key_ids == other.key_ids
    assert len(cipher.key_ids) == 2
    assert other.open(sealed) == "x"
    assert other.sealed_with(sealed) == other.key_ids[1]
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600
    file.forget_former()
    assert len(cipher.key_ids) == 1
    with pytest.raises(SealBroken):
        other.open(sealed)


def test_keys_can_come_from_a_command_and_from_the_environment(tmp_path):
    first, second = (base64.b64encode(os.urandom(32)).decode() for _ in range(2))
    old = load_cipher(Settings(data_dir=tmp_path, secret_key=SecretStr(first)))
    sealed = old.seal("x")
    new = Settings(data_dir=tmp_path, secret_key_command=f"echo {second}; echo {first}")
    assert origin_of(new) == "command"
    assert load_cipher(new).open(sealed) == "x"
    named = Settings(data_dir=tmp_path, secret_key=SecretStr(second), former_secret_keys=SecretStr(first))
    assert load_cipher(named).open(sealed) == "x"
    assert load_cipher(named).key_ids == load_cipher(new).key_ids
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "found"), [("exit 3", {"exit_code": 3}), ("true", {"said": "nothing"}), ("echo x", None)]
)
def test_a_command_without_a_key_is_told(tmp_path, command: str, found: dict[str, object] | None):
    settings = Settings(data_dir=tmp_path, secret_key_command=command)
    if found is None:
        with pytest.raises(SecretKeyInvalid):
            load_cipher(settings)
        return
    with pytest.raises(SecretKeyCommandFailed) as caught:
        load_cipher(settings)
    assert found.items() <= caught.value.details.items()


@pytest.mark.parametrize("content", ["", "not base64!", base64.b64encode(b"short").decode(), "钥匙"])
def test_a_damaged_key_file_is_told(tmp_path, content: str):
    (tmp_path / "secret.key").write_text(content)
    with pytest.raises(SecretKeyInvalid, match=r"secret\.key"):
        load_cipher(Settings(data_dir=tmp_path))
