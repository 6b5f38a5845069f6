"""Google's token server for service accounts, as a reply of `scripted_model`: it checks the signed statement.

async with scripted_model() as server:
    accounts = ScriptedAccounts.at(server.root)
    server.always(accounts.guarding(says("Hello")))
    …                                     # enter accounts.key_file as the model's key
"""

import base64
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from refdesk.testing.scripted_http import Reply, Request, Send, body

_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_MAX_SKEW_S = 60


@lru_cache(maxsize=1)
def _private_key() -> RSAPrivateKey:
    return generate_private_key(65537, 2048)


@dataclass
class ScriptedAccounts:
    """One account of one project. Tokens last `life_s`; `asked` counts the requests for them, `refuses` is an
    error and its words in place of a token."""

    token_uri: str
    email: str = "desk@sample-project.iam.gserviceaccount.com"
    project: str = "sample-project"
    key_id: str = "0a1b2c3d"
    life_s: float = 3600
    asked: int = 0
    refuses: tuple[str, str] | None = None
    is_down: bool = False
    tokens: list[str] = field(default_factory=lambda: list[str]())

    @classmethod
    def at(cls, root: str) -> "ScriptedAccounts":
        return cls(root + "/token")

    @property
    def private_key(self) -> str:
        """As it stands in the key file."""
        return _private_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    @property
    def key_file(self) -> str:
        """The file that the console gives."""
        told = {
            "type": "service_account",
            "project_id": self.project,
            "private_key_id": self.key_id,
            "private_key": self.private_key,
            "client_email": self.email,
            "token_uri": self.token_uri,
        }
        return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode()

    def guarding(self, reply: Reply) -> Reply:
        """The reply for requests with a good token; those for tokens are answered too."""

        async def guarded(request: Request, send: Send) -> None:
            if request.path == "/token":
                await self._token(request)(request, send)
            elif request.headers.get("authorization", "").removeprefix("Bearer ") in self.tokens:
                await reply(request, send)
            else:
                words = "Request had invalid authentication credentials."
                error = {"error": {"code": 401, "message": words, "status": "UNAUTHENTICATED"}}
                await body(error, status=401)(request, send)

        return guarded

    def _token(self, request: Request) -> Reply:
        self.asked += 1
        if self.is_down:
            return body({"error": "internal_failure"}, status=503)
        wrong = self.refuses or self._wrong(request)
        if wrong is not None:
            error, words = wrong
            return body({"error": error, "error_description": words}, status=400)
        self.tokens.append("ya29." + secrets.token_hex(16))
        return body({"access_token": self.tokens[-1], "expires_in": self.life_s, "token_type": "Bearer"})

    def _wrong(self, request: Request) -> tuple[str, str] | None:
        form = parse_qs(bytes(request.body).decode())
        if request.headers.get("content-type") != "application/x-www-form-urlencoded":
            return "invalid_request", "Bad Request"
        if form.get("grant_type") != [_GRANT]:
            return "unsupported_grant_type", f"Invalid grant_type: {form.get('grant_type')}"
        try:
            [assertion] = form["assertion"]
            head, claims, proof = (_decoded(part) for part in assertion.split("."))
            signed = assertion.rpartition(".")[0].encode()
            _private_key().public_key().verify(proof, signed, PKCS1v15(), SHA256())
        except (InvalidSignature, KeyError, ValueError):
            return "invalid_grant", "Invalid JWT Signature."
        return self._unfit(orjson.loads(head), orjson.loads(claims))

    def _unfit(self, head: dict[str, Any], claims: dict[str, Any]) -> tuple[str, str] | None:
        if head != {"alg": "RS256", "typ": "JWT", "kid": self.key_id} or claims.get("iss") != self.email:
            return "invalid_grant", "Invalid grant: account not found"
        if claims.get("aud") != self.token_uri:
            return "invalid_grant", "Invalid JWT: Failed audience check."
        now = time.time()
        issued, ends = claims.get("iat", 0), claims.get("exp", 0)
        if abs(now - issued) > _MAX_SKEW_S or not now < ends <= issued + 3600:
            return "invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes)."
        if claims.get("scope") != _SCOPE:
            return "invalid_scope", "Invalid OAuth scope or ID token audience provided."
        return None


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def paths_of(requests: Sequence[Request]) -> list[str]:
    """The paths that were asked, without those for tokens."""
    return [request.path for request in requests if request.path != "/token"]
