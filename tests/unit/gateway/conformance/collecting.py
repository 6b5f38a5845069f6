"""What a caller of a completer gathers, by either way of asking."""

import asyncio
from collections.abc import Callable

from refdesk.gateway import Completion, CompletionBuilder, CompletionEvent, CompletionRequest
from refdesk.gateway.wires import HttpCompleter


async def events_of(completer: HttpCompleter, request: CompletionRequest) -> list[CompletionEvent]:
    return [event async for event in completer.stream(request)]


async def streamed(completer: HttpCompleter, request: CompletionRequest) -> Completion:
    builder = CompletionBuilder()
    async for event in completer.stream(request):
        builder.add(event)
    return builder.build()


async def whole(completer: HttpCompleter, request: CompletionRequest) -> Completion:
    return await completer.complete(request)


WAYS = (streamed, whole)


async def until(holds: Callable[[], bool], seconds: float = 1.0) -> None:
    """Wait for what the other side of a socket notices a little later."""
    for _ in range(round(seconds / 0.005)):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come to hold in time")
