"""What routing keeps of each index.

`route_centroids` (`index_id, workspace_id, acl_id, size, centroid halfvec`) is reached by SQL only, as
`index_entries` is.
"""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, DateTime, ForeignKey, Integer, String, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import WorkspaceId
from refdesk.kit.database import Base


class RouteProfile(Base):
    """When an index was looked at, what it held then, and who might see its documents.

    `access_print` is a fingerprint of the documents that not everybody may see and of their lists, '' for
    none. `entry_count` and `total_length` count what was not folded yet too.
    """

    __tablename__ = "route_profiles"

    index_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("indexes.id", ondelete="CASCADE"), primary_key=True
    )
    workspace_id: Mapped[WorkspaceId]
    entry_count: Mapped[int] = mapped_column(BigInteger)
    total_length: Mapped[int] = mapped_column(BigInteger)
    access_print: Mapped[str] = mapped_column(String(32))
    refreshed_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class RouteTerm(Base):
    """In how many entries of one access list a term occurs; kept of indexes with restricted documents only.

    Term 0 counts the list's entries.
    """

    __tablename__ = "route_terms"

    index_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("indexes.id", ondelete="CASCADE"), primary_key=True
    )
    acl_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    term: Mapped[int] = mapped_column(Integer, primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    frequency: Mapped[int]
