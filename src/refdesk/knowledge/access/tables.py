"""Folders of a base, and the lists of who may see a document or what lies in a folder."""

from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    String,
    UniqueConstraint,
    Uuid,
)
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class AccessList(Base):
    """Who may see a document or a folder; its id stands in the entries of the index.

    Changing its members changes no entry. A list without members is seen by the workspace's owners only.
    """

    __tablename__ = "access_lists"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[CreatedAt]


class AccessListMember(Base):
    """A user or a group on a list."""

    __tablename__ = "access_list_members"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    access_list_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("access_lists.id", ondelete="CASCADE"))
    user_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    group_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("groups.id", ondelete="CASCADE"), index=True
    )

    __table_args__ = (
        CheckConstraint("num_nonnulls(user_id, group_id) = 1", name="one"),
        UniqueConstraint(
            "access_list_id",
            "user_id",
            "group_id",
            name="uq_access_list_members_access_list_id",
            postgresql_nulls_not_distinct=True,
        ),
    )


class RemovedDocument(Base):
    """A restricted document that was removed, and the list it counted under: old answers still cite it.

    Nothing of the document itself is kept. Where the list is gone too, only owners of the workspace see what
    old answers say of it.
    """

    __tablename__ = "removed_documents"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    acl_id: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[CreatedAt]


class Folder(Base):
    """A folder of a base; a document lies in one or in none.

    `access_list_id` restricts what lies in it and in the folders below, unless these have their own. Names
    are unique among those that whoever gives one may see, not beyond: a taken name would tell of a folder
    that is hidden from them.
    """

    __tablename__ = "folders"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), index=True
    )
    parent_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("folders.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(String(200))
    access_list_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("access_lists.id"), index=True)
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (
        Index("ix_folders_knowledge_base_id_parent_id_name", "knowledge_base_id", "parent_id", "name"),
    )
