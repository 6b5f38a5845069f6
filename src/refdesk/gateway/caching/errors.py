"""What can be wrong with caches."""

from refdesk.kit.errors import NotFound


class UnknownCache(NotFound):
    """The application keeps no answers."""

    code = "unknown-cache"
    message = "This application keeps no answers."
