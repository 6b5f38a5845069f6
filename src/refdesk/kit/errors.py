"""The one root of all errors that reach a person or a program.

Each room has its own subclasses in its `errors.py`; a subclass sets `code`, `status` and a message
template. The server maps them to RFC 9457 problem documents, the command line to one line and an exit
code. Codes are stable: they are part of the interface, listed in `docs/reference/error-codes.md`.
"""

from typing import Any, ClassVar


class AppError(Exception):
    """An expected failure with a stable code.

    Class attributes are the defaults of a kind of error; keyword arguments override them for one case.
    `details` must be JSON-serialisable and must not hold secrets.
    """

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    message: ClassVar[str] = "Something went wrong."
    hint: ClassVar[str | None] = None

    def __init__(self, message: str | None = None, *, hint: str | None = None, **details: Any) -> None:
        self.text = message if message is not None else self.message
        self.hint_text = hint if hint is not None else self.hint
        self.details: dict[str, Any] = details
        super().__init__(self.text)


class NotFound(AppError):
    """A thing that is not there, or that the caller may not know of (the same answer on purpose)."""

    code = "not-found"
    status = 404
    message = "There is nothing here by that id."


class Invalid(AppError):
    """Input that was understood but cannot be accepted."""

    code = "invalid"
    status = 422
    message = "The request cannot be accepted."


class CursorInvalid(Invalid):
    """A list's cursor that this list has not handed out."""

    code = "cursor-invalid"
    message = "The cursor is not valid here."
    hint = "Use the `next_cursor` of the previous answer, or leave it out to start anew."


class MalformedJson(AppError):
    """The body of the request is not JSON."""

    code = "malformed-json"
    status = 400
    message = "The body is not valid JSON."


class MethodNotAllowed(AppError):
    """The path is there, but not with this HTTP method."""

    code = "method-not-allowed"
    status = 405
    message = "This path does not take that method."


class UnsupportedMediaType(AppError):
    """The body is of a kind that this path does not take."""

    code = "unsupported-media-type"
    status = 415
    message = "The body is of a kind that is not taken here."


class HttpError(AppError):
    """The request fails as HTTP already, before it means anything; the status tells how."""

    code = "http-error"
    status = 400
    message = "The request is not good HTTP."


class Conflict(AppError):
    """The request contradicts the present state."""

    code = "conflict"
    status = 409
    message = "The request contradicts the present state."


class Forbidden(AppError):
    """The caller is known but may not do this."""

    code = "forbidden"
    status = 403
    message = "You may not do this."


class Unauthenticated(AppError):
    """No valid session or key came with the request."""

    code = "unauthenticated"
    status = 401
    message = "Sign in, or send a valid API key."


class TooLarge(AppError):
    """More was sent than the limit allows."""

    code = "too-large"
    status = 413
    message = "More was sent than the limit allows."


class Unavailable(AppError):
    """Something this depends on does not answer now; trying again later may help."""

    code = "unavailable"
    status = 503
    message = "A part that is needed does not answer now."
