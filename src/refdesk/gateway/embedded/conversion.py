"""Turns the 4-bit weights into what the engine opens, once, in the data folder's model cache.

Owns the cache: its place, its completeness and its files. Written into a temporary folder and renamed,
so a half-written cache is never seen and two processes may convert at once (the first rename wins).
`onnx` is imported here only while converting.

The word embeddings keep their 4-bit blocks: exact, 54 MB instead of 96 MB as int8, and unpacking the
rows of 500 tokens takes less than a millisecond.
"""

import contextlib
import hashlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np

from refdesk.gateway.embedded import tokenizer, weights
from refdesk.gateway.embedded.errors import EmbeddedModelCacheUnwritable

type Progress = Callable[[int, int], None]

GRAPH_FILE = "encoder.onnx"
WORDS_FILE = "words.npy"
POSITIONS_FILE = "positions.npy"

_FORMAT = 1
"""Raised whenever the converted files change; it is part of the folder's name."""

_MANIFEST_FILE = "manifest.json"
_ABANDONED_AFTER_S = 3600.0


def ensure_converted(models_dir: Path, *, progress: Progress | None = None) -> Path:
    """The folder of the converted model, converting first if need be (1–2 s, 85 MB on disk).

    `progress` is called with (steps done, steps in all) while converting, and not at all otherwise.
    Raises `EmbeddedModelMissing`, `EmbeddedModelUnreadable` or `EmbeddedModelCacheUnwritable`.
    """
    source = weights.locate()
    name = hashlib.sha256(f"{_FORMAT}:{weights.content_hash(source)}".encode()).hexdigest()[:32]
    target = models_dir / name
    if is_complete(target):
        return target
    parsed = weights.read(source)
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(models_dir)
        draft = models_dir / f".draft-{name}-{uuid.uuid4().hex}"
        draft.mkdir()
        try:
            _write(parsed, draft, progress or _silent)
            _publish(draft, target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise EmbeddedModelCacheUnwritable(folder=str(models_dir), reason=str(error)) from error
    return target


def is_complete(folder: Path) -> bool:
    """Whether the folder holds every file of the manifest with its size."""
    try:
        sizes: dict[str, int] = json.loads((folder / _MANIFEST_FILE).read_text(encoding="utf-8"))
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def _silent(_done: int, _total: int) -> None:
    return None


def _write(parsed: weights.Weights, folder: Path, progress: Progress) -> None:
    from refdesk.gateway.embedded.graph import EncoderGraph  # 0.3 s and 30 MB, needed only here

    shape = parsed.shape
    total = shape.layers + 3
    progress(0, total)
    np.save(folder / WORDS_FILE, parsed.blocks["emb.word"])
    positions = parsed.dense["emb.pos"].reshape(shape.positions, shape.hidden)
    np.save(folder / POSITIONS_FILE, positions + parsed.dense["emb.type"][: shape.hidden])
    progress(1, total)
    tokenizer.save(parsed.vocabulary, folder)
    progress(2, total)
    graph = EncoderGraph(parsed)
    for layer in range(shape.layers):
        graph.add_layer(layer)
        progress(3 + layer, total)
    (folder / GRAPH_FILE).write_bytes(graph.finish().SerializeToString())
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    for name in sizes:
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())
    (folder / _MANIFEST_FILE).write_text(json.dumps(sizes), encoding="utf-8")
    progress(total, total)


def _publish(draft: Path, target: Path) -> None:
    try:
        draft.rename(target)
    except OSError:
        if is_complete(target):  # another process was first
            return
        # What is there is damaged: take it away under a name that is cleaned up later.
        with contextlib.suppress(FileNotFoundError):
            target.rename(target.with_name(f".draft-damaged-{uuid.uuid4().hex}"))
        try:
            draft.rename(target)
        except OSError:
            if not is_complete(target):
                raise


def _remove_abandoned(models_dir: Path) -> None:
    """Drafts of processes that died while converting."""
    for draft in models_dir.glob(".draft-*"):
        with contextlib.suppress(OSError):
            if time.time() - draft.stat().st_mtime > _ABANDONED_AFTER_S or "damaged" in draft.name:
                shutil.rmtree(draft, ignore_errors=True)
