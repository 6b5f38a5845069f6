"""Tasks that belong to the process and not to the call that happened to start them."""

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any


def background[T](work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
    """A task whose log lines name no request and no model: it outlives the call that needed it first, and a
    line of its work under that call's ids would lead whoever looks for them astray."""
    return asyncio.get_running_loop().create_task(work, name=name, context=Context())
