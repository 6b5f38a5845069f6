"""Answers and vectors that are computed once.

Owns the cache of whole answers, per application and off by default, and the cache of passages' vectors. Must
not decide when a call is made: `routing` asks first.
"""

from refdesk.gateway.caching.embeddings import CachingEmbedder, EmbeddingCache
from refdesk.gateway.caching.policies import CachePolicies, load_policies
from refdesk.gateway.caching.responses import CacheSlot, ResponseCache

__all__ = [
    "CachePolicies",
    "CacheSlot",
    "CachingEmbedder",
    "EmbeddingCache",
    "ResponseCache",
    "load_policies",
]
