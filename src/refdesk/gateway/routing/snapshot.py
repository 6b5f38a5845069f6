"""All models, policies and purposes in memory, so that a call costs no database round trip.

Owns their freshness. While the listening connection holds, what another process changes is here within
milliseconds (a trigger tells every change on `refdesk_models`, as `TABLE:ID`); what this process changes is
here before the next call, for its own commits mark the snapshot stale. While the connection is lost every
call reads the database again, as if there were no snapshot: slower, never stale; and if the database itself
is away, what was known last goes on being served. A scope sees its workspace's models only.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from weakref import WeakSet

import structlog
from pydantic import ValidationError
from sqlalchemy import event, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from refdesk.accounts import Scope
from refdesk.gateway.background import background
from refdesk.gateway.errors import UnknownModel
from refdesk.gateway.listening import RETRY_S, Listener
from refdesk.gateway.routing.capabilities import Abilities
from refdesk.gateway.routing.checks import HealthCheck
from refdesk.gateway.routing.errors import PolicyInvalid
from refdesk.gateway.routing.policies import Policy
from refdesk.gateway.routing.tables import FallbackPolicy, ModelHealth, PurposeRoute
from refdesk.gateway.tables import Model
from refdesk.kit.database import Database

log = structlog.get_logger(__name__)

CHANNEL = "refdesk_models"
GATHERED_S = 0.005
_CHANGED = "refdesk_models_changed"


@dataclass(frozen=True, slots=True)
class RoutedModel:
    """A model's row with what routing makes of it. Rows are detached: read them, never change them."""

    row: Model
    abilities: Abilities
    check: HealthCheck

    @property
    def id(self) -> UUID:
        return self.row.id

    @property
    def concurrency(self) -> int | None:
        return self.row.concurrency

    @property
    def updated_at(self) -> datetime:
        return self.row.updated_at

    @classmethod
    def of(cls, row: Model) -> "RoutedModel":
        try:
            return cls(row, Abilities.of(row), HealthCheck.of(row.health_check))
        except ValidationError as error:
            log.warning("routing.model-not-understood", model_id=str(row.id), error=str(error))
            plain = Model(kind=row.kind, model_name=row.model_name, parameters={}, capabilities={})
            return cls(row, Abilities.of(plain), HealthCheck())


class Snapshot:
    """What is known of all workspaces' models. `on_health` gets the rows of health that changed."""

    def __init__(
        self, database: Database, listener: Listener, on_health: Callable[[Iterable[ModelHealth]], None]
    ) -> None:
        self._database = database
        self._listener = listener
        self._on_health = on_health
        self._models: dict[UUID, RoutedModel] = {}
        self._policies: dict[UUID, Policy] = {}
        self._routes: dict[UUID, PurposeRoute] = {}
        self._route_by_purpose: dict[tuple[UUID, str, str], UUID] = {}
        self._defaults: dict[tuple[UUID, str], UUID] = {}
        self._lock = asyncio.Lock()
        self._changes = 0  # how often this was told that all may have changed
        self._known_changes = -1  # those that were known of before all was read last
        self._loaded_at = float("-inf")
        self._told: dict[str, set[UUID]] = {}
        self._renewing: asyncio.Task[None] | None = None
        listener.on(CHANNEL, self._hear)

    def start(self) -> None:
        """Begin to listen; done by the first call where nobody did it before."""
        _LIVE.add(self)
        self._listener.start()

    async def close(self) -> None:
        """Leave the listener, which is closed by whoever made it."""
        _LIVE.discard(self)
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)

    @property
    def is_fresh(self) -> bool:
        """Whether what is in memory is what the database holds, so far as it was told."""
        return self._known_changes == self._changes and self._listener.is_listening

    async def ready(self) -> None:
        """Return once the snapshot holds at least what was committed before; at once in the usual case."""
        if self.is_fresh:
            return
        self.start()
        asked_at = time.monotonic()
        async with self._lock:
            if self.is_fresh or self._loaded_at >= asked_at:
                return
            try:
                await self._load()
            except (SQLAlchemyError, OSError) as error:
                if self._loaded_at == float("-inf"):
                    raise
                log.warning("routing.snapshot-not-renewed", error=type(error).__name__)

    def get(self, scope: Scope, model_id: UUID) -> RoutedModel:
        """A model of the scope's workspace. Raises `UnknownModel`."""
        found = self._models.get(model_id)
        if found is None or found.row.workspace_id != scope.workspace_id:
            raise UnknownModel(model_id=str(model_id))
        return found

    def find(self, model_id: UUID) -> RoutedModel | None:
        """A model of any workspace: for health and targets of policies, never for what a caller named."""
        return self._models.get(model_id)

    def find_by(self, scope: Scope, kind: str, wanted: str, *, by_name: bool) -> UUID | None:
        """The id of a model of the scope's workspace, by its id or by its name."""
        if by_name:
            found = (m for m in self._models.values() if m.row.name == wanted)
        else:
            try:
                one = self._models.get(UUID(wanted))
            except ValueError:
                return None
            found = iter(()) if one is None else iter((one,))
        return next(
            (m.id for m in found if m.row.workspace_id == scope.workspace_id and m.row.kind == kind), None
        )

    def all(self) -> Iterable[RoutedModel]:
        return tuple(self._models.values())

    def policy_of(self, model: RoutedModel) -> Policy | None:
        """The policy of a model, ready to be asked."""
        policy_id = model.row.fallback_policy_id
        return self._policies.get(policy_id) if policy_id is not None else None

    def default(self, scope: Scope, kind: str) -> UUID | None:
        return self._defaults.get((scope.workspace_id, kind))

    def route(self, scope: Scope, purpose: str, kind: str) -> UUID | None:
        """The model that serves a purpose, if it has one of its own."""
        return self._route_by_purpose.get((scope.workspace_id, purpose, kind))

    def _hear(self, payload: str) -> None:
        """A row that somebody changed; "" where nobody listened for a while, so that anything may have."""
        if not payload:
            self._changes += 1
        else:
            table, _, key = payload.partition(":")
            try:
                self._told.setdefault(table, set()).add(UUID(key))
            except ValueError:
                log.warning("routing.signal-not-understood", payload=payload[:100])
                return
        if self._renewing is None or self._renewing.done():
            self._renewing = background(self._renew(), "model-snapshot")

    async def _renew(self) -> None:
        """Read what was told of, or everything; again until the database has answered."""
        while self._told or self._known_changes != self._changes:
            await asyncio.sleep(GATHERED_S)  # what one transaction changed arrives together
            told, self._told = self._told, {}
            try:
                async with self._lock:
                    if self._known_changes != self._changes:
                        await self._load()
                    else:
                        async with self._database.transaction() as session:
                            await self._read(session, told)
            except (SQLAlchemyError, OSError) as error:
                log.warning("routing.snapshot-not-renewed", error=type(error).__name__)
                self._changes += 1
                await asyncio.sleep(RETRY_S)

    async def _load(self) -> None:
        # What is committed from here on may not be in it; whoever asks meanwhile must wait for it.
        started, changes = time.monotonic(), self._changes
        async with self._database.transaction() as session:
            await self._read(session, None)
        self._loaded_at, self._known_changes = started, changes

    async def _read(self, session: AsyncSession, changed: Mapping[str, set[UUID]] | None) -> None:
        async def rows[T](table: type[T], key: Any) -> list[T]:
            ids = None if changed is None else changed.get(str(table.__tablename__))  # type: ignore[attr-defined]
            if changed is not None and not ids:
                return []
            query = select(table)
            return list((await session.scalars(query if ids is None else query.where(key.in_(ids)))).all())

        models = await rows(Model, Model.id)
        policies = await rows(FallbackPolicy, FallbackPolicy.id)
        routes = await rows(PurposeRoute, PurposeRoute.id)
        health = await rows(ModelHealth, ModelHealth.model_id)
        session.expunge_all()
        _replace(self._models, changed, "models", {row.id: RoutedModel.of(row) for row in models})
        _replace(self._policies, changed, "fallback_policies", _compiled(policies))
        _replace(self._routes, changed, "purpose_routes", {row.id: row for row in routes})
        if models or changed is None or "models" in changed:
            self._defaults = {
                (m.row.workspace_id, m.row.kind): m.id for m in self._models.values() if m.row.is_default
            }
        self._route_by_purpose = {
            (row.workspace_id, row.purpose, row.kind): row.model_id for row in self._routes.values()
        }
        self._on_health(health)

    def spoil(self) -> None:
        """Read again before the next call: this process has changed something."""
        self._changes += 1


_LIVE: WeakSet[Snapshot] = WeakSet()
"""The snapshots of this process that are in use."""


def _replace[T](
    kept: dict[UUID, T], changed: Mapping[str, set[UUID]] | None, table: str, rows: dict[UUID, T]
) -> None:
    """Put in what was read; what was to be read and is not there is gone."""
    gone = set(kept) if changed is None else changed.get(table, set[UUID]())
    for key in gone - rows.keys():
        kept.pop(key, None)
    kept.update(rows)


def _compiled(rows: Iterable[FallbackPolicy]) -> dict[UUID, Policy]:
    found: dict[UUID, Policy] = {}
    for row in rows:
        try:
            found[row.id] = Policy.compile(row.id, row.policy_id, row.rules)
        except (PolicyInvalid, ValidationError, ValueError) as error:
            log.warning("routing.policy-not-understood", policy_id=row.policy_id, error=str(error))
    return found


# What a bulk statement changes is heard of by the trigger, as another process's changes are.
@event.listens_for(Session, "after_flush")
def _note_changes(session: Session, _context: object) -> None:
    touched = (*session.new, *session.dirty, *session.deleted)
    if any(isinstance(one, Model | FallbackPolicy | PurposeRoute) for one in touched):
        session.info[_CHANGED] = True


@event.listens_for(Session, "after_commit")
def _spoil(session: Session) -> None:
    if session.info.pop(_CHANGED, False):
        for snapshot in _LIVE:
            snapshot.spoil()
