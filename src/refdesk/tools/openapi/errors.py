"""What can be wrong with an OpenAPI document."""

from refdesk.kit.errors import AppError, Invalid


class OpenApiUnreadable(Invalid):
    """What was given is no OpenAPI 3 document."""

    code = "openapi-unreadable"
    message = "This is not an OpenAPI 3 document."
    hint = "Give JSON or YAML that begins with `openapi: 3…`. Older ones (Swagger 2) can be converted."


class OpenApiUnreachable(AppError):
    """The document cannot be fetched from its address."""

    code = "openapi-unreachable"
    status = 502
    message = "The document cannot be fetched from this address."


class OpenApiOperationUnknown(Invalid):
    """The document has no operation of this key."""

    code = "openapi-operation-unknown"
    message = "The document has no such operation."


class HttpToolFailed(AppError):
    """The interface of an HTTP tool did not answer as it should."""

    code = "http-tool-failed"
    status = 502
    message = "The interface did not answer."
