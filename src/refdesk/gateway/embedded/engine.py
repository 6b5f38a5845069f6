"""Runs the embedded model: texts in, unit vectors out. Synchronous; `lane.py` is the asynchronous door.

Owns the onnxruntime session and the batching. It must not know of knowledge bases, usage or the
database. Loading is lazy (0.2 s), because commands that never embed should not pay for it.

A text's vector does not depend on what it is batched with beyond rounding (activations are quantised
per token), so batches only serve the use of several cores.
"""

import importlib
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from refdesk.gateway.embedded import conversion
from refdesk.gateway.embedded.tokenizer import Tokenizer
from refdesk.kit.settings import Settings

type Vectors = npt.NDArray[np.float32]

DIMENSIONS: Final = 384
MAX_TOKENS: Final = 512
"""Tokens the model sees of a text, prefix and both ends included; the rest is dropped."""

BATCH_TOKENS: Final = 512
"""Tokens of one run, padding included. A token costs the same in small runs and large ones (0.2 ms CPU), so
this only bounds the memory of a run and the time a question waits behind passages (0.1 s on one core)."""


class EmbeddedEmbedder:
    """multilingual-e5-small in this process. Thread-safe; loaded at first use or by `preload`."""

    dimensions: int = DIMENSIONS

    def __init__(self, models_dir: Path, *, threads: int = 0) -> None:
        self._models_dir = models_dir
        self.threads = threads or max(1, usable_cores() - 1)
        self._lock = threading.Lock()
        self._encoder: _Encoder | None = None

    @classmethod
    def from_settings(cls, settings: Settings) -> "EmbeddedEmbedder":
        """With the cache in `<data_dir>/models` and the threads of the settings."""
        return cls(settings.data_dir / "models", threads=settings.embedding_threads)

    def preload(self, *, progress: conversion.Progress | None = None) -> None:
        """Converts if need be (`progress` sees it) and opens the model.

        Raises `EmbeddedModelMissing`, `EmbeddedModelUnreadable` or `EmbeddedModelCacheUnwritable`.
        """
        with self._lock:
            if self._encoder is None:
                folder = conversion.ensure_converted(self._models_dir, progress=progress)
                self._encoder = _Encoder(folder, self.threads)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions, float32 [n, 384]. An empty text has a vector too (of no meaning)."""
        return self._embed("query: ", texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, float32 [n, 384]; only the first 512 tokens of a text count."""
        return self._embed("passage: ", texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        if not texts:
            return vectors
        encoder = self._loaded()
        tokens = [encoder.tokenizer.encode(prefix + text, limit=MAX_TOKENS) for text in texts]
        for batch in batches([len(ids) for ids in tokens]):
            vectors[batch] = encoder.run([tokens[index] for index in batch])
        return vectors

    def _loaded(self) -> "_Encoder":
        if self._encoder is None:
            self.preload()
        assert self._encoder is not None
        return self._encoder


class _Encoder:
    """The opened model of one folder."""

    def __init__(self, folder: Path, threads: int) -> None:
        # Imported here because it takes 0.15 s and 40 MB: only where something is embedded. It has no types.
        onnxruntime: Any = importlib.import_module("onnxruntime")
        self.tokenizer = Tokenizer.load(folder)
        # Plain views: indexing the memmap class itself costs several microseconds a call.
        self._words: npt.NDArray[np.uint8] = np.asarray(
            np.load(folder / conversion.WORDS_FILE, mmap_mode="r")
        )
        self._positions: Vectors = np.asarray(np.load(folder / conversion.POSITIONS_FILE, mmap_mode="r"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads must sleep: other processes share the cores.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # The arena keeps the largest run's buffers for ever and gains nothing measurable here.
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(
            folder / conversion.GRAPH_FILE, options, providers=["CPUExecutionProvider"]
        )

    def run(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        longest = max(map(len, tokens))
        ids = np.full((len(tokens), longest), self.tokenizer.special.pad, dtype=np.int32)
        mask = np.zeros((len(tokens), longest), dtype=np.int32)
        for row, piece in enumerate(tokens):
            ids[row, : len(piece)] = piece
            mask[row, : len(piece)] = 1
        embedded = unpack_rows(self._words[ids.ravel()]).reshape(len(tokens), longest, DIMENSIONS)
        embedded += self._positions[:longest]
        (vectors,) = self._session.run(["vector"], {"embedded": embedded, "mask": mask})
        return np.asarray(vectors, dtype=np.float32)


def unpack_rows(blocks: npt.NDArray[np.uint8]) -> Vectors:
    """4-bit rows `[n, 12, 18]` of the word table as float32 `[n, 384]`."""
    scales = np.ascontiguousarray(blocks[:, :, :2]).view("<f2").astype(np.float32)
    values = np.empty((len(blocks), blocks.shape[1], 32), dtype=np.float32)
    np.bitwise_and(blocks[:, :, 2:], 15, out=values[:, :, :16], casting="unsafe")
    np.right_shift(blocks[:, :, 2:], 4, out=values[:, :, 16:], casting="unsafe")
    values -= 8.0
    values *= scales
    return values.reshape(len(blocks), -1)


def batches(lengths: Sequence[int], *, budget: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Groups indices of texts by similar length; a group, padded to its longest, stays in the budget.

    A text longer than the budget is a group of its own. Every index appears exactly once.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    batch: list[int] = []
    for index in order:
        if batch and lengths[index] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def usable_cores() -> int:
    """Cores this process may run on (a container's affinity counts, where the system tells)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
