"""Service accounts of Google Cloud: a signed statement is changed for a token, which is good for an hour.

Ours because the vendor's library brings its own HTTP client, which connects wherever it is told to.
Sources: https://developers.google.com/identity/protocols/oauth2/service-account, RFC 7523
"""

import asyncio
import base64
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import orjson
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from refdesk.gateway.errors import ModelAuthentication, ModelBadResponse, ModelError
from refdesk.gateway.wires.connection import Connection
from refdesk.kit.http import GuardedClient

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
TOKEN_URI = "https://oauth2.googleapis.com/token"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
LIFE_S = 3600
EARLY_S = 300.0
"""A token is renewed this long before its end, so that none ends on its way."""
TIMEOUT_S = 20.0
_REFUSALS = ("invalid_grant", "invalid_client", "unauthorized_client", "access_denied", "invalid_scope")


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """What the key file of an account holds that is needed here."""

    email: str
    project: str
    key_id: str
    private_key: str = field(repr=False)
    token_uri: str = TOKEN_URI

    @classmethod
    def parse(cls, text: str) -> "ServiceAccount | None":
        """The account of a key file's JSON; None for anything else, as an access token. Raises
        `ModelAuthentication` for a file that lacks a member."""
        if not text.startswith("{"):
            return None
        try:
            told: dict[str, Any] = orjson.loads(text)
            return cls(
                str(told["client_email"]),
                str(told["project_id"]),
                str(told.get("private_key_id") or ""),
                str(told["private_key"]),
                str(told.get("token_uri") or TOKEN_URI),
            )
        except (KeyError, ValueError) as error:
            raise ModelAuthentication(
                hint="The key is the whole JSON file of a service account, with client_email, project_id and "
                "private_key."
            ) from error

    def assertion(self, at: float) -> str:
        """The signed statement of who asks (a JWT, RS256). Raises `ModelAuthentication`."""
        head = {"alg": "RS256", "typ": "JWT", "kid": self.key_id}
        claims = {
            "iss": self.email,
            "scope": SCOPE,
            "aud": self.token_uri,
            "iat": int(at),
            "exp": int(at) + LIFE_S,
        }
        signed = f"{_part(orjson.dumps(head))}.{_part(orjson.dumps(claims))}"
        try:
            key = load_pem_private_key(self.private_key.encode(), None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise ModelAuthentication(hint="The account's private_key cannot be read.") from error
        if not isinstance(key, RSAPrivateKey):
            raise ModelAuthentication(hint="The account's private_key is no RSA key.")
        return f"{signed}.{_part(key.sign(signed.encode(), PKCS1v15(), SHA256()))}"


class AccountTokens:
    """The token of one account, fetched when it is first needed and kept until shortly before its end."""

    def __init__(self, account: ServiceAccount, client: GuardedClient) -> None:
        self._account = account
        self._connection = Connection(
            client,
            account.token_uri,
            None,
            TIMEOUT_S,
            extra_headers=(("Content-Type", "application/x-www-form-urlencoded"),),
            secrets=(account.private_key,),
            sort=_sort,
        )
        self._lock = asyncio.Lock()
        self._token = ""
        self._renew_at = self._ends_at = 0.0

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self._account.private_key, *((self._token,) if self._token else ()))

    async def token(self) -> str:
        """A token that is good for a while. Raises `ModelError`s."""
        if time.monotonic() < self._renew_at:
            return self._token
        async with self._lock:
            if time.monotonic() >= self._renew_at:
                try:
                    await self._fetch()
                except ModelError:
                    # The one that there is still holds for a few minutes.
                    if time.monotonic() >= self._ends_at:
                        raise
            return self._token

    def drop(self, token: str) -> None:
        """The vendor refused this token: the next call fetches another."""
        if token == self._token:
            self._renew_at = self._ends_at = 0.0

    async def _fetch(self) -> None:
        # Reading an RSA key is checking it: tens of milliseconds.
        assertion = await asyncio.to_thread(self._account.assertion, time.time())
        asked_at = time.monotonic()
        body = urlencode({"grant_type": GRANT, "assertion": assertion}).encode()
        answer = await self._connection.json("POST", "", body)
        try:
            token, life_s = str(answer["access_token"]), float(answer.get("expires_in") or LIFE_S)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelBadResponse("The token server's answer holds no token.") from error
        self._token = token
        self._ends_at = asked_at + life_s
        self._renew_at = self._ends_at - min(EARLY_S, life_s / 10)


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _sort(words: str) -> type[ModelError] | None:
    return ModelAuthentication if any(one in words for one in _REFUSALS) else None
