"""Slowing down whoever guesses passwords, counted in the database and so shared by all processes.

An attempt is charged before the password is checked and given back after a success: a thousand attempts
sent at once are a thousand charges, not one.
"""

import hashlib
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.directory import ThrottleStore
from refdesk.accounts.errors import SignInThrottled

WINDOW = timedelta(minutes=15)
FREE_PER_ACCOUNT = 5
FREE_PER_ADDRESS = 30
FIRST_BLOCK = timedelta(seconds=15)
LONGEST_BLOCK = timedelta(minutes=15)


def account_subject(email: str) -> str:
    """The subject of an account. Hashed: the table would otherwise list every address ever tried."""
    return "account:" + hashlib.sha256(email.lower().encode()).hexdigest()


def address_subject(host: str | None) -> str:
    return f"address:{host or 'local'}"[:400]


def block_after(attempts: int, free: int) -> timedelta | None:
    """How long a subject is blocked after its `attempts`-th failure in the window: 15 s, doubling."""
    if attempts < free:
        return None
    return min(FIRST_BLOCK * 2 ** min(attempts - free, 10), LONGEST_BLOCK)


async def charge(session: AsyncSession, account: str, address: str, at: datetime) -> None:
    """Count an attempt. Raises `SignInThrottled` while the account or the address is blocked.

    A refused attempt is not counted (its transaction is rolled back). Always in this order, so that two
    attempts never wait for each other's rows.
    """
    store = ThrottleStore(session)
    for subject, free in ((account, FREE_PER_ACCOUNT), (address, FREE_PER_ADDRESS)):
        attempts, blocked_until = await store.charge(subject, at, WINDOW)
        if blocked_until is not None and blocked_until > at:
            raise SignInThrottled(retry_after_s=max(1, round((blocked_until - at).total_seconds())))
        block = block_after(attempts, free)
        if block is not None:
            await store.block(subject, at + block)


async def forgive(session: AsyncSession, account: str, address: str) -> None:
    """After a success: the account starts afresh, the address gets this attempt back."""
    store = ThrottleStore(session)
    await store.forget(account)
    await store.refund(address)
