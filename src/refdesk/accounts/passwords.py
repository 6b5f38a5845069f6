"""Passwords: argon2id (RFC 9106), hashed and checked outside the event loop, a few at a time."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from refdesk.accounts.errors import PasswordUnsuitable

MIN_LENGTH = 10
MAX_LENGTH = 200

# Each check takes 64 MiB with the library's (RFC 9106's second) parameters: two at once are enough for
# people and bound what a flood of sign-ins can take.
_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="argon2")


class Passwords:
    """Hashing with one set of parameters. Checking an unknown account costs the same as a known one."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._decoy = self._hasher.hash("no account has this password")

    async def hash(self, password: str) -> str:
        return await asyncio.get_running_loop().run_in_executor(_threads, self._hasher.hash, password)

    async def verify(self, stored: str | None, password: str) -> bool:
        """Whether `password` belongs to the hash; without a hash the same work for a sure no."""
        return await asyncio.get_running_loop().run_in_executor(_threads, self._verify, stored, password)

    def needs_rehash(self, stored: str) -> bool:
        """Whether the hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(stored)

    def _verify(self, stored: str | None, password: str) -> bool:
        try:
            matches = self._hasher.verify(stored or self._decoy, password)
        except (VerificationError, InvalidHashError):
            return False
        return matches and stored is not None


def check_suitable(password: str, email: str) -> None:
    """Raise `PasswordUnsuitable` for a password that is short, the address itself or one repeated character.

    NIST SP 800-63B: length matters, composition rules do not.
    """
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise PasswordUnsuitable(min_length=MIN_LENGTH, max_length=MAX_LENGTH)
    if password.lower() in (email.lower(), email.lower().split("@")[0]) or len(set(password)) < 4:
        raise PasswordUnsuitable(min_length=MIN_LENGTH, max_length=MAX_LENGTH)


_current: list[Passwords] = []


def get_passwords() -> Passwords:
    """The process's password hashing, made at first use (its decoy costs one hash)."""
    if not _current:
        _current.append(Passwords())
    return _current[0]


def use_passwords(passwords: Passwords) -> None:
    """Replace the process's password hashing; tests use cheap parameters."""
    _current[:] = [passwords]
