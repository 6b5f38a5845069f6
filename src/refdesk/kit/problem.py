"""The body of an error answer, for handlers and for middleware that answers itself.

RFC 9457 everywhere but below `/v1`, whose clients expect OpenAI's shape.
"""

from typing import Any

PROBLEM_TYPE = "application/problem+json"


def problem_body(
    request_id: str | None,
    *,
    status: int,
    code: str,
    title: str,
    hint: str | None = None,
    details: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The members of a problem document. `type` is a relative reference into the documentation."""
    return {
        "type": f"/docs/errors#{code}",
        "title": title,
        "status": status,
        "code": code,
        "detail": title,
        "hint": hint,
        "details": details or {},
        "request_id": request_id,
    }


OPENAI_PREFIX = "/v1/"
_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def openai_body(
    status: int, code: str, message: str, hint: str | None = None, *, param: str | None = None
) -> dict[str, Any]:
    """The error as OpenAI's API tells it; `param` names the field that is wrong."""
    kind = _OPENAI_TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    text = f"{message} {hint}" if hint else message
    return {"error": {"message": text, "type": kind, "param": param, "code": code}}
