"""Keeping external sources, and asking them outside of any transaction."""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway import Gateway, Purpose
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
    SourceCredentialNeeded,
    SourceQueryForbidden,
)
from refdesk.retrieval.external.guarded import GuardedSource
from refdesk.retrieval.external.opening import (
    NEEDS_EMBEDDER,
    SourceContext,
    checked_config,
    goes_elsewhere,
    open_source,
)
from refdesk.retrieval.external.protocol import SourceHit, Value
from refdesk.retrieval.external.querying import Rows, read_rows
from refdesk.retrieval.external.schemas import (
    ExternalSourceChange,
    ExternalSourceView,
    NewExternalSource,
    SourceCheck,
    SourceDraft,
)
from refdesk.retrieval.external.tables import ExternalSource


class ExternalSourceRepository:
    """The external sources of the scope's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> list[ExternalSource]:
        query = select(ExternalSource).where(ExternalSource.workspace_id == self._scope.workspace_id)
        return list((await self._session.execute(query.order_by(ExternalSource.name))).scalars())

    async def get(self, source_id: UUID, *, lock: bool = False) -> ExternalSource:
        """Raises `ExternalSourceNotFound`. `lock` makes other writers of it wait."""
        query = select(ExternalSource).where(
            ExternalSource.id == source_id, ExternalSource.workspace_id == self._scope.workspace_id
        )
        if lock:
            query = query.with_for_update()
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

    async def changed(self, source: ExternalSource, fields: set[str]) -> None:
        """Write what was changed. Raises `ExternalSourceExists`."""
        try:
            async with self._session.begin_nested():
                await self._session.flush()
        except IntegrityError as error:
            raise ExternalSourceExists from error
        target = ("external_source", source.id)
        audit(self._session, self._scope, "external-source.change", target, members=sorted(fields))

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
        model_id = await self._model_of(draft)
        source_id = new_id()
        source = ExternalSource(
            id=source_id,
            workspace_id=self.scope.workspace_id,
            name=draft.name,
            kind=draft.kind,
            config=config,
            credential_sealed=self._sealed(source_id, draft.credential),
            model_id=model_id,
            timeout_s=draft.timeout_s,
            created_by=self.scope.user_id,
        )
        async with self.database.transaction() as session:
            await ExternalSourceRepository(session, self.scope).add(source)
            await session.refresh(source)
            return view_of(source)

    async def change(self, source_id: UUID, change: ExternalSourceChange) -> ExternalSourceView:
        """Apply the members that are present.

        Raises `ExternalSourceNotFound`, `SourceConfigInvalid`, `SourceCredentialNeeded` and
        `ExternalSourceExists`.
        """
        given = change.model_fields_set
        async with self.database.transaction() as session:
            sources = ExternalSourceRepository(session, self.scope)
            row = await sources.get(source_id, lock=True)
            if change.name is not None:
                row.name = change.name
            if change.timeout_s is not None:
                row.timeout_s = change.timeout_s
            if change.config is not None:
                config = checked_config(row.kind, change.config)
                if "credential" not in given:
                    _require_same_address(row, config)
                row.config = config
            if "credential" in given:
                row.credential_sealed = self._sealed(source_id, change.credential)
            if given - {"name"}:
                row.last_check = None
            await sources.changed(row, given)
            await session.refresh(row)
            return view_of(row)

    async def search(
        self, source_id: UUID, query: str, top_k: int, filters: Mapping[str, Value]
    ) -> tuple[list[SourceHit], float]:
        """Hits and milliseconds. Raises what opening and asking raise."""
        began = time.perf_counter()
        async with self._opened(source_id) as source:
            hits = await source.search(query, top_k, filters=filters)
        return hits, round((time.perf_counter() - began) * 1000, 1)

    async def query(self, source_id: UUID, statement: str) -> Rows:
        """The rows of one SELECT. Raises `ExternalSourceNotFound`, `SourceQueryForbidden`,
        `SourceQueryInvalid` and what connecting raises."""
        async with self.database.transaction() as session:
            row = await ExternalSourceRepository(session, self.scope).get(source_id)
            secret = self._secret_of(row)
        if not allows_sql(row):
            raise SourceQueryForbidden(source_id=str(source_id))
        context = SourceContext(row.timeout_s, self.settings.allow_private_endpoints)
        return await read_rows(row.config, secret, context, statement)

    async def check(self, source_id: UUID) -> SourceCheck:
        """Ask the source something, and keep how that went. Raises `ExternalSourceNotFound`."""
        async with self.database.transaction() as session:
            await ExternalSourceRepository(session, self.scope).get(source_id)
        checked = await _checked(self._opened(source_id))
        async with self.database.transaction() as session:
            row = await ExternalSourceRepository(session, self.scope).get(source_id)
            row.last_check = checked.model_dump(mode="json") | {"at": now().isoformat()}
        return checked

    async def check_draft(self, draft: SourceDraft) -> SourceCheck:
        """Ask a source that is not saved something.

        Raises `SourceConfigInvalid`, and `ExternalSourceNotFound` and `SourceCredentialNeeded` for the source
        whose credential is to be used.
        """
        config = checked_config(draft.kind, draft.config)
        secret = draft.credential.get_secret_value() if draft.credential is not None else None
        if draft.source_id is not None and draft.credential is None:
            async with self.database.transaction() as session:
                row = await ExternalSourceRepository(session, self.scope).get(draft.source_id)
            if draft.kind != row.kind:
                raise SourceCredentialNeeded
            _require_same_address(row, config)
            secret = self._secret_of(row)
        model_id = await self._model_of(draft)
        return await _checked(self._open(draft.kind, config, secret, model_id, draft.timeout_s))

    async def _model_of(self, draft: NewExternalSource) -> UUID | None:
        if draft.kind not in NEEDS_EMBEDDER:
            return None
        model_id = draft.model_id or await self.gateway.default_model(self.scope, "EMBEDDING")
        if model_id is None:
            raise SourceConfigInvalid(hint="This kind of source needs an embedding model.")
        await self.gateway.embedder(self.scope, model_id)
        return model_id

    def _sealed(self, source_id: UUID, credential: SecretStr | None) -> bytes | None:
        secret = credential.get_secret_value() if credential is not None else ""
        return self.cipher.seal(secret, context=source_id.bytes) if secret else None

    def _secret_of(self, row: ExternalSource) -> str | None:
        sealed = row.credential_sealed
        return None if sealed is None else self.cipher.open(sealed, context=row.id.bytes)

    @asynccontextmanager
    async def _opened(self, source_id: UUID) -> AsyncGenerator[GuardedSource]:
        async with self.database.transaction() as session:
            row = await ExternalSourceRepository(session, self.scope).get(source_id)
            secret = self._secret_of(row)
        async with self._open(row.kind, row.config, secret, row.model_id, row.timeout_s) as source:
            yield source

    @asynccontextmanager
    async def _open(
        self, kind: str, config: dict[str, Any], secret: str | None, model_id: UUID | None, timeout_s: float
    ) -> AsyncGenerator[GuardedSource]:
        context = SourceContext(
            timeout_s=timeout_s,
            allow_private=self.settings.allow_private_endpoints,
            embedder=None
            if model_id is None
            else await self.gateway.embedder(self.scope, model_id, Purpose("search")),
        )
        source = await open_source(kind, config, secret, context)
        try:
            yield source
        finally:
            await source.close()


async def _checked(opening: AbstractAsyncContextManager[GuardedSource]) -> SourceCheck:
    """How asking the source went."""
    began = time.perf_counter()
    failure: AppError | None = None
    try:
        async with opening as source:
            await source.search("test", 1)
    except AppError as error:
        failure = error
    took_ms = round((time.perf_counter() - began) * 1000, 1)
    if failure is None:
        return SourceCheck(ok=True, code=None, message=None, hint=None, details={}, took_ms=took_ms)
    return SourceCheck(
        ok=False,
        code=failure.code,
        message=failure.text,
        hint=failure.hint_text,
        details=failure.details,
        took_ms=took_ms,
    )


def allows_sql(row: ExternalSource) -> bool:
    """Whether a source may be read with SQL."""
    return row.kind == "postgres" and bool(row.config.get("allow_sql"))


def _require_same_address(row: ExternalSource, config: dict[str, Any]) -> None:
    """Otherwise whoever may edit a source could read its credential by pointing it at a server of his own."""
    if row.credential_sealed is not None and goes_elsewhere(row.config, config):
        raise SourceCredentialNeeded


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
