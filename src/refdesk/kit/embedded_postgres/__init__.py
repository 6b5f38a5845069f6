"""PostgreSQL from a wheel, run by us: no installation, no port, no process left behind.

Owns the embedded server's life: creating the cluster, starting, recovering, stopping, and telling other
processes of the machine how to connect. Must not know tables or migrations. `REFDESK_DATABASE_URL` replaces
all of it.
"""

from refdesk.kit.embedded_postgres.binaries import Programs, find_programs
from refdesk.kit.embedded_postgres.cluster import ClusterFiles
from refdesk.kit.embedded_postgres.errors import (
    DatabaseBinariesMissing,
    DatabaseFolderUnusable,
    DatabaseInUse,
    DatabaseStartFailed,
    DatabaseUserForbidden,
)
from refdesk.kit.embedded_postgres.server import EmbeddedPostgres, connection_url
from refdesk.kit.embedded_postgres.sharing import running_database

__all__ = [
    "ClusterFiles",
    "DatabaseBinariesMissing",
    "DatabaseFolderUnusable",
    "DatabaseInUse",
    "DatabaseStartFailed",
    "DatabaseUserForbidden",
    "EmbeddedPostgres",
    "Programs",
    "connection_url",
    "find_programs",
    "running_database",
]
