"""Spherical k-means, small and repeatable: the few directions that a base's vectors point in."""

import numpy as np
from numpy.typing import NDArray

type Vectors = NDArray[np.float32]

MOST_CENTROIDS = 64
_ROUNDS = 10


def centroids_of(vectors: Vectors) -> tuple[Vectors, NDArray[np.int64]]:
    """Unit centroids [k, d] of unit vectors [n, d], and how many vectors each stands for.

    k is the root of n, at most `MOST_CENTROIDS`: on 49 bases of 350 entries twice as many chose no better.
    The same vectors in the same order give the same centroids.
    """
    count = min(max(round(len(vectors) ** 0.5), 1), MOST_CENTROIDS, len(vectors))
    if count == 0:
        return vectors[:0], np.zeros(0, dtype=np.int64)
    random = np.random.default_rng(0)
    centroids = vectors[random.choice(len(vectors), count, replace=False)].copy()
    for _ in range(_ROUNDS):
        sums, sizes = _sums(vectors, centroids)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        # A centroid that lost all its vectors stays where it is; it is left out at the end.
        centroids = np.where(lengths > 1e-9, sums / np.maximum(lengths, 1e-9), centroids).astype(np.float32)
    _, sizes = _sums(vectors, centroids)
    return centroids[sizes > 0], sizes[sizes > 0]


def _sums(vectors: Vectors, centroids: Vectors) -> tuple[Vectors, NDArray[np.int64]]:
    nearest = np.argmax(vectors @ centroids.T, axis=1)
    members = np.zeros((len(centroids), len(vectors)), dtype=np.float32)
    members[nearest, np.arange(len(vectors))] = 1.0
    return members @ vectors, np.bincount(nearest, minlength=len(centroids)).astype(np.int64)
