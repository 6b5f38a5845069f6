"""One WebSocket to iFlytek: the signed address it is opened by, and its answers one by one."""

import base64
import hmac
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from email.utils import format_datetime
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import httpx
import orjson

from refdesk.gateway.errors import (
    ModelAuthentication,
    ModelError,
    ModelInterrupted,
    ModelRefused,
    ModelTimeout,
)
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.refusals import error_class
from refdesk.kit.clock import now
from refdesk.kit.http_socket import HandshakeRefused, TextSocket

KEY_FORMAT = "APPID:APIKey:APISecret"

# Codes that the catalogue's sorts do not hold: what we sent was wrong, or it took too long.
_ERRORS: dict[int, type[ModelError]] = {
    **dict.fromkeys((10006, 10007, 10043, 10139, 10160, 10161, 10163, 10165, 10317), ModelRefused),
    **dict.fromkeys((10014, 10019, 10200, 10222), ModelTimeout),
}


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the console shows of an application."""

    app_id: str
    key: str = field(repr=False)
    secret: str = field(repr=False)

    @classmethod
    def parse(cls, text: str | None) -> "Credentials":
        """From `APPID:APIKey:APISecret`. Raises `ModelAuthentication`."""
        parts = (text or "").split(":")
        if len(parts) != 3 or not all(parts):
            raise ModelAuthentication(hint=f"The key has three parts of iFlytek's console: {KEY_FORMAT}.")
        return cls(*parts)


def signed(url: str, credentials: Credentials, date: str) -> str:
    """The address with the proof of the secret; `date` is of RFC 1123, good for 300 s on either side."""
    parts = urlsplit(url)
    to_sign = f"host: {parts.netloc}\ndate: {date}\nGET {parts.path} HTTP/1.1"
    proof = base64.b64encode(hmac.digest(credentials.secret.encode(), to_sign.encode(), "sha256")).decode()
    authorization = (
        f'api_key="{credentials.key}", algorithm="hmac-sha256", '
        f'headers="host date request-line", signature="{proof}"'
    )
    query = {
        "authorization": base64.b64encode(authorization.encode()).decode(),
        "date": date,
        "host": parts.netloc,
    }
    return f"{url}?{urlencode(query)}"


@dataclass(frozen=True, slots=True)
class Session:
    """An open session; everything in it is JSON."""

    socket: TextSocket
    app_id: str
    connection: Connection

    async def send(self, message: dict[str, Any]) -> None:
        await self.socket.send(orjson.dumps(message).decode())

    async def answers(self) -> AsyncIterator[dict[str, Any]]:
        """The `data` of each answer up to the one with status 2. Raises what a code other than 0 means."""
        while (text := await self.socket.receive()) is not None:
            try:
                answer: dict[str, Any] = orjson.loads(text)
                code = answer["code"]
                data = cast("dict[str, Any]", answer.get("data") or {})
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise self.connection.bad_response(text.encode()) from error
            if code != 0:
                raise _refusal(self.connection, code, str(answer.get("message") or ""))
            yield data
            if data.get("status") == 2:
                return
        raise ModelInterrupted("The server closed the session before its last answer.")


@asynccontextmanager
async def opened(connection: Connection, path: str, timeout_s: float | None) -> AsyncGenerator[Session]:
    """A session. `timeout_s` limits the wait for each answer. Raises `ModelError`s."""
    credentials = Credentials.parse(connection.api_key)
    connection = replace(connection, secrets=(*connection.secrets, credentials.key, credentials.secret))
    url = signed(connection.base_url.rstrip("/") + path, credentials, format_datetime(now(), usegmt=True))
    patience_s = timeout_s or connection.timeout_s
    timeout = httpx.Timeout(patience_s, connect=10.0)
    try:
        async with connection.client.websocket(url, timeout=timeout) as socket:
            yield Session(socket, credentials.app_id, connection)
    except HandshakeRefused as error:
        raise _handshake(error.status) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise connection.failure(error, patience_s) from error


def _handshake(status: int) -> ModelError:
    if status == 403:
        return ModelAuthentication(
            hint="The signature holds for five minutes: check this machine's clock, then the APISecret.",
            status_code=status,
        )
    return error_class("", status)(status_code=status)


def _refusal(connection: Connection, code: Any, message: str) -> ModelError:
    words = {"code": str(code), "message": message}
    kind = _ERRORS.get(code) if isinstance(code, int) else None
    if kind is None:
        return connection.in_band(words)
    return kind(vendor_message=connection.clean(f"{code}: {message}"))
