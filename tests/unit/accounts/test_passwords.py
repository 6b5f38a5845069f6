"""Hashing, what is too easy to guess, and that an unknown account costs the same."""

import time

import pytest
from argon2 import PasswordHasher

from refdesk.accounts.errors import PasswordUnsuitable
from refdesk.accounts.passwords import Passwords, check_suitable

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


async def test_a_password_matches_its_own_hash_only() -> None:
    passwords = Passwords(CHEAP)
    stored = await passwords.hash("correct horse")
    assert stored.startswith("$argon2id$")
    assert await passwords.verify(stored, "correct horse")
    assert not await passwords.verify(stored, "correct horse ")
    assert not await passwords.verify("not a hash", "correct horse")


async def test_nobody_has_the_decoys_password() -> None:
    passwords = Passwords(CHEAP)
    assert not await passwords.verify(None, "no account has this password")


async def test_an_unknown_account_costs_as_much_as_a_known_one() -> None:
    passwords = Passwords(PasswordHasher(time_cost=2, memory_cost=16_384, parallelism=1))
    stored = await passwords.hash("correct horse")

    async def cost(hash_: str | None) -> float:
        times: list[float] = []
        for _ in range(7):
            started = time.perf_counter()
            await passwords.verify(hash_, "wrong")
            times.append(time.perf_counter() - started)
        return min(times)

    known, unknown = await cost(stored), await cost(None)
    assert 0.5 < unknown / known < 2


async def test_a_hash_with_older_parameters_is_made_anew() -> None:
    stored = await Passwords(CHEAP).hash("correct horse")
    assert not Passwords(CHEAP).needs_rehash(stored)
    assert Passwords(PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)).needs_rehash(stored)


@pytest.mark.parametrize("password", ["", "short", "a" * 20, "me@example.org", "x" * 201, "Me@Example.org"])
def test_a_password_that_is_easy_to_guess_is_refused(password: str) -> None:
    with pytest.raises(PasswordUnsuitable):
        check_suitable(password, "me@example.org")


@pytest.mark.parametrize("password", ["correct horse", "密码要足够长才行，对吧", "1234567890"])
def test_length_is_what_counts(password: str) -> None:
    check_suitable(password, "me@example.org")
