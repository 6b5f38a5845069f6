"""What can go wrong with a source that someone else runs. None tells a secret."""

from refdesk.kit.errors import AppError, Conflict, Invalid, NotFound


class ExternalSourceNotFound(NotFound):
    """No external source of this id in the workspace."""

    code = "external-source-not-found"
    message = "There is no such external source."


class ExternalSourceExists(Conflict):
    """Two external sources of one workspace cannot have one name."""

    code = "external-source-exists"
    message = "There is an external source of that name already."


class SourceConfigInvalid(Invalid):
    """The settings of a source do not fit its kind, or name what is not there."""

    code = "source-config-invalid"
    message = "The settings of the source cannot be used."


class SourceCredentialNeeded(Invalid):
    """A stored credential goes only where it was entered for: another address wants it entered again."""

    code = "source-credential-needed"
    message = "The credential is not sent to another address. Enter it again, or remove it."


class SourceFilterInvalid(Invalid):
    """A metadata key or filter that the source does not take."""

    code = "source-filter-invalid"
    message = "The source cannot filter by that, or the metadata has a key or value it does not take."


class SourceReadOnly(Conflict):
    """The source is only read; documents and metadata are changed where it is run."""

    code = "source-read-only"
    message = "This source is only searched; nothing can be changed in it from here."


class SourceQueryInvalid(Invalid):
    """A query of an external database that it refused: wrong, not allowed, or more than a query."""

    code = "source-query-invalid"
    message = "The database refused the query."
    hint = "One SELECT, of tables that the connected user may read."


class SourceQueryForbidden(Conflict):
    """The owner of an external source has not allowed it to be read with SQL."""

    code = "source-query-forbidden"
    message = "This source may not be read with SQL."
    hint = "Its owner can allow it: `allow_sql` in the settings of a PostgreSQL source."


class SourceDocumentNotFound(NotFound):
    """The source has no document of that id."""

    code = "source-document-not-found"
    message = "The source has no document of that id."


class SourceClientMissing(AppError):
    """The client library of this kind of source is not installed."""

    code = "source-client-missing"
    status = 501
    message = "The library for this kind of source is not installed."


class SourceUnreachable(AppError):
    """No connection, or it broke."""

    code = "source-unreachable"
    status = 502
    message = "The source does not answer."
    hint = "Check its address, and that it runs and may be reached from this server."


class SourceTimeout(AppError):
    """The source did not answer within the deadline."""

    code = "source-timeout"
    status = 504
    message = "The source did not answer in time."
    hint = "Raise its timeout, or make its table or collection quicker to search."


class SourceAuthentication(AppError):
    """The source does not accept the name, password or key."""

    code = "source-authentication"
    status = 502
    message = "The source refused the credential."


class SourceBadAnswer(AppError):
    """The source answered with something that cannot be read as hits, or with an error of its own."""

    code = "source-bad-answer"
    status = 502
    message = "The source answered with something that cannot be used."
