"""An authorization server beside the scripted MCP server: discovery, registration, tokens, sign-in.

Issues tokens that are good until `end_tokens`. A browser is played by `agree`, which gives back where the
authorization server sends it.
"""

import base64
import hashlib
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import orjson
from starlette.types import Receive, Scope, Send

type Answer = Callable[[Send, int, bytes], Awaitable[None]]


@dataclass
class ScriptedOAuth:
    """`asked` keeps the requests for tokens; `clients` are secrets by client id; tokens last `lasts_s`."""

    root: str
    lasts_s: int = 3600
    clients: dict[str, str] = field(default_factory=lambda: {"desk": "desk-secret"})
    asked: list[dict[str, str]] = field(default_factory=lambda: list[dict[str, str]]())
    tokens: set[str] = field(default_factory=lambda: set[str]())
    _codes: dict[str, str] = field(default_factory=lambda: dict[str, str]())

    def end_tokens(self) -> None:
        """All tokens are no longer good; those that renew them are."""
        self.tokens.clear()

    def agree(self, address: str) -> str:
        """What the person's browser is sent to after they agreed at `address`."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        code = secrets.token_hex(8)
        self._codes[code] = query["code_challenge"]
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    async def serve(self, scope: Scope, receive: Receive, send: Send, answer: Answer) -> bool:
        """Answer a request that is for the authorization server; False for any other."""
        path = scope["path"]
        if path.startswith("/.well-known/oauth-protected-resource"):
            found: dict[str, Any] = {"resource": f"{self.root}/mcp", "authorization_servers": [self.root]}
        elif path.startswith("/.well-known/oauth-authorization-server"):
            found = {
                "issuer": self.root,
                "authorization_endpoint": f"{self.root}/authorize",
                "token_endpoint": f"{self.root}/token",
                "registration_endpoint": f"{self.root}/register",
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": [
                    "client_secret_basic",
                    "client_secret_post",
                    "none",
                ],
            }
        elif path == "/register":
            asked = orjson.loads(await _body(receive))
            client_id = f"client-{len(self.clients)}"
            self.clients[client_id] = ""
            found = asked | {"client_id": client_id, "token_endpoint_auth_method": "none"}
            await answer(send, 201, orjson.dumps(found))
            return True
        elif path == "/token":
            await self._token(dict(scope["headers"]), await _body(receive), send, answer)
            return True
        else:
            return False
        await answer(send, 200, orjson.dumps(found))
        return True

    async def _token(self, headers: dict[bytes, bytes], body: bytes, send: Send, answer: Answer) -> None:
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        self.asked.append(form)
        if not self._is_known(headers, form) or not self._is_granted(form):
            await answer(send, 400, b'{"error": "invalid_grant"}')
            return
        token = secrets.token_hex(8)
        self.tokens.add(token)
        found = {"access_token": token, "token_type": "Bearer", "expires_in": self.lasts_s}
        if form["grant_type"] != "client_credentials":
            found["refresh_token"] = "renew"
        await answer(send, 200, orjson.dumps(found))

    def _is_known(self, headers: dict[bytes, bytes], form: dict[str, str]) -> bool:
        client_id, secret = form.get("client_id", ""), form.get("client_secret", "")
        given = headers.get(b"authorization", b"").decode()
        if given.startswith("Basic "):
            client_id, _, secret = base64.b64decode(given[6:]).decode().partition(":")
        return self.clients.get(client_id) == secret

    def _is_granted(self, form: dict[str, str]) -> bool:
        if form["grant_type"] == "authorization_code":
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            return self._codes.pop(form["code"], None) == challenge
        return form["grant_type"] == "client_credentials" or form.get("refresh_token") == "renew"


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), bool(message.get("more_body"))
    return body
