"""The asynchronous door: questions first, the loop free, nothing lost."""

import asyncio
import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest

from refdesk.gateway.embedded import AsyncEmbeddedEmbedder
from refdesk.gateway.embedded.engine import Vectors


class ScriptedEmbedder:
    """Notes what it was given; a vector is (length of the text, 1). Runs only while `gate` is open."""

    dimensions = 2

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.threads: set[str] = set()
        self.gate = threading.Event()
        self.gate.set()
        self.started = threading.Event()

    def _run(self, texts: Sequence[str]) -> Vectors:
        self.started.set()
        assert self.gate.wait(10)
        self.calls.append(list(texts))
        self.threads.add(threading.current_thread().name)
        if "broken" in texts:
            raise ValueError("broken")
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    def embed_queries(self, texts: Sequence[str], /) -> Vectors:
        return self._run(texts)

    def embed_passages(self, texts: Sequence[str], /) -> Vectors:
        return self._run(texts)


async def started(scripted: ScriptedEmbedder) -> None:
    assert await asyncio.to_thread(scripted.started.wait, 10)


async def test_vectors_come_back_in_the_order_of_the_texts() -> None:
    scripted = ScriptedEmbedder()
    lane = AsyncEmbeddedEmbedder(scripted)
    texts = ["x" * length for length in (3000, 5, 900, 1, 2500, 40, 0)]
    vectors = await lane.embed_passages(texts)
    assert vectors[:, 0].tolist() == [len(text) for text in texts]
    assert len(scripted.calls) > 1, "a batch is fed in slices"
    assert len(scripted.threads) == 1
    await lane.aclose()


async def test_question_overtakes_the_rest_of_a_running_batch() -> None:
    scripted = ScriptedEmbedder()
    lane = AsyncEmbeddedEmbedder(scripted)
    scripted.gate.clear()
    batch = asyncio.create_task(lane.embed_passages(["p" * 2000] * 6))
    await started(scripted)
    question = asyncio.create_task(lane.embed_queries(["q"]))
    await asyncio.sleep(0.01)
    scripted.gate.set()
    await question
    await batch
    assert [texts[0][0] for texts in scripted.calls] == ["p", "q", "p", "p", "p", "p", "p"]
    await lane.aclose()


async def test_event_loop_runs_while_the_model_works() -> None:
    scripted = ScriptedEmbedder()
    lane = AsyncEmbeddedEmbedder(scripted)
    scripted.gate.clear()
    waiting = asyncio.create_task(lane.embed_passages(["p"]))
    await started(scripted)
    begun = time.perf_counter()
    for _ in range(20):
        await asyncio.sleep(0)
    assert time.perf_counter() - begun < 1.0
    assert not waiting.done()
    scripted.gate.set()
    await waiting
    await lane.aclose()


async def test_failure_reaches_its_caller_only() -> None:
    scripted = ScriptedEmbedder()
    lane = AsyncEmbeddedEmbedder(scripted)
    with pytest.raises(ValueError, match="broken"):
        await lane.embed_passages(["broken", *["p" * 2000] * 3])
    assert (await lane.embed_queries(["fine"]))[0, 0] == 4
    await lane.aclose()


async def test_slices_of_a_cancelled_call_are_not_run() -> None:
    scripted = ScriptedEmbedder()
    lane = AsyncEmbeddedEmbedder(scripted)
    scripted.gate.clear()
    batch = asyncio.create_task(lane.embed_passages(["p" * 2000] * 6))
    await started(scripted)
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    scripted.gate.set()
    await lane.embed_queries(["q"])
    assert [texts[0][0] for texts in scripted.calls] == ["p", "q"]
    await lane.aclose()


async def test_closing_ends_the_thread_and_refuses_new_work() -> None:
    scripted = ScriptedEmbedder()
    lane = AsyncEmbeddedEmbedder(scripted)
    await lane.embed_queries(["q"])
    assert any(thread.name == "embedding" for thread in threading.enumerate())
    await lane.aclose()
    await lane.aclose()
    assert not any(thread.name in scripted.threads for thread in threading.enumerate())
    with pytest.raises(RuntimeError):
        await lane.embed_queries(["q"])


async def test_no_texts_start_nothing() -> None:
    scripted = ScriptedEmbedder()
    lane = AsyncEmbeddedEmbedder(scripted)
    assert (await lane.embed_passages([])).shape == (0, 2)
    await lane.aclose()
    assert scripted.calls == []
