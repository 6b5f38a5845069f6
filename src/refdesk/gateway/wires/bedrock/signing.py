"""Proof of a key by signing each request: AWS Signature Version 4.

Ours because the vendor's library brings its own HTTP client, which connects wherever it is told to and cannot
be cancelled while it reads. Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import SplitResult, quote, unquote, urlsplit

from refdesk.gateway.wires.connection import Connection
from refdesk.kit.clock import now

_REGION = re.compile(r"\.([a-z]{2}(?:-[a-z]+)+-\d)\.")
DEFAULT_REGION = "us-east-1"
_ALGORITHM = "AWS4-HMAC-SHA256"
_ACCESS_KEY = re.compile(r"(?:AKIA|ASIA)[A-Z0-9]{12,}:")


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """An access key, its secret and, for keys that end, their session's token."""

    access_key: str
    secret: str
    session_token: str | None = None

    @classmethod
    def parse(cls, key: str) -> "Credentials | None":
        """From `ACCESS_KEY_ID:SECRET` or `ACCESS_KEY_ID:SECRET:SESSION_TOKEN`; None for an API key, which is
        sent as it is."""
        if _ACCESS_KEY.match(key) is None:
            return None
        access_key, secret, *rest = key.split(":", 2)
        return cls(access_key, secret, rest[0] if rest else None)


def signed(connection: Connection, service: str = "bedrock") -> Connection:
    """The connection with requests signed, where its key is one to sign with."""
    credentials = Credentials.parse(connection.api_key) if connection.api_key else None
    if credentials is None:
        return connection

    def sign(method: str, url: str, body: bytes) -> Mapping[str, str]:
        return signature(credentials, service, method, url, body, now())

    hidden = (credentials.secret, *((credentials.session_token,) if credentials.session_token else ()))
    return replace(connection, sign=sign, secrets=(*connection.secrets, *hidden))


def signature(
    credentials: Credentials, service: str, method: str, url: str, body: bytes, at: datetime
) -> dict[str, str]:
    """The headers that sign a request with a JSON body."""
    parts = urlsplit(url)
    stamp = at.strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    host = _host(parts)
    headers = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": stamp}
    if credentials.session_token:
        headers["x-amz-security-token"] = credentials.session_token
    names = ";".join(sorted(headers))
    canonical = "\n".join(
        (
            method,
            quote(parts.path or "/", safe="/~"),  # what is encoded already is encoded once more
            _query(parts.query),
            *(f"{name}:{headers[name]}" for name in sorted(headers)),
            "",
            names,
            digest,
        )
    )
    found = _REGION.search(host)
    scope = f"{stamp[:8]}/{found[1] if found else DEFAULT_REGION}/{service}/aws4_request"
    to_sign = "\n".join((_ALGORITHM, stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{credentials.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    proof = hmac.digest(key, to_sign.encode(), "sha256").hex()
    del headers["host"]  # the client writes it
    headers["authorization"] = (
        f"{_ALGORITHM} Credential={credentials.access_key}/{scope}, SignedHeaders={names}, Signature={proof}"
    )
    return headers


def _host(parts: SplitResult) -> str:
    """As the client writes it into the request: in small letters, without a port that needs no telling."""
    host = parts.netloc.rpartition("@")[2].lower()
    return host.removesuffix(":443" if parts.scheme == "https" else ":80")


def _query(query: str) -> str:
    pairs = sorted(
        tuple(quote(unquote(part), safe="") for part in pair.partition("=")[::2])
        for pair in query.split("&")
        if pair
    )
    return "&".join(f"{name}={value}" for name, value in pairs)
