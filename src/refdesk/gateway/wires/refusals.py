"""Sorting a vendor's refusal by what helps against it, whatever shape the refusal has.

Statuses alone do not tell: quotas come as 429 and as 400, a wrong key as 400, a model that is busy as 200
with an error in its body. So the words and codes are read first, in the order below, and the status decides
what is left.
"""

import html
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast

import orjson

from refdesk.gateway.errors import (
    ModelAuthentication,
    ModelBadResponse,
    ModelContextExceeded,
    ModelError,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
from refdesk.kit.clock import now

HTTP_TOO_MANY_REQUESTS = 429
MAX_VENDOR_MESSAGE_CHARS = 500
MAX_PAGE_CHARS = 16_000
MAX_RETRY_AFTER_S = 24 * 3600.0

_QUOTA = (
    "insufficient_quota",
    "exceeded_current_quota",
    "exceeded your current quota",
    "insufficient balance",
    "insufficient_balance",
    "credit balance is too low",
    "billing_hard_limit",
    "account_overdue",
    "arrearage",
    "quota exhausted",
    "余额不足",
    "欠费",
    "额度已用完",
)
_CONTEXT = (
    "context_length_exceeded",
    "maximum context length",
    "context length",
    "context window",
    "prompt is too long",
    "input is too long",
    "input length",
    "too many input tokens",
    "too many total text bytes",
    "exceeds the maximum number of tokens",
    "exceed_context_size",
    "range of input length",
    "request_too_large",
    "上下文长度",
    "超出最大长度",
)
_KEY = (
    "invalid_api_key",
    "invalid api key",
    "incorrect api key",
    "api key not valid",
    "api_key_invalid",
    "authentication_error",
    "invalidapikey",
    "invalid access token",
    "unrecognizedclientexception",
    "invalidsignatureexception",
    "login fail",
)
_RATE = (
    "rate_limit",
    "rate limit",
    "ratelimit",
    "too many requests",
    "throttlingexception",
    "resource_exhausted",
    "rpm limit",
    "tpm limit",
    "请求过于频繁",
    "并发数过高",
)
_MODEL = ("model_not_found", "model not found", "model_not_exist", "does not exist", "is not found for api")
_BUSY = ("overloaded", "server_busy", "engine_overloaded", "modelnotreadyexception", "unavailable")

_PAGE = re.compile(r"<(?:!doctype|html|head|body|center|h1|\?xml)\b|<!--", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,500})</title>", re.IGNORECASE)
_INVISIBLE = re.compile(r"<(script|style)\b.*?</\1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]{0,2000}>")
_TRY_AGAIN = re.compile(
    r"(?:try again|retry) (?:in|after) (?P<n>\d+(?:\.\d+)?)\s*(?P<unit>ms|s)\b", re.IGNORECASE
)


def error_class(text: str, status: int | None = None) -> type[ModelError]:
    """The error for a vendor's words; `status` is None for an error within an answer of status 200."""
    lowered = text.lower()
    caller = status is None or status < 500

    def says(signs: tuple[str, ...]) -> bool:
        return any(sign in lowered for sign in signs)

    if status == HTTP_TOO_MANY_REQUESTS and _TRY_AGAIN.search(text):
        return ModelRateLimited  # a quota by the minute, however it is worded
    if says(_QUOTA):
        return ModelQuota
    if caller and says(_CONTEXT):
        return ModelContextExceeded
    if status is None or status in (400, 422):
        if says(_KEY):
            return ModelAuthentication
        if says(_RATE):
            return ModelRateLimited
        if says(_MODEL):
            return ModelNotThere
        if says(_BUSY) and status is None:
            return ModelUnavailable
    return ModelUnavailable if status is None else _by_status(status)


def message_of(body: Any) -> str | None:
    """The vendor's words in any of the shapes seen: OpenAI's, FastAPI's, plain `message`, a bare string."""
    if isinstance(body, str):
        return body
    if isinstance(body, list):  # Google's compatible endpoints wrap theirs in a list
        items = cast("list[Any]", body)
        return message_of(items[0]) if items else None
    if not isinstance(body, dict):
        return None
    members = cast("dict[str, Any]", body)
    for name in ("error", "errors", "base_resp", "message", "Message", "detail", "error_msg", "msg"):
        value = members.get(name)
        if isinstance(value, str) and value:
            if isinstance(words := members.get("error_description"), str) and words:
                return f"{value}: {words}"  # RFC 6749
            code = members.get("code") or members.get("error_code") or members.get("__type")
            return f"{code}: {value}" if isinstance(code, str | int) and code else value
        if isinstance(value, dict):
            inner = cast("dict[str, Any]", value)
            keys = ("code", "type", "status", "status_code", "message", "status_msg")
            parts = [str(inner[key]) for key in keys if inner.get(key)]
            if parts:
                return ": ".join(dict.fromkeys(parts))
            if inner:
                return orjson.dumps(inner).decode()
        if isinstance(value, list) and value:
            return orjson.dumps(value).decode()
    return None


def plain_words(raw: bytes) -> str:
    """What a body that is no JSON says to a person: of a page its title, or its words without the tags."""
    text = raw.decode("utf-8", "replace").strip()
    if not _PAGE.match(text):
        return text
    text = text[:MAX_PAGE_CHARS]
    title = _TITLE.search(text)
    words = title[1] if title else _INVISIBLE.sub(" ", text)
    return "a web page: " + " ".join(html.unescape(_TAG.sub(" ", words)).split())


def body_error(body: Mapping[str, Any]) -> str | None:
    """The words of an error in a body of status 200 that should have been an answer, None if there is none.

    OpenAI's `error`; MiniMax' `base_resp` with a status that is not 0; Qianfan's `error_code`; the bare
    `code` and `message` of others.
    """
    if body.get("error"):
        return message_of({"error": body["error"]}) or "an error without a message"
    resp = body.get("base_resp")
    if isinstance(resp, dict) and cast("dict[str, Any]", resp).get("status_code"):
        return message_of({"base_resp": resp})
    if body.get("error_code") and body.get("error_msg"):
        return message_of(body)
    answered = any(body.get(name) for name in ("choices", "data", "results", "embeddings"))
    if body.get("code") and isinstance(body.get("message"), str) and not answered:
        return message_of(body)
    return None


def retry_after_s(headers: Mapping[str, str], body: Any) -> float | None:
    """When to come back: the header (seconds or a date), Google's `retryDelay`, or the message's words."""
    value = headers.get("retry-after")
    if value is not None:
        try:
            return _bounded(float(value))
        except ValueError:
            pass
        try:
            return _bounded((parsedate_to_datetime(value) - now()).total_seconds())
        except (TypeError, ValueError):
            pass
    milliseconds = headers.get("retry-after-ms")
    if milliseconds is not None and milliseconds.isdecimal():
        return _bounded(int(milliseconds) / 1000)
    text = orjson.dumps(body).decode() if isinstance(body, dict | list) else str(body)
    if (delay := re.search(r'"retryDelay":\s*"(\d+(?:\.\d+)?)s"', text)) is not None:
        return _bounded(float(delay[1]))
    if (words := _TRY_AGAIN.search(text)) is not None:
        return _bounded(float(words["n"]) / (1000 if words["unit"].lower() == "ms" else 1))
    return None


def _bounded(seconds: float) -> float | None:
    return min(max(0.0, seconds), MAX_RETRY_AFTER_S) if seconds == seconds else None


def _by_status(status: int) -> type[ModelError]:
    match status:
        case 401 | 403:
            return ModelAuthentication
        case 402:
            return ModelQuota
        case 404:
            return ModelNotThere
        case 408 | 504:
            return ModelTimeout
        case 413:
            return ModelContextExceeded
        case 429:
            return ModelRateLimited
        case _ if status >= 500:
            return ModelUnavailable
        case _ if status >= 400:
            return ModelRefused
        case _:
            return ModelBadResponse
