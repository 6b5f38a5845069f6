"""What can go wrong before a program runs."""

from refdesk.kit.errors import AppError


class SandboxUnavailable(AppError):
    """This machine cannot isolate programs, so none is run; `details.reason` says what is missing."""

    code = "sandbox-unavailable"
    status = 503
    message = "Programs cannot be run here: this machine cannot isolate them."
    hint = "Run `refdesk doctor` for the reason. Linux with user namespaces is needed."
