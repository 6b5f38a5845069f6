"""The body of an error answer (RFC 9457), for handlers and for middleware that answers itself."""

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
