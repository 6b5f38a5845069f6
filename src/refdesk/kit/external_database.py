"""Whether a PostgreSQL that someone else runs can be used, told before anything is started on it."""

from refdesk.kit.database import libpq_url
from refdesk.kit.errors import Unavailable

OLDEST_POSTGRES = 15
OLDEST_VECTOR = (0, 8)


class DatabaseUnreachable(Unavailable):
    """No connection to the configured database could be made."""

    code = "database-unreachable"
    message = "The database does not answer."
    hint = "Check REFDESK_DATABASE_URL and that the server accepts this user."


class DatabaseUnsuitable(Unavailable):
    """The configured database is too old or lacks pgvector."""

    code = "database-unsuitable"
    message = "The database cannot be used."
    hint = "Refdesk needs PostgreSQL 15 or newer with pgvector 0.8 or newer."


def require_suitable(url: str, *, timeout_s: int = 10) -> tuple[str, str]:
    """(PostgreSQL version, pgvector version) of the server at `url`.

    Raises `DatabaseUnreachable` or `DatabaseUnsuitable`; neither names the password.
    """
    import psycopg

    try:
        with psycopg.connect(libpq_url(url), connect_timeout=timeout_s) as connection:
            version = connection.info.server_version
            row = connection.execute(
                "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions"
                " WHERE name = 'vector'"
            ).fetchone()
    except (psycopg.Error, ValueError) as error:
        raise DatabaseUnreachable(reason=str(error).strip()) from error
    if version // 10000 < OLDEST_POSTGRES:
        raise DatabaseUnsuitable(f"The database is PostgreSQL {version // 10000}.")
    if row is None:
        raise DatabaseUnsuitable("The extension pgvector is not installed on the database server.")
    vector = str(row[0])
    if tuple(int(part) for part in vector.split(".")[:2]) < OLDEST_VECTOR:
        raise DatabaseUnsuitable(f"The database has pgvector {vector}.")
    return f"{version // 10000}.{version % 10000}", vector
