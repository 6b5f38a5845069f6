"""What every room's routes share: the request's unit of work and the shape of a list."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.kit.border_types import PlainLine
from refdesk.kit.database import Database


def get_database(request: Request) -> Database:
    """The database of the running application."""
    database: Database = request.app.state.database
    return database


async def _transaction(database: Annotated[Database, Depends(get_database)]) -> AsyncIterator[AsyncSession]:
    async with database.transaction() as session:
        yield session


DatabaseDep = Annotated[Database, Depends(get_database)]

# `scope="function"`: the transaction is committed after the operation returns and before its answer is
# sent, so whoever has the answer can read what it says.
Tx = Annotated[AsyncSession, Depends(_transaction, scope="function")]


class Page[T](BaseModel):
    """One page of a list. `next_cursor` is null on the last page; `total` counts the whole list."""

    items: Sequence[T]
    next_cursor: str | None = None
    total: int


class PageQuery(BaseModel):
    """Query parameters of a list."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: PlainLine | None = Field(default=None, max_length=200)
