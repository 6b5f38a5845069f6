"""Whole answers given again to exactly the same request of one application.

A key holds the workspace, the application, the model with its revision, the messages and all parameters:
whatever changes the answer changes the key, and a change of the model's row makes all of its answers unknown.
An answer that broke off, was filtered or is empty is never kept.
"""

import asyncio
import dataclasses
import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

import orjson
import psycopg
import structlog
from psycopg.types.json import Jsonb

from refdesk.accounts import Scope
from refdesk.gateway.caching.policies import CachePolicies, CachePolicy
from refdesk.gateway.calls import Completion, CompletionRequest, ToolCall, UsageReport
from refdesk.gateway.listening import Kept
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.statements import Statements

log = structlog.get_logger(__name__)

# What changes where or how long a call is made, but not what is answered.
_NOT_THE_QUESTION = frozenset(("timeout_s", "request_id"))
_KEPT_REASONS = frozenset(("stop", "tool_calls", "length"))
_TRIM_EVERY = 64

_GET = """
WITH found AS (
    SELECT r.body FROM cached_responses r JOIN response_cache_policies p USING (application_id)
    WHERE r.application_id = %s AND r.key = %s AND r.workspace_id = %s AND r.expires_at > now()
        AND r.created_at > now() - make_interval(secs => p.ttl_s)
), counted AS (
    UPDATE response_cache_policies SET hits = hits + (SELECT count(*) FROM found),
        misses = misses + 1 - (SELECT count(*) FROM found)
    WHERE application_id = %s
)
SELECT body FROM found
"""
_PUT = """
INSERT INTO cached_responses (application_id, key, workspace_id, model_id, body, size, expires_at)
SELECT %s, %s, %s, m.id, %s, %s, now() + make_interval(secs => %s) FROM models m WHERE m.id = %s
    AND EXISTS (SELECT FROM response_cache_policies WHERE application_id = %s)
ON CONFLICT (application_id, key) DO UPDATE SET
    body = excluded.body, size = excluded.size, created_at = now(), expires_at = excluded.expires_at
RETURNING 1
"""
# Expired ones first, then the oldest beyond the bound.
TRIM = """
DELETE FROM cached_responses r USING (
    SELECT key, sum(size) OVER (ORDER BY expires_at > now() DESC, created_at DESC, key) AS upto,
        expires_at > now() AS is_valid
    FROM cached_responses WHERE application_id = %(application)s
) o
WHERE r.application_id = %(application)s AND r.key = o.key AND (NOT o.is_valid OR o.upto > %(max_bytes)s)
RETURNING 1
"""


class CachedModel(Protocol):
    """What a key needs to know of a model; `updated_at` is its revision."""

    @property
    def id(self) -> UUID: ...

    @property
    def updated_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class CacheSlot:
    """Where the answer to one request is or will be kept."""

    workspace_id: UUID
    application_id: UUID
    model_id: UUID
    key: bytes
    policy: CachePolicy


class ResponseCache:
    """Answers of the applications that want it; for all others two look-ups in memory."""

    def __init__(self, statements: Statements, policies: Kept[CachePolicies]) -> None:
        self._statements = statements
        self._policies = policies
        self._tasks: set[asyncio.Task[None]] = set()
        self._puts = 0

    async def slot(
        self, scope: Scope, purpose: Purpose, model: CachedModel, request: CompletionRequest
    ) -> CacheSlot | None:
        """Where the answer belongs, or None if answers like it are not kept."""
        if purpose.application_id is None:
            return None
        policies = self._policies.value
        if policies is None:
            policies = await self._policies.get()
        policy = policies.get(purpose.application_id)
        if policy is None or policy.workspace_id != scope.workspace_id:
            return None
        if request.tools and not policy.with_tools:
            return None
        key = _key(scope.workspace_id, purpose.application_id, model, request)
        return CacheSlot(scope.workspace_id, purpose.application_id, model.id, key, policy)

    async def get(self, slot: CacheSlot) -> Completion | None:
        """The kept answer. A cache that cannot be asked has none."""
        try:
            rows = await self._statements.fetch(
                _GET, (slot.application_id, slot.key, slot.workspace_id, slot.application_id)
            )
        except psycopg.Error as error:
            log.warning("cache.not-read", error=type(error).__name__)
            return None
        return _completion(rows[0][0]) if rows else None

    def put(self, slot: CacheSlot, completion: Completion) -> None:
        """Keep an answer; in the background."""
        if completion.finish_reason not in _KEPT_REASONS or not (completion.text or completion.tool_calls):
            return
        task = asyncio.create_task(self._put(slot, completion))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)
        await self._policies.close()

    async def _put(self, slot: CacheSlot, completion: Completion) -> None:
        body = dataclasses.asdict(completion)
        size = len(orjson.dumps(body))
        if size > slot.policy.max_bytes:
            return
        try:
            await self._statements.fetch(
                _PUT,
                (
                    *(slot.application_id, slot.key, slot.workspace_id, Jsonb(body), size),
                    *(slot.policy.ttl_s, slot.model_id, slot.application_id),
                ),
            )
            self._puts += 1
            if self._puts % _TRIM_EVERY == 1:
                bound = {"application": slot.application_id, "max_bytes": slot.policy.max_bytes}
                await self._statements.fetch(TRIM, bound)
        except psycopg.Error as error:
            log.warning("cache.not-written", error=type(error).__name__)


def _key(workspace_id: UUID, application_id: UUID, model: CachedModel, request: CompletionRequest) -> bytes:
    asked = {
        field.name: getattr(request, field.name)
        for field in dataclasses.fields(request)
        if field.name not in _NOT_THE_QUESTION
    }
    parts = [workspace_id.bytes, application_id.bytes, model.id.bytes, model.updated_at.isoformat().encode()]
    parts.append(orjson.dumps(asked, default=_plain, option=orjson.OPT_SORT_KEYS))
    return hashlib.sha256(b"\0".join(parts)).digest()


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {type(value).__name__: dataclasses.asdict(value)}
    raise TypeError(f"{type(value).__name__} has no place in a key")


def _completion(body: dict[str, Any]) -> Completion:
    usage = body.get("usage")
    return Completion(
        text=body["text"],
        finish_reason=body["finish_reason"],
        reasoning=body["reasoning"],
        tool_calls=tuple(ToolCall(**call) for call in body["tool_calls"]),
        usage=UsageReport(**usage) if usage else None,
    )
