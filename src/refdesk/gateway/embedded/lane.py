"""The asynchronous door to the embedded model: one thread, questions before passages.

Owns the order in which work reaches the model. The event loop is never blocked, and a question waits for
at most one slice of a running batch of passages, not for the whole batch. It must not know how the model
works.
"""

import asyncio
import contextlib
import itertools
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Final, Protocol

import numpy as np

from refdesk.gateway.embedded.engine import BATCH_TOKENS, Vectors

_QUESTION, _PASSAGE, _STOP = 0, 1, 2
_SLICE_CHARS: Final = 2 * BATCH_TOKENS
"""A slice of passages: about one run of the model (Chinese has 1.5, English 4 characters a token)."""

type _Work = Callable[[], Vectors]
type _Item = tuple[int, int, _Work | None, Future[Vectors]]


class Embedder(Protocol):
    """What the lane runs; `EmbeddedEmbedder` is one."""

    dimensions: int

    def embed_queries(self, texts: Sequence[str], /) -> Vectors: ...

    def embed_passages(self, texts: Sequence[str], /) -> Vectors: ...


class AsyncEmbeddedEmbedder:
    """Runs an embedder in a thread of its own. The thread starts with the first call; `aclose` ends it.

    Cancelling a call drops its slices that have not begun. Usable from several event loops.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._items: queue.PriorityQueue[_Item] = queue.PriorityQueue()
        self._number = itertools.count()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions, float32 [n, dimensions]; overtakes waiting passages."""
        return await self._run(_QUESTION, self._embedder.embed_queries, texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, float32 [n, dimensions]."""
        return await self._run(_PASSAGE, self._embedder.embed_passages, texts)

    async def aclose(self) -> None:
        """Ends the thread after the slice it is in; calls still waiting are cancelled."""
        with self._lock:
            self._closed = True
            thread, self._thread = self._thread, None
        with contextlib.suppress(queue.Empty):
            while True:
                self._items.get_nowait()[3].cancel()
        if thread is not None:
            self._items.put((_STOP, next(self._number), None, Future()))
            await asyncio.to_thread(thread.join)

    async def _run(
        self, priority: int, embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]
    ) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        parts = [[order[at] for at in part] for part in _slices([len(texts[index]) for index in order])]
        futures = [self._submit(priority, embed, [texts[index] for index in part]) for part in parts]
        try:
            results = await asyncio.gather(*(asyncio.wrap_future(future) for future in futures))
        except BaseException:  # one slice failed or the caller left: the others are of no use
            for future in futures:
                future.cancel()
            raise
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for part, result in zip(parts, results, strict=True):
            vectors[part] = result
        return vectors

    def _submit(
        self, priority: int, embed: Callable[[Sequence[str]], Vectors], texts: list[str]
    ) -> Future[Vectors]:
        future: Future[Vectors] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("the embedder is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="embedding", daemon=True)
                self._thread.start()
            self._items.put((priority, next(self._number), lambda: embed(texts), future))
        return future

    def _work(self) -> None:
        while True:
            _, _, work, future = self._items.get()
            if work is None:
                return
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - handed to the caller, who awaits the future
                future.set_exception(error)


def _slices(lengths: Sequence[int]) -> Iterator[range]:
    """Consecutive ranges whose characters stay within a slice; a longer text is a slice of its own."""
    start, size = 0, 0
    for at, length in enumerate(lengths):
        if at > start and size + length > _SLICE_CHARS:
            yield range(start, at)
            start, size = at, 0
        size += length
    yield range(start, len(lengths))
