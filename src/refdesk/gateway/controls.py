"""Everything that governs and counts calls, made together: limits, permits, the record, the caches.

Nothing is connected before it is needed. Who orders a governed call is `routing`.
"""

from refdesk.gateway.caching import EmbeddingCache, ResponseCache, load_policies
from refdesk.gateway.limits import (
    CounterStore,
    Lane,
    Limits,
    Permits,
    PostgresCounters,
    RedisCounters,
    load_rules,
)
from refdesk.gateway.listening import Kept, Listener
from refdesk.gateway.statements import Statements
from refdesk.gateway.usage import UsageLog, load_prices
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings


class Controls:
    """The controls of one process."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self.listener = Listener(database.url)
        self._statements = Statements(database.url)
        self.rules = Kept(
            database, self.listener, frozenset(("model_limits", "model_usage_settings")), load_rules
        )
        self.prices = Kept(
            database, self.listener, frozenset(("model_prices", "model_usage_settings")), load_prices
        )
        policies = Kept(database, self.listener, frozenset(("response_cache_policies",)), load_policies)
        redis = settings.redis_url
        self.counters: CounterStore = (
            RedisCounters(redis.get_secret_value()) if redis else PostgresCounters(self._statements)
        )
        self.limits = Limits(self.rules, self.prices, Lane(self.counters))
        self.permits = Permits(self._statements, self.listener, timeout_s=settings.model_queue_timeout_s)
        self.usage = UsageLog(database.url, self.prices)
        self.responses = ResponseCache(self._statements, policies)
        self.embeddings = EmbeddingCache(self._statements, max_bytes=settings.embedding_cache_bytes)

    async def close(self) -> None:
        """Give back, write and close; after the last call."""
        await self.permits.close()
        await self.limits.close()
        await self.responses.close()
        await self.usage.close()
        await self.listener.close()
        await self._statements.close()
