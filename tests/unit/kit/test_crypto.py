import base64
import os

import pytest
from pydantic import SecretStr

from refdesk.kit.crypto import Cipher, SealBroken, SecretKeyInvalid, load_cipher, mask
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
