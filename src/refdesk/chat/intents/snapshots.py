"""The trees of this process: read when they change, with a classifier for each embedding model.

One look at a version number tells whether a copy is the present one. Fitting a classifier takes seconds of a
large tree, so it is done once, in a thread, by a task that goes on when the run that wanted it stops waiting.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from refdesk.accounts import Scope
from refdesk.chat.intents.background import BACKGROUND
from refdesk.chat.intents.classifier import ExampleClassifier
from refdesk.chat.intents.repository import IntentRepository
from refdesk.chat.intents.tree import Intent, IntentTree, leaves_of
from refdesk.gateway import Embedder, Vectors
from refdesk.kit.database import Database

MOST_TREES = 200


@dataclass(frozen=True, slots=True)
class Ranking:
    """The intents of one question with scores 0–1, best first; those of next to nothing are left out."""

    scores: list[tuple[Intent, float]]


@dataclass(slots=True, eq=False)
class Snapshot:
    """One version of a tree. `tree` never changes; classifiers come as they are wanted."""

    database: Database
    scope: Scope
    tree: IntentTree
    _fitting: dict[UUID, asyncio.Task[ExampleClassifier]] = field(
        default_factory=lambda: dict[UUID, asyncio.Task[ExampleClassifier]]()
    )

    async def rank(self, embedder: Embedder, questions: Sequence[str]) -> list[Ranking]:
        """The intents of each question. Raises what the embedding model raises."""
        vectors = await embedder.embed_queries(list(questions))
        classifier = await self.classifier(embedder)
        scores = classifier.scores(vectors, questions)
        return [
            Ranking([(self.tree.leaves[n], float(row[n])) for n in np.argsort(-row) if row[n] >= 0.01])
            for row in scores
        ]

    async def classifier(self, embedder: Embedder) -> ExampleClassifier:
        """The classifier for a model's vectors; one that failed is tried again."""
        task = self._fitting.get(embedder.model_id)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = asyncio.create_task(self._fit(embedder), name=f"intents {self.tree.application_id}")
            self._fitting[embedder.model_id] = task
        return await asyncio.shield(task)

    async def _fit(self, embedder: Embedder) -> ExampleClassifier:
        pairs = [(text, label) for label, leaf in enumerate(self.tree.leaves) for text in leaf.texts]
        texts = [text for text, _ in pairs]
        vectors = await self._vectors(embedder, [*texts, *BACKGROUND])
        labels = np.array([label for _, label in pairs], dtype=np.int64)
        return await asyncio.to_thread(
            ExampleClassifier, vectors[: len(texts)], texts, labels, vectors[len(texts) :], BACKGROUND
        )

    async def _vectors(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        digests = [_digest(embedder, text) for text in texts]
        async with self.database.transaction() as session:
            repository = IntentRepository(session, self.scope, self.tree.application_id)
            kept = await repository.vectors(embedder.model_id, list(set(digests)))
        missing = {d: text for d, text in zip(digests, texts, strict=True) if d not in kept}
        made: dict[bytes, bytes] = {}
        wanted = list(missing.items())
        for at in range(0, len(wanted), embedder.max_batch):
            batch = wanted[at : at + embedder.max_batch]
            vectors = await embedder.embed_queries([text for _, text in batch])
            for (digest, _), vector in zip(batch, vectors, strict=True):
                made[digest] = np.ascontiguousarray(vector, dtype=np.float32).tobytes()
        if made:
            async with self.database.transaction() as session:
                repository = IntentRepository(session, self.scope, self.tree.application_id)
                await repository.keep_vectors(embedder.model_id, made)
                await repository.forget_vectors(embedder.model_id, list(set(digests)))
        known = kept | made
        return np.stack([np.frombuffer(known[digest], dtype=np.float32) for digest in digests])


class Snapshots:
    """The present snapshots by application; the least used go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[UUID, Snapshot] = OrderedDict()

    async def present(self, database: Database, scope: Scope, application_id: UUID) -> Snapshot:
        """The application's tree as it is now."""
        async with database.transaction() as session:
            repository = IntentRepository(session, scope, application_id)
            version = await repository.version()
            kept = self._kept.get(application_id)
            if kept is not None and kept.tree.version == version:
                self._kept.move_to_end(application_id)
                return kept
            leaves = leaves_of(await repository.all()) if version else ()
        made = Snapshot(
            database, Scope.system(scope.workspace_id), IntentTree(application_id, version, leaves)
        )
        self._kept[application_id] = made
        self._kept.move_to_end(application_id)
        if len(self._kept) > MOST_TREES:
            self._kept.popitem(last=False)
        return made


SNAPSHOTS = Snapshots()
"""Those of this process."""


def _digest(embedder: Embedder, text: str) -> bytes:
    return hashlib.sha256(f"{embedder.dimensions}\n{text}".encode(errors="surrogatepass")).digest()
