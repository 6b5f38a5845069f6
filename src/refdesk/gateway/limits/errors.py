"""Refusals of limits and of queues."""

from refdesk.gateway.errors import ModelError
from refdesk.kit.errors import Invalid, NotFound


class LimitReached(ModelError):
    """A limit has no room for this call. `details` hold `limit`, `opens_at` and `retry_after_s`."""

    code = "limit-reached"
    status = 429
    message = "A limit on calls of models is reached."
    hint = "Try again when the limit opens again, or ask an owner of the workspace to raise it."


class ModelQueueTimeout(ModelError):
    """The model answers as many as it may at once, and no place became free in time."""

    code = "model-queue-timeout"
    status = 503
    message = "The model is busy: no place became free in time."
    hint = "Try again in a moment, or raise how many calls the model takes at once."


class LimitsUnavailable(ModelError):
    """What counts the limits does not answer, and a hard limit cannot be passed uncounted."""

    code = "limits-unavailable"
    status = 503
    message = "Limits cannot be counted now, so the call was not made."
    hint = "Check the database, or Redis where REFDESK_REDIS_URL is set."


class UnknownLimit(NotFound):
    """No limit by that id in this workspace."""

    code = "unknown-limit"
    message = "There is no such limit in this workspace."


class LimitInvalid(Invalid):
    """The parts of a limit contradict each other."""

    code = "limit-invalid"
    message = "The limit cannot be set like this."
