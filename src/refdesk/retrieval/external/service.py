"""Keeping external sources, and asking them outside of any transaction."""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway import Gateway
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.retrieval.external.errors import (
    ExternalSourceExists,
    ExternalSourceNotFound,
    SourceConfigInvalid,
)
from refdesk.retrieval.external.guarded import GuardedSource
from refdesk.retrieval.external.opening import NEEDS_EMBEDDER, SourceContext, checked_config, open_source
from refdesk.retrieval.external.protocol import SourceHit, Value
from refdesk.retrieval.external.schemas import ExternalSourceView, NewExternalSource, SourceCheck
from refdesk.retrieval.external.tables import ExternalSource


class ExternalSourceRepository:
    """The external sources of the scope's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> list[ExternalSource]:
        query = select(ExternalSource).where(ExternalSource.workspace_id == self._scope.workspace_id)
        return list((await self._session.execute(query.order_by(ExternalSource.name))).scalars())

    async def get(self, source_id: UUID) -> ExternalSource:
        """Raises `ExternalSourceNotFound`."""
        query = select(ExternalSource).where(
            ExternalSource.id == source_id, ExternalSource.workspace_id == self._scope.workspace_id
        )
        source = (await self._session.execute(query)).scalar_one_or_none()
        if source is None:
            raise ExternalSourceNotFound(source_id=str(source_id))
        return source

    async def add(self, source: ExternalSource) -> None:
        """Raises `ExternalSourceExists`."""
        try:
            async with self._session.begin_nested():
                self._session.add(source)
        except IntegrityError as error:
            raise ExternalSourceExists(name=source.name) from error
        audit(self._session, self._scope, "external-source.create", ("external_source", source.id))

    async def delete(self, source_id: UUID) -> None:
        await self._session.delete(await self.get(source_id))
        audit(self._session, self._scope, "external-source.delete", ("external_source", source_id))


@dataclass(frozen=True, slots=True)
class ExternalSources:
    """Opens its own short transactions; none is held while a source is asked."""

    database: Database
    scope: Scope
    gateway: Gateway
    cipher: Cipher
    settings: Settings

    async def create(self, draft: NewExternalSource) -> ExternalSourceView:
        """Raises `SourceConfigInvalid`, `ExternalSourceExists`, and the gateway's errors for the model."""
        config = checked_config(draft.kind, draft.config)
        model_id = None
        if draft.kind in NEEDS_EMBEDDER:
            model_id = draft.model_id or await self.gateway.default_model(self.scope, "EMBEDDING")
            if model_id is None:
                raise SourceConfigInvalid(hint="This kind of source needs an embedding model.")
            await self.gateway.embedder(self.scope, model_id)
        source_id = new_id()
        sealed = None
        if draft.credential is not None and (secret := draft.credential.get_secret_value()):
            sealed = self.cipher.seal(secret, context=source_id.bytes)
        source = ExternalSource(
            id=source_id,
            workspace_id=self.scope.workspace_id,
            name=draft.name,
            kind=draft.kind,
            config=config,
            credential_sealed=sealed,
            model_id=model_id,
            timeout_s=draft.timeout_s,
            created_by=self.scope.user_id,
        )
        async with self.database.transaction() as session:
            await ExternalSourceRepository(session, self.scope).add(source)
            await session.refresh(source)
            return view_of(source)

    async def search(
        self, source_id: UUID, query: str, top_k: int, filters: Mapping[str, Value]
    ) -> tuple[list[SourceHit], float]:
        """Hits and milliseconds. Raises what opening and asking raise."""
        began = time.perf_counter()
        async with self._opened(source_id) as source:
            hits = await source.search(query, top_k, filters=filters)
        return hits, round((time.perf_counter() - began) * 1000, 1)

    async def check(self, source_id: UUID) -> SourceCheck:
        """Ask the source something, and keep how that went. Raises `ExternalSourceNotFound`."""
        async with self.database.transaction() as session:
            await ExternalSourceRepository(session, self.scope).get(source_id)
        began = time.perf_counter()
        failure: AppError | None = None
        try:
            async with self._opened(source_id) as source:
                await source.search("test", 1)
        except AppError as error:
            failure = error
        took_ms = round((time.perf_counter() - began) * 1000, 1)
        code = failure.code if failure is not None else None
        async with self.database.transaction() as session:
            row = await ExternalSourceRepository(session, self.scope).get(source_id)
            row.last_check = {"ok": failure is None, "code": code, "at": now().isoformat()}
        return SourceCheck(
            ok=failure is None,
            code=code,
            message=failure.text if failure is not None else None,
            hint=failure.hint_text if failure is not None else None,
            took_ms=took_ms,
        )

    @asynccontextmanager
    async def _opened(self, source_id: UUID) -> AsyncGenerator[GuardedSource]:
        async with self.database.transaction() as session:
            row = await ExternalSourceRepository(session, self.scope).get(source_id)
            kind, config, model_id, timeout_s = row.kind, row.config, row.model_id, row.timeout_s
            sealed = row.credential_sealed
        secret = None if sealed is None else self.cipher.open(sealed, context=source_id.bytes)
        context = SourceContext(
            timeout_s=timeout_s,
            allow_private=self.settings.allow_private_endpoints,
            embedder=None if model_id is None else await self.gateway.embedder(self.scope, model_id),
        )
        source = await open_source(kind, config, secret, context)
        try:
            yield source
        finally:
            await source.close()


def view_of(source: ExternalSource) -> ExternalSourceView:
    """Without the credential."""
    return ExternalSourceView(
        id=source.id,
        name=source.name,
        kind=source.kind,
        config=source.config,
        has_credential=source.credential_sealed is not None,
        model_id=source.model_id,
        timeout_s=source.timeout_s,
        last_check=source.last_check,
        created_at=source.created_at,
    )
