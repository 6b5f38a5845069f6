"""What a person enters or does so that a tool server lets calls in: own values, and signing in with OAuth.

A sign-in waits in the process where it was begun; its answer may reach any other, which leaves it sealed in
the database.
"""

import asyncio
import hashlib
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import structlog
from sqlalchemy import delete, select

from refdesk.accounts import Scope, audit
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError, Forbidden
from refdesk.kit.ids import new_id
from refdesk.tools.errors import ToolServerConfigInvalid, ToolServerTimeout, ToolSignInUnknown
from refdesk.tools.servers.config import checked, filled
from refdesk.tools.servers.repository import ToolCredentialRepository, ToolServerRepository
from refdesk.tools.servers.schemas import OwnValues
from refdesk.tools.servers.secrets import (
    Credential,
    credential_of,
    open_values,
    personal_names,
    save_credential,
    seal_values,
    server_values,
)
from refdesk.tools.servers.targets import TargetMaker
from refdesk.tools.tables import ToolServer, ToolSignIn

log = structlog.get_logger(__name__)

_AUDITED = "tool_server"
_ADDRESS_S = 20.0
_PERSON_S = 600.0
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class OwnCredentials:
    """The caller's own values of personal variables."""

    database: Database
    scope: Scope
    cipher: Cipher

    async def put(self, server_id: UUID, body: OwnValues) -> None:
        """Keep values. Raises `ToolServerNotFound`, `ToolServerConfigInvalid`, `Forbidden` for API keys."""
        self._require_person()
        given = {name: value.get_secret_value() for name, value in body.values.items()}
        async with self.database.transaction() as session:
            row = await ToolServerRepository(session, self.scope).get(server_id)
            if self.scope.user_id is None or set(given) - set(personal_names(row)):
                raise ToolServerConfigInvalid(hint="Only personal variables have values of a person.")
            own = await ToolCredentialRepository(session, self.scope).get(server_id, self.scope.user_id)
            audit(session, self.scope, "tool-server.own-values", (_AUDITED, server_id))
        credential = credential_of(self.cipher, own)
        credential.values |= given
        await save_credential(
            self.database, self.cipher, self.scope, server_id, self.scope.user_id, credential
        )

    async def forget(self, server_id: UUID) -> None:
        """Forget them. Raises as `put` does."""
        self._require_person()
        async with self.database.transaction() as session:
            await ToolServerRepository(session, self.scope).get(server_id)
            await ToolCredentialRepository(session, self.scope).delete(server_id, self.scope.user_id)
            audit(session, self.scope, "tool-server.forget-own-values", (_AUDITED, server_id))

    def _require_person(self) -> None:
        if self.scope.via == "api_key":
            raise Forbidden("Only people enter credentials of their own, no API keys.")


class SignIns:
    """Sign-ins that are under way in this process. The workspace uses what comes of one."""

    def __init__(self, database: Database, cipher: Cipher, targets: TargetMaker) -> None:
        self._database = database
        self._cipher = cipher
        self._targets = targets
        self._waiting: set[asyncio.Task[None]] = set()

    async def begin(self, scope: Scope, server_id: UUID, public_url: str) -> str:
        """The address where the person signs in.

        Raises `ToolServerNotFound`, `ToolServerConfigInvalid` for a server without such a sign-in or one that
        lets anybody in, and why the server or its authorization server fails.
        """
        if scope.user_id is None or scope.via == "api_key":
            raise Forbidden("Only people sign in: use the page.")
        async with self._database.transaction() as session:
            row = await ToolServerRepository(session, scope).get(server_id)
        config = checked(row.transport, row.config)  # pyright: ignore[reportArgumentType]
        if config.oauth is None or config.oauth.grant != "authorization_code":
            raise ToolServerConfigInvalid(hint="This tool server is not set up for a person's sign-in.")
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._sign_in(scope, row, public_url, address), name="tool-sign-in")
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)
        try:
            return await asyncio.wait_for(address, _ADDRESS_S)
        except TimeoutError as error:
            raise ToolServerTimeout from error

    async def answer(self, scope: Scope, state: str, code: str, issuer: str | None) -> None:
        """What the authorization server sent with the person's browser. Raises `ToolSignInUnknown` unless the
        same person began it, not long ago."""
        async with self._database.transaction() as session:
            begun = select(ToolSignIn).where(
                ToolSignIn.state_hash == _hash(state),
                ToolSignIn.user_id == scope.user_id,
                ToolSignIn.created_at > now() - timedelta(seconds=_PERSON_S),
            )
            row = (await session.execute(begun.with_for_update())).scalar_one_or_none()
            if row is None or row.flow_sealed is not None:
                raise ToolSignInUnknown
            row.flow_sealed = seal_values(self._cipher, row.id, {"code": code, "state": state, "iss": issuer})

    async def close(self) -> None:
        """Give up those that still wait."""
        for task in self._waiting:
            task.cancel()
        if self._waiting:
            await asyncio.wait(self._waiting)

    async def _sign_in(
        self, scope: Scope, row: ToolServer, public_url: str, address: asyncio.Future[str]
    ) -> None:
        from refdesk.tools.servers.authorization import answered, new_sign_in
        from refdesk.tools.servers.connection import Connection

        sign_in_id = new_id()
        config = checked(row.transport, row.config)  # pyright: ignore[reportArgumentType]
        assert config.oauth is not None
        values = server_values(self._cipher, row)

        async def keep(credential: Credential) -> None:
            await save_credential(self._database, self._cipher, scope, row.id, None, credential)

        async def send_there(place: str) -> None:
            state = parse_qs(urlsplit(place).query)["state"][0]
            async with self._database.transaction() as session:
                old = now() - timedelta(seconds=_PERSON_S)
                await session.execute(delete(ToolSignIn).where(ToolSignIn.created_at < old))
                session.add(
                    ToolSignIn(
                        id=sign_in_id,
                        workspace_id=scope.workspace_id,
                        server_id=row.id,
                        user_id=scope.user_id,
                        state_hash=_hash(state),
                    )
                )
            if not address.done():
                address.set_result(place)

        async def answer() -> Any:
            return answered(await self._answer_to(sign_in_id))

        auth = new_sign_in(
            filled(config.url or "", values), config.oauth, values, Credential(), keep, public_url,
            send_there, answer,
        )  # fmt: skip
        try:
            target = self._targets.filled(
                server_id=row.id,
                user_id=None,
                version="sign-in",
                name=row.name,
                transport=row.transport,
                config=config.model_copy(update={"oauth": None}),
                values=values,
                connect_timeout_s=_PERSON_S,
                credential=Credential(),
            )
            connection = Connection(replace(target, auth=auth))
            await connection.open()
            await connection.close()
            if not address.done():
                hint = "The tool server lets Refdesk in without a sign-in."
                address.set_exception(ToolServerConfigInvalid(hint=hint))
        except AppError as error:
            log.warning("tools.sign-in-failed", server=str(row.id), code=error.code)
            if not address.done():
                address.set_exception(error)
        finally:
            async with self._database.transaction() as session:
                await session.execute(delete(ToolSignIn).where(ToolSignIn.id == sign_in_id))
            address.cancel()

    async def _answer_to(self, sign_in_id: UUID) -> dict[str, Any]:
        while True:
            await asyncio.sleep(_LOOK_S)
            async with self._database.transaction() as session:
                row = await session.get(ToolSignIn, sign_in_id)
                if row is not None and row.flow_sealed is not None:
                    return open_values(self._cipher, row.id, row.flow_sealed)


def _hash(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()
