"""All sealed values of the database, whatever room keeps them: counted by key, and wrapped anew."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Table, select, update

from refdesk.kit.crypto import Cipher, SealBroken
from refdesk.kit.database import Base, Database

_BATCH = 500

UNNAMED = "unnamed"
"""Stands for the key of a seal from before keys had ids."""


def sealed_columns() -> Iterator[tuple[Table, Column[Any]]]:
    """Every column of every table that holds what a cipher sealed."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            if column.info.get("sealed"):
                yield table, column


async def count_by_key(database: Database, cipher: Cipher) -> Counter[str]:
    """How many sealed values each key has."""
    counted: Counter[str] = Counter()
    for table, column in sealed_columns():
        (key,) = table.primary_key.columns
        last = None
        while True:
            query = select(key, column).where(column.is_not(None)).order_by(key).limit(_BATCH)
            async with database.transaction() as session:
                rows = (await session.execute(query if last is None else query.where(key > last))).all()
            if not rows:
                break
            counted.update(cipher.sealed_with(sealed) or UNNAMED for _, sealed in rows)
            last = rows[-1][0]
    return counted


async def rewrap_all(database: Database, cipher: Cipher) -> tuple[int, int]:
    """Wrap every sealed value with the present key: how many were, and how many no key there opens.

    In short transactions, each value under its row's lock, so that what is entered meanwhile is not lost.
    """
    present, wrapped, broken = cipher.key_ids[0], 0, 0
    for table, column in sealed_columns():
        (key,) = table.primary_key.columns
        last = None
        while True:
            query = select(key, column).where(column.is_not(None)).order_by(key).limit(_BATCH)
            if last is not None:
                query = query.where(key > last)
            async with database.transaction() as session:
                rows = (await session.execute(query.with_for_update())).all()
                for identity, sealed in rows:
                    if cipher.sealed_with(sealed) == present:
                        continue
                    try:
                        renewed = cipher.rewrap(sealed)
                    except SealBroken:
                        broken += 1
                        continue
                    await session.execute(update(table).where(key == identity).values({column: renewed}))
                    wrapped += 1
            if not rows:
                break
            last = rows[-1][0]
    return wrapped, broken
