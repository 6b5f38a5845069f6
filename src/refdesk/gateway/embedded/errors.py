"""Errors of the embedded embedding model."""

from refdesk.kit.errors import AppError, Unavailable


class EmbeddedModelMissing(Unavailable):
    """The package that carries the weights of the embedded model is not installed, or lacks the file."""

    code = "embedded-model-missing"
    message = "The weights of the embedded embedding model are not there."
    hint = "Install the package again, or connect another embedding model."


class EmbeddedModelUnreadable(AppError):
    """The weights file does not have the layout this version knows (another version, or damaged)."""

    code = "embedded-model-unreadable"
    status = 500
    message = "The weights of the embedded embedding model have an unexpected layout."
    hint = "Install the package again; its version must be the one this release names."


class EmbeddedModelCacheUnwritable(Unavailable):
    """The converted model could not be written into the data folder (full disk, missing rights)."""

    code = "embedded-model-cache-unwritable"
    message = "The embedded embedding model could not be prepared in the data folder."
    hint = "Check that the data folder is writable and has 100 MB to spare."
