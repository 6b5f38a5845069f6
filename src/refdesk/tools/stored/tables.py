"""Tools kept as rows: Python code, and operations of HTTP interfaces."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Integer, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Json, JsonList, Sealed, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class ToolInterface(Base):
    """An HTTP interface, read from an OpenAPI document.

    `operations` are all that the document has (see `openapi.operations`); those that are tools have rows in
    `stored_tools`. `auth` is `{kind, name}`; its secrets lie in `secrets_sealed`, a JSON object sealed with
    the row's id. `tells_caller` as that of tool servers.
    """

    __tablename__ = "tool_interfaces"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(default="")
    base_url: Mapped[str] = mapped_column(String(2000))
    document_url: Mapped[str | None] = mapped_column(String(2000))
    operations: Mapped[JsonList]
    auth: Mapped[Json]
    secrets_sealed: Mapped[Sealed | None]
    tells_caller: Mapped[str] = mapped_column(String(8), default="none")
    is_active: Mapped[bool] = mapped_column(default=True)
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_tool_interfaces_workspace_id_name"),)


class StoredTool(Base):
    """One tool. `kind` is `python` or `http`; only the latter belongs to an interface.

    `config` of Python code is `{code, function, defaults}`; of an operation what `openapi.operations` makes
    of it. `secrets_sealed` of Python code: a JSON object by name, sealed with the row's id. `version` counts
    changes of what is run.
    """

    __tablename__ = "stored_tools"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    interface_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("tool_interfaces.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[str] = mapped_column(String(8))
    name: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200), default="")
    description: Mapped[str] = mapped_column(default="")
    parameters: Mapped[Json]
    config: Mapped[Json]
    secrets_sealed: Mapped[Sealed | None]
    is_active: Mapped[bool] = mapped_column(default=True)
    read_only: Mapped[bool] = mapped_column(default=False)
    ask_first: Mapped[bool] = mapped_column(default=False)
    timeout_s: Mapped[float] = mapped_column(default=30.0)
    max_result_chars: Mapped[int] = mapped_column(Integer, default=20_000)
    version: Mapped[int] = mapped_column(Integer, default=1)
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_stored_tools_workspace_id_name"),)

    @property
    def code(self) -> str:
        """The Python code; empty for an operation."""
        code: Any = self.config.get("code", "")
        return str(code)


class StoredToolVersion(Base):
    """What a Python tool was before a change: `content` is `{parameters, config}`. The last ones are kept."""

    __tablename__ = "stored_tool_versions"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    tool_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("stored_tools.id", ondelete="CASCADE"))
    version: Mapped[int] = mapped_column(Integer)
    content: Mapped[Json]
    changed_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]

    __table_args__ = (UniqueConstraint("tool_id", "version", name="uq_stored_tool_versions_tool_id_version"),)
