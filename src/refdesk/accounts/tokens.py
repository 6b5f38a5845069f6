"""Secrets that people and programs carry: made here, stored only as SHA-256.

They hold 32 random bytes, so a plain fast hash is enough: there is nothing to guess by dictionary.
"""

import hashlib
import hmac
import secrets

API_KEY_PREFIX = "rd-"


def new_token() -> str:
    """43 URL-safe characters from 32 random bytes."""
    return secrets.token_urlsafe(32)


def new_api_key() -> str:
    """`rd-` and 43 characters."""
    return API_KEY_PREFIX + new_token()


def token_hash(token: str) -> bytes:
    """What is stored of a token: its SHA-256, 32 bytes."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def csrf_token(session_token: str) -> str:
    """The CSRF token of a session: derived, so there is nothing more to store or to expire.

    Whoever can compute it holds the HttpOnly cookie already; a foreign site can do neither.
    """
    return hmac.new(session_token.encode(), b"refdesk csrf", hashlib.sha256).hexdigest()


def csrf_matches(session_token: str, given: str | None) -> bool:
    """Whether `given` is the CSRF token of the session, compared in constant time."""
    return hmac.compare_digest(csrf_token(session_token).encode(), (given or "").encode("utf-8", "replace"))
