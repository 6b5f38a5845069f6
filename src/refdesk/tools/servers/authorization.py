"""Signing in to tool servers with OAuth 2.1, by the providers of the SDK.

Tokens of a program are fetched anew by each process that needs them; those of a person's sign-in are stored
sealed, and renewed without the person as long as the authorization server lets us.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from warnings import catch_warnings, simplefilter

from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from refdesk.tools.servers.config import OAuthSettings, filled
from refdesk.tools.servers.secrets import Credential

CALLBACK_PATH = "/api/v1/tool-servers/sign-in/callback"

type Keep = Callable[[Credential], Awaitable[None]]


class _Memory:
    """The SDK's storage, kept as long as the provider."""

    async def get_tokens(self) -> OAuthToken | None:
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        pass

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        pass


class _Stored(_Memory):
    """The SDK's storage over a `Credential`; each change goes to `keep`."""

    def __init__(self, credential: Credential, keep: Keep | None) -> None:
        self.credential = credential
        self._keep = keep
        self.provider: _PersonProvider | None = None

    async def get_tokens(self) -> OAuthToken | None:
        tokens = self.credential.tokens
        return OAuthToken.model_validate(tokens) if tokens is not None else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.credential.tokens = tokens.model_dump(mode="json", exclude_none=True)
        self.credential.expires_at = time.time() + tokens.expires_in if tokens.expires_in else None
        metadata = self.provider.context.oauth_metadata if self.provider is not None else None
        if metadata is not None:
            self.credential.metadata = metadata.model_dump(mode="json", exclude_none=True)
        if self._keep is not None:
            await self._keep(self.credential)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        client = self.credential.client
        return OAuthClientInformationFull.model_validate(client) if client is not None else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.credential.client = client_info.model_dump(mode="json", exclude_none=True)


class _PersonProvider(OAuthClientProvider):
    """Knows after a restart when its token ends and where it is renewed, which the SDK's own forgets."""

    async def _initialize(self) -> None:
        await super()._initialize()
        storage = self.context.storage
        assert isinstance(storage, _Stored)
        self.context.token_expiry_time = storage.credential.expires_at
        if storage.credential.metadata is not None:
            self.context.oauth_metadata = OAuthMetadata.model_validate(storage.credential.metadata)


def client_credentials(url: str, oauth: OAuthSettings, values: Mapping[str, str]) -> Any:
    """An `httpx2.Auth` for a program with a client id and secret of its own."""
    issuer = _value(oauth.issuer, values)
    # Without an issuer the SDK warns that the tool server says where the secret goes.
    with catch_warnings():
        simplefilter("ignore")
        return ClientCredentialsOAuthProvider(
            url,
            _Memory(),
            client_id=filled(oauth.client_id or "", values),
            client_secret=filled(oauth.client_secret or "", values),
            scope=_value(oauth.scope, values),
            issuer=issuer,
        )


def stored_sign_in(
    url: str,
    oauth: OAuthSettings,
    values: Mapping[str, str],
    credential: Credential,
    keep: Keep | None = None,
) -> Any:
    """An `httpx2.Auth` with what a person's sign-in left; it never asks for another by itself."""

    async def nobody_is_there(_address: str) -> None:
        raise OAuthFlowError("the sign-in has ended; somebody must sign in again")

    return _provider(url, oauth, values, credential, keep, "http://127.0.0.1", nobody_is_there, _never)


def new_sign_in(
    url: str,
    oauth: OAuthSettings,
    values: Mapping[str, str],
    credential: Credential,
    keep: Keep,
    public_url: str,
    send_there: Callable[[str], Awaitable[None]],
    answer: Callable[[], Awaitable[AuthorizationCodeResult]],
) -> Any:
    """An `httpx2.Auth` that has a person sign in: `send_there` gets the address for their browser, `answer`
    waits for what the authorization server sends back with them."""
    return _provider(url, oauth, values, credential, keep, public_url, send_there, answer)


def answered(given: Mapping[str, Any]) -> AuthorizationCodeResult:
    """What an authorization server sent with a person's browser: `code`, `state`, `iss`."""
    return AuthorizationCodeResult.model_validate(given)


async def _never() -> AuthorizationCodeResult:
    raise OAuthFlowError("somebody must sign in again")


def _value(text: str | None, values: Mapping[str, str]) -> str | None:
    return filled(text, values) if text else None


def _provider(
    url: str,
    oauth: OAuthSettings,
    values: Mapping[str, str],
    credential: Credential,
    keep: Keep | None,
    public_url: str,
    send_there: Callable[[str], Awaitable[None]],
    answer: Callable[[], Awaitable[AuthorizationCodeResult]],
) -> OAuthClientProvider:
    callback = AnyUrl(public_url.rstrip("/") + CALLBACK_PATH)
    client_id, secret = _value(oauth.client_id, values), _value(oauth.client_secret, values)
    if client_id is not None:
        method = "client_secret_basic" if secret else "none"
        client = OAuthClientInformationFull(
            client_id=client_id,
            client_secret=secret,
            redirect_uris=[callback],
            token_endpoint_auth_method=method,
        )
        credential.client = client.model_dump(mode="json", exclude_none=True)
    storage = _Stored(credential, keep)
    metadata = OAuthClientMetadata(
        client_name="Refdesk",
        redirect_uris=[callback],
        grant_types=["authorization_code", "refresh_token"],
        scope=_value(oauth.scope, values),
        application_type="web" if public_url.startswith("https") else "native",
    )
    storage.provider = _PersonProvider(url, metadata, storage, send_there, answer)
    return storage.provider
