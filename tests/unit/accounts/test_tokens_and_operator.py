"""Secrets: their shape, what is stored of them, and the operator's file."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from refdesk.accounts.tokens import csrf_matches, csrf_token, new_api_key, new_token, token_hash
from refdesk.kit.operator_key import is_operator, load_operator_key, read_operator_key


def test_tokens_hold_32_random_bytes() -> None:
    assert {len(new_token()) for _ in range(50)} == {43}
    assert len({new_token() for _ in range(50)}) == 50
    assert len(new_api_key()) == 46
    assert new_api_key().startswith("rd-")


def test_only_the_hash_of_a_token_tells_it_again() -> None:
    token = new_token()
    assert token_hash(token) == token_hash(token)
    assert token.encode() not in token_hash(token)
    assert len(token_hash("\udce9 from a header")) == 32


def test_a_csrf_token_belongs_to_one_session() -> None:
    first, second = new_token(), new_token()
    assert csrf_matches(first, csrf_token(first))
    assert not csrf_matches(first, csrf_token(second))
    assert not csrf_matches(first, None)
    assert not csrf_matches(first, "é")
    assert csrf_token(first) != first


def test_the_operators_key_is_for_its_owner_only_and_stays(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert read_operator_key(folder) is None
    key = load_operator_key(folder)
    assert key.startswith("op-")
    assert len(key) == 46
    assert stat.S_IMODE((folder / "operator.key").stat().st_mode) == 0o600
    assert load_operator_key(folder) == key
    assert [path.name for path in folder.iterdir()] == ["operator.key"]


def test_processes_that_start_at_once_agree_on_the_operators_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: load_operator_key(tmp_path), range(16)))
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), (None, True), ("10.0.0.5", False), ("localhost.evil", False)],
)
def test_the_operators_key_counts_on_this_machine_only(
    tmp_path: Path, host: str | None, expected: bool
) -> None:
    key = load_operator_key(tmp_path)
    assert is_operator(tmp_path, key, host) is expected
    assert not is_operator(tmp_path, key + "x", host)
    assert not is_operator(tmp_path / "other", key, host)
