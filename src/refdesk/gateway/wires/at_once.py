"""Several calls of one kind side by side, with the first failure as it is."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from refdesk.kit.errors import AppError


async def at_once[A, R](call: Callable[[A], Awaitable[R]], arguments: Sequence[A], limit: int) -> list[R]:
    """What `call` gives for each argument, in their order, at most `limit` running.

    The first `AppError` ends all and is raised itself, not in a group: also an address that is refused, or
    too long a reply.
    """
    slots = asyncio.Semaphore(limit)

    async def one(argument: A) -> R:
        async with slots:
            return await call(argument)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(argument)) for argument in arguments]
    except* AppError as errors:
        failure = _first(errors)
    else:
        return [task.result() for task in tasks]
    raise failure


def _first(errors: BaseExceptionGroup[AppError]) -> AppError:
    for error in errors.exceptions:
        return _first(error) if isinstance(error, BaseExceptionGroup) else error
    raise AssertionError("a group of exceptions is never empty")
