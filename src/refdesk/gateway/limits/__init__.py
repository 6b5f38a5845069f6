"""Limits, budgets and the queue before models that take so many calls at once.

Owns what may be called how often and what waits for what. Must not know how calls are made: the order of a
governed call is `routing`'s.
"""

from refdesk.gateway.limits.admission import Admission, Limits
from refdesk.gateway.limits.errors import (
    LimitInvalid,
    LimitReached,
    LimitsUnavailable,
    ModelQueueTimeout,
    UnknownLimit,
)
from refdesk.gateway.limits.estimating import Estimate, estimate, tokens_of
from refdesk.gateway.limits.lane import Lane
from refdesk.gateway.limits.permits import Permits
from refdesk.gateway.limits.redis_store import RedisCounters
from refdesk.gateway.limits.rules import Rules, load_rules
from refdesk.gateway.limits.store import CounterStore, PostgresCounters

__all__ = [
    "Admission",
    "CounterStore",
    "Estimate",
    "Lane",
    "LimitInvalid",
    "LimitReached",
    "Limits",
    "LimitsUnavailable",
    "ModelQueueTimeout",
    "Permits",
    "PostgresCounters",
    "RedisCounters",
    "Rules",
    "UnknownLimit",
    "estimate",
    "load_rules",
    "tokens_of",
]
